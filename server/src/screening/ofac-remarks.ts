/**
 * OFAC has no column for addresses of coins. They stand in the remarks, `Digital Currency Address
 * - XBT …`, with further names and codes of banks beside them. Remarks that are longer than their
 * column go on in a second file, cut at any letter.
 */
import type { EntriesInWork } from './read-list.ts'

const COIN_ADDRESS = /Digital Currency Address - ([A-Za-z0-9]{2,10})\s+([^\s;,]+)/g
const BANK_CODE = /SWIFT\/BIC\s+([A-Z0-9]{8}(?:[A-Z0-9]{3})?)\b/g
const ALIAS = /[af]\.k\.a\.,?\s+'(.+?)'(?=\s*(?:;|\.?\s*$|\.\s))/g
/** Behind these a blank was lost where the column ended. */
const LOST_BLANK = /(?:Address|-|- [A-Z0-9]{2,10})$/

/** The remarks, and what goes on in the second file. */
export function joinRemarks(remarks: string, rest: string): string {
  const lost = rest !== '' && !rest.startsWith(' ') && LOST_BLANK.test(remarks)
  return `${remarks}${lost ? ' ' : ''}${rest}`
}

export function readRemarks(entries: EntriesInWork, key: string, remarks: string): void {
  for (const [, kind = '', address = ''] of remarks.matchAll(COIN_ADDRESS))
    entries.addAddress(key, { kind: kind.toUpperCase(), address: address.replace(/\.+$/, '') })
  for (const [, address = ''] of remarks.matchAll(BANK_CODE))
    entries.addAddress(key, { kind: 'BIC', address })
  for (const [, name = ''] of remarks.matchAll(ALIAS)) entries.addName(key, name)
}

/** `SDGT] [IFSR` and `SDGT; IFSR` both name two. */
export const programsIn = (text: string): string[] =>
  text
    .split(/[\][;]+/)
    .map((program) => program.trim())
    .filter((program) => program !== '')
