/** Codes of the API in words. */
import { wordFor } from '../language/index.ts'

/** `PARTIALLY_ASSIGNED` → `Partially assigned`. */
export function inWords(word: string): string {
  const translated = wordFor(word)
  if (translated !== undefined) return translated
  const text = word.replaceAll('_', ' ').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export const isCodeLike = (text: string): boolean => /^[A-Z]{2,}(_[A-Z]+)*$/.test(text)

/** Words for a code of the API (`BALANCE_NOT_DUE`); any other text stays as it is. */
export const wordsOf = (text: string): string => (isCodeLike(text) ? inWords(text) : text)
