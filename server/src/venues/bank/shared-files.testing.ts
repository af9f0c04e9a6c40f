/** For tests: two payments that share a file, and the entries that a bank may book for it. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { decimal } from '../../core/decimal.ts'
import type { TransferOrder, Venue } from '../contract.ts'
import { entryXml, lookup, notificationXml, order, type withFiles } from './bank-files.testing.ts'

export const AT = '2026-11-21T10:00:00Z'
const OTHER = '0192f5a1-7c00-7abc-8def-0123456789ac'
export const OTHER_BARE = OTHER.replaceAll('-', '')
export const FIRST = order({ quantity: decimal('10.1') })
export const SECOND = order({ external_id: OTHER, quantity: decimal('20.2') })
export const sharing = { payments_per_file: 2, collect_ms: 2_000 }

type Files = Parameters<Parameters<typeof withFiles>[0]>[0]

/** The id of the file that both payments went into. */
export async function sendBoth({ outbox }: Files, bank: Venue): Promise<string> {
  const sent = await Promise.all([FIRST, SECOND].map((one) => bank.transfers?.send(one)))
  assert.deepEqual(
    sent.map((answer) => answer?.outcome),
    ['accepted', 'accepted'],
  )
  const [name, ...further] = readdirSync(outbox).filter((one) => one.endsWith('.xml'))
  assert.deepEqual(further, [])
  return name?.replace('.xml', '') ?? ''
}

async function stateOf(bank: Venue, { external_id, quantity }: TransferOrder): Promise<string> {
  const found = await bank.transfers?.find({ ...lookup(external_id), quantity })
  if (found?.lookup !== 'found') return found?.lookup ?? ''
  const { state, sub_state, reason } = found.report
  return [state, sub_state, ...(state === 'UNKNOWN' ? [reason] : [])].join(' ')
}

export const statesOf = (bank: Venue) =>
  Promise.all([FIRST, SECOND].map((one) => stateOf(bank, one)))

/** One entry for the file, with the ids in `Btch` and these payments shown. */
export function batchEntryXml(file_id: string, amount: string, details = '', ref = 'B1'): string {
  const entry = entryXml({ ref, sign: 'DBIT', amount, at: AT })
  const batch = `<Btch><PmtInfId>${file_id}</PmtInfId><NbOfTxs>2</NbOfTxs></Btch>`
  return entry.replace(/<NtryDtls>.*<\/NtryDtls>/, `<NtryDtls>${batch}${details}</NtryDtls>`)
}

export const batchXml = (...entry: Parameters<typeof batchEntryXml>): string =>
  notificationXml(batchEntryXml(...entry))

export const detailXml = (id: string, amount: string, refs = '') =>
  `<TxDtls><Refs>${refs}<EndToEndId>${id}</EndToEndId></Refs>` +
  `<Amt Ccy="EUR">${amount}</Amt></TxDtls>`

export const DONE = ['SUCCESS BOOK', 'SUCCESS BOOK']
