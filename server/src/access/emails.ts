/** Addresses are compared as people read them. */
export const normalizeEmail = (email: string) => email.normalize('NFC').toLowerCase()
