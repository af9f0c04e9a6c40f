/**
 * Which files may be attached. None of these types runs in a browser, and a file must be what it
 * says it is.
 */
export const MEDIA_TYPES = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'text/plain',
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
] as const
type MediaType = (typeof MEDIA_TYPES)[number]

const ZIP = Buffer.from('PK\u0003\u0004', 'latin1')
/** With which bytes a file begins; text has none. */
const SIGNATURES: Readonly<Partial<Record<MediaType, Buffer>>> = {
  'application/pdf': Buffer.from('%PDF-'),
  'image/png': Buffer.from('89504e470d0a1a0a', 'hex'),
  'image/jpeg': Buffer.from('ffd8ff', 'hex'),
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ZIP,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ZIP,
}

export function isOfType(content: Buffer, media_type: MediaType): boolean {
  const signature = SIGNATURES[media_type]
  if (signature !== undefined) return content.subarray(0, signature.length).equals(signature)
  return !content.includes(0)
}
