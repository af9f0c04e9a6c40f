/**
 * How names, addresses and codes are compared: exactly, once both sides are written in one way.
 * Nothing is guessed: a name that is spelt otherwise is another name.
 */

/** Letters that Unicode does not take apart. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['ħ', 'h'],
  ['ı', 'i'],
  ['ł', 'l'],
  ['þ', 'th'],
])

/**
 * In lower case, without accents, apostrophes and full stops; all else that is no letter or digit
 * divides words; the words by the alphabet. Empty where nothing is left.
 */
export function normalName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{ASCII}]/gu, (letter) => LETTERS.get(letter) ?? letter)
  const words = plain.replace(/['’‘`´ʼ.]/g, '').match(/[\p{L}\p{N}]+/gu) ?? []
  return words.toSorted().join(' ')
}

/** Their letters may be written large or small. */
const WITHOUT_CASE =
  /^(?:0x[0-9a-f]{40}|(?:[a-z]{2,11}:)?(?:bc1|ltc1|q|p)[02-9ac-hj-np-z]{20,90})$/i
const PREFIX = /^(?:bitcoincash|bitcoin|ethereum|litecoin):/i

/**
 * An address of a coin, or an IBAN: without blanks and the prefix of a link. The case of its
 * letters counts where it tells addresses apart.
 */
export function normalAddress(address: string): string {
  const bare = address.replace(/\s+/g, '').replace(PREFIX, '')
  if (WITHOUT_CASE.test(bare)) return bare.toLowerCase()
  return /^[a-z]{2}\d{2}[a-z0-9]{11,30}$/i.test(bare) ? bare.toUpperCase() : bare
}

/** A BIC: one without a branch is the one of the head office. */
export const normalBic = (bic: string): string =>
  bic
    .replace(/\s+/g, '')
    .toUpperCase()
    .replace(/^(.{8})X{3}$/, '$1')
