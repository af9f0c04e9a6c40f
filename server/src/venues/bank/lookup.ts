/** What is known of a payment: by the bank's messages, else by where its file lies. */
import { ZERO, type Decimal } from '../../core/decimal.ts'
import type { Lookup, TransferLookup, TransferOrder, TransferReport } from '../contract.ts'
import type { BankAccount } from './config.ts'
import { FOREIGN, SEPA_INSTANT } from './fields.ts'
import { unreadableDirectory } from './inbox.ts'
import type { Bank } from './parts.ts'
import { paymentVerdict } from './states.ts'
import type { Handover } from './transport.ts'

const IN_DOUBT =
  'the payment file may have been handed over and the bank does not list it: ' +
  'only its status report or statement can tell'

const LOST =
  'the database was set back, and the folder of the payments that were handed over is newer than ' +
  'the payment: only the status report or the statement of the bank can tell'

/** What is asked about; of what is to be sent, nothing of when it may have been. */
type Asked = TransferOrder & Partial<Pick<TransferLookup, 'submitted_at' | 'sent_until'>>

export async function lookUp(
  bank: Bank,
  message_id: string,
  asked: Asked,
): Promise<Lookup<TransferReport>> {
  const { protocol, quantity } = asked
  try {
    const { statusesOf, disputeOf, debits } = await bank.entriesOf(await bank.inbox.files())
    const file_ids = (await bank.shared.find(message_id)).map(({ file_id }) => file_id)
    const evidence = {
      statuses: statusesOf(message_id, file_ids),
      debits: debits.get(message_id) ?? [],
      isShared: file_ids.length > 0,
      dispute: disputeOf(message_id),
    }
    const verdict = paymentVerdict(evidence, quantity)
    const handover =
      verdict === undefined ? await handoverOf(bank, [message_id, ...file_ids]) : 'TAKEN'
    if (handover === 'ABSENT')
      return (await mayBeLost(bank, asked))
        ? { lookup: 'unknown', reason: LOST }
        : { lookup: 'absent' }
    if (handover === 'UNKNOWN') return { lookup: 'unknown', reason: IN_DOUBT }
    const waiting = { state: 'PENDING', sub_state: handover, reason: null } as const
    const report = reportOf(bank, protocol, { foreign_id: message_id, ...(verdict ?? waiting) })
    return { lookup: 'found', report }
  } catch (error) {
    return { lookup: 'unknown', reason: unreadableDirectory(bank.transport.place, error).message }
  }
}

/** A machine may be lost with its folder and its database, of which an older copy is there. */
const mayBeLost = async (
  { handedOverSince }: Bank,
  { submitted_at = 0, sent_until }: Asked,
): Promise<boolean> => sent_until !== undefined && (await handedOverSince()) > submitted_at

/** It may be in a file of its own or in shared ones: absent is what is in none of them. */
async function handoverOf(
  { transport: { outbox } }: Bank,
  names: readonly string[],
): Promise<Handover> {
  let found: Handover = 'ABSENT'
  for (const name of names) {
    const state = await outbox.state(name)
    if (state === 'WAITING' || state === 'TAKEN') return state
    if (state === 'UNKNOWN') found = state
  }
  return found
}

export function agreedFee({ foreign_fee, instant }: BankAccount, protocol: string): Decimal {
  if (protocol === FOREIGN) return foreign_fee
  return protocol === SEPA_INSTANT ? (instant?.fee ?? ZERO) : ZERO
}

/**
 * SEPA costs nothing, and what is instant mostly neither. What another payment cost is an entry of
 * its own, which `outgoing` reports as a charge.
 */
export function reportOf(
  { account }: Bank,
  protocol: string,
  payment: Pick<TransferReport, 'foreign_id' | 'sub_state' | 'reason'> &
    Pick<TransferReport, 'state' | 'value_date' | 'payee_check'>,
): TransferReport {
  const isFree = protocol !== FOREIGN && agreedFee(account, protocol) === ZERO
  const free = payment.state === 'SUCCESS' && isFree
  return {
    ...payment,
    transaction_hash: null,
    confirmations: null,
    fee: free ? ZERO : null,
    fee_asset: free ? account.currency : null,
  }
}
