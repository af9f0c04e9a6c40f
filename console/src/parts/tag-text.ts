/** A tag is one word; the service keeps it in lower case. */
export const MAXIMUM_TAG = 30
const SEPARATORS = /[\s,]+/
/** Spaces around it do not count. */
export const ONE_WORD = /^\s*[^\s,]+\s*$/

export const asOneWord = (text: string): string => text.trim().split(SEPARATORS).join('-')
