/**
 * Which own transfer, or which part of a settlement, may arrive as a deposit. Read only, for a
 * person who relates it (relations.ts); what is certain is related already.
 */
import { decimal, format } from '../../core/decimal.ts'
import type { DepositId, WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { openArrivalsTo } from './expected-arrivals.ts'
import type { OpenArrival } from './expected-arrivals.ts'
import {
  carriedReferences,
  isFromPayer,
  isInTime,
  openTransfersTo,
  withOurReference,
  withTransaction,
} from './own-transfers.ts'
import type { OpenTransfer } from './own-transfers.ts'
import { canBeRelated, depositRow } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { scoreOf } from './suggestions.ts'
import { arrivalParts } from './transfer-arrivals.ts'
import { TRANSFER_WEIGHTS } from './relations.schema.ts'
import type { TransferReason, TransferSuggestion } from './relations.schema.ts'

const MAXIMUM_SUGGESTIONS = 10

/** Best first, then the latest; none when the deposit cannot be related. Throws 4004. */
export async function transferSuggestionsFor(
  reader: Reader,
  workspace: WorkspaceId,
  deposit_id: DepositId,
): Promise<TransferSuggestion[]> {
  const row = await depositRow(reader, workspace, deposit_id)
  if (!canBeRelated(row, row.assignable)) return []
  const transfers = await openTransfersTo(reader, row)
  const arrivals = canBeRelated(row) ? await openArrivalsTo(reader, row) : []
  const suggestions = [
    ...transfers.flatMap((transfer) => suggestTransfer(row, transfer)),
    ...arrivals.flatMap((arrival) => suggestArrival(row, arrival)),
  ]
  return suggestions
    .toSorted((a, b) => b.score - a.score || b.since - a.since)
    .slice(0, MAXIMUM_SUGGESTIONS)
}

function suggestTransfer(row: DepositRow, transfer: OpenTransfer): TransferSuggestion[] {
  const { payers, from_ours_alone, submitted_at } = transfer
  const { rest } = arrivalParts(decimal(row.quantity), transfer)
  if (!canBeRelated(row, rest) || !isInTime(row, submitted_at)) return []
  const isNamed = withOurReference(row, [transfer]) !== undefined
  const sameTransaction = withTransaction(row, [transfer]) !== undefined
  const sameAmount = transfer.quantity === decimal(row.quantity)
  if (!isNamed && !sameTransaction && !sameAmount) return []
  const reasons = reasonsOf(row, {
    SAME_TRANSACTION: sameTransaction,
    OUR_REFERENCE: isNamed,
    SAME_PAYER: isFromPayer(row, payers, from_ours_alone),
    SAME_AMOUNT: sameAmount,
  })
  return [
    {
      withdrawal_id: transfer.id,
      part_id: null,
      settlement_id: null,
      venue_id: transfer.venue_id,
      quantity: format(transfer.quantity),
      since: submitted_at,
      ...reasons,
    },
  ]
}

function suggestArrival(row: DepositRow, arrival: OpenArrival): TransferSuggestion[] {
  const { id, settlement_id, venue_id, quantity, expected_since, payers } = arrival
  if (!isInTime(row, expected_since)) return []
  const references = carriedReferences(row)
  const reasons = reasonsOf(row, {
    OUR_REFERENCE: references.includes(id) || references.includes(settlement_id),
    SAME_PAYER: isFromPayer(row, payers),
    SAME_AMOUNT: true,
  })
  return [
    {
      withdrawal_id: null,
      part_id: id,
      settlement_id,
      venue_id,
      quantity: format(quantity),
      since: expected_since,
      ...reasons,
    },
  ]
}

function reasonsOf(
  row: DepositRow,
  known: Partial<Record<TransferReason, boolean>>,
): Pick<TransferSuggestion, 'score' | 'reasons'> {
  const codes = (Object.keys(TRANSFER_WEIGHTS) as TransferReason[]).filter((code) => known[code])
  const reasons = codes.map((code) => ({ code, explanation: explain(row, code) }))
  return { score: scoreOf(codes.map((code) => TRANSFER_WEIGHTS[code])), reasons }
}

function explain(row: DepositRow, code: TransferReason): string {
  switch (code) {
    case 'SAME_TRANSACTION':
      return `it has the transaction ${row.transaction_hash}`
    case 'OUR_REFERENCE':
      return 'the deposit carries its reference'
    case 'SAME_PAYER':
      return row.source_address === null
        ? 'the receiving venue takes money only from accounts of ours'
        : `the sending venue pays from ${row.source_address}`
    case 'SAME_AMOUNT':
      return `it is of just this amount, ${row.quantity} ${row.asset}, and has not arrived`
  }
}
