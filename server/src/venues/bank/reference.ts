/**
 * Our reference and its form in payment messages, both ways. Message ids and end-to-end ids hold 35
 * characters of a small alphabet: a UUID travels without its dashes, other references as they are.
 * No two references share a form.
 */
import { newId } from '../../core/ids.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const BARE_UUID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/
const PLAIN = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,33}[A-Za-z0-9])?$/

/** Of a file with several payments, which no reference has. */
const FILE = /^F[0-9a-f]{32}$/

/** The MsgId and EndToEndId of our reference; undefined when it has none. */
export function toMessageId(external_id: string): string | undefined {
  if (UUID.test(external_id)) return external_id.replaceAll('-', '')
  const isTaken = BARE_UUID.test(external_id) || FILE.test(external_id)
  return PLAIN.test(external_id) && !isTaken ? external_id : undefined
}

/** The MsgId and PmtInfId of a new file with several payments. */
export const newFileId = (): string => `F${newId().replaceAll('-', '')}`

export const isFileId = (id: string): boolean => FILE.test(id)

/** What banks write where they have no reference. */
const NO_REFERENCE = /^(?:NON-?REF|NOREF|NOT ?PROVIDED|NOTAVAIL|NONE|UNKNOWN|N\/?A|[0\-./ ]+)$/i

/** Null where a bank wrote that there is none. */
export const realReference = (reference: string | null): string | null =>
  reference === null || NO_REFERENCE.test(reference) ? null : reference

/** Whether this is the form that our references have, and hardly anybody else's. */
export const isOurForm = (id: string): boolean => BARE_UUID.test(id)

/** Our reference behind an EndToEndId; undefined when the id cannot be one of ours. */
export function fromMessageId(id: string): string | undefined {
  const groups = BARE_UUID.exec(id)
  if (groups !== null) return groups.slice(1).join('-')
  return PLAIN.test(id) && !FILE.test(id) ? id : undefined
}

const SEPA_TEXT = /^[A-Za-z0-9/\-?:().,'+ ]*$/
const LETTERS: Record<string, string> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  ø: 'oe',
  Ø: 'Oe',
  å: 'aa',
  Å: 'Aa',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  '&': '+',
  _: '-',
}

/**
 * The text in the characters every SEPA bank accepts (EPC217-08); undefined when a character has no
 * counterpart.
 */
export function sepaText(text: string): string | undefined {
  const plain = plainText(text)
  return SEPA_TEXT.test(plain) ? plain : undefined
}

/** The characters of the text that have no counterpart, each once. */
export const charactersOutsideSepa = (text: string): string[] => [
  ...new Set(Array.from(plainText(text)).filter((letter) => !SEPA_TEXT.test(letter))),
]

/** The same, with a space for what has no counterpart. */
export const sepaWords = (text: string): string =>
  oneLine(plainText(text).replace(/[^A-Za-z0-9/\-?:().,'+ ]/g, ' '))

const plainText = (text: string): string =>
  oneLine(
    Array.from(
      text.normalize('NFC'),
      (letter) => LETTERS[letter] ?? letter.normalize('NFD').replace(/\p{M}/gu, ''),
    ).join(''),
  )

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Of debtor and creditor, in characters. */
export const MAXIMUM_NAME = 70

/** What a payment message has room for (Ustrd). */
export const MAXIMUM_REMITTANCE = 140

/**
 * The remittance information: the route's reference first, as its receiver needs it, then the
 * purpose where there is room for all of it in characters that banks accept.
 */
export function remittanceText(reference: string, purpose: string | null = null): string {
  const words = sepaText(purpose ?? '')
  if (!words) return reference
  const text = `${reference} ${words}`
  return text.length > MAXIMUM_REMITTANCE ? reference : text
}
