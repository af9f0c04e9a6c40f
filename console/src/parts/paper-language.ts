/** The language in which papers are asked for; undefined: the customer's, else the workspace's. */
export const paperLanguage = (): 'en' | 'de' | undefined => undefined
