/**
 * What a wire brings by its payer, its quantity and its time together: an own transfer, or what a
 * venue owes for a settlement. It is decided only when one fits, and no other deposit fits that one
 * as well; else a person relates it.
 */
import { assetsOf } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { TreasuryApp } from '../app.ts'
import { DEPOSIT_MOVES } from '../deposit-rows/deposits.schema.ts'
import {
  carriedReferences,
  isFromPayer,
  isInTime,
  isPaidAs,
  openTransfersTo,
} from './own-transfers.ts'
import type { OpenTransfer, PayerClue } from './own-transfers.ts'
import { openArrivalsTo } from './expected-arrivals.ts'
import type { ExpectedArrival, OpenArrival } from './expected-arrivals.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'

const MAXIMUM_RIVALS = 50

export type PaidByVenue =
  | { pays: 'transfer'; withdrawal: OpenTransfer }
  | { pays: 'settlement'; arrival: ExpectedArrival }
  /** `reason`: what is not known, for the person who decides. */
  | { pays: 'unclear'; reason: string }

/** The payment for a settlement that carries the id of its part or settlement. */
export async function findNamedArrival(
  reader: Reader,
  deposit: DepositRow,
): Promise<ExpectedArrival | undefined> {
  const references = carriedReferences(deposit)
  if (references.length === 0) return undefined
  const open = await openArrivalsTo(reader, deposit)
  return (
    open.find((arrival) => references.includes(arrival.id)) ??
    open.find((arrival) => references.includes(arrival.settlement_id))
  )
}

export async function findPaidByVenue(
  app: TreasuryApp,
  deposit: DepositRow,
): Promise<PaidByVenue | undefined> {
  const kind = (await assetsOf(app.db, deposit.workspace)).get(deposit.asset)?.kind
  if (kind !== 'FIAT') return undefined
  const fitting: Fitting[] = [
    ...(await openTransfersTo(app.db, deposit)).map(fittingTransfer),
    ...(await openArrivalsTo(app.db, deposit)).map(fittingArrival),
  ].filter(({ isPaidBy }) => isPaidBy(deposit))
  const [first, ...others] = fitting
  if (first === undefined) return undefined
  const rivals = (await otherDeposits(app.db, deposit)).filter((rival) => first.isPaidBy(rival))
  if (others.length === 0 && rivals.length === 0) return first.paid
  const reason =
    others.length > 0
      ? `${fitting.length} transfers of this quantity from this payer have not arrived`
      : `${rivals.length + 1} deposits of this quantity from this payer fit one transfer`
  return { pays: 'unclear', reason }
}

type Fitting = { paid: PaidByVenue; isPaidBy(deposit: Wire): boolean }
type Wire = PayerClue & Pick<DepositRow, 'quantity'>

const fittingTransfer = (withdrawal: OpenTransfer): Fitting => ({
  paid: { pays: 'transfer', withdrawal },
  isPaidBy: (deposit) => isPaidAs(deposit, withdrawal),
})

const fittingArrival = (arrival: OpenArrival): Fitting => ({
  paid: { pays: 'settlement', arrival },
  isPaidBy: (deposit) => isOwedBy(deposit, arrival),
})

/** Whether the payer and the time fit; the quantity does. */
const isOwedBy = (deposit: PayerClue, { payers, expected_since }: OpenArrival): boolean =>
  isFromPayer(deposit, payers) && isInTime(deposit, expected_since)

/** Of the same quantity in the same wallet, and nobody's. */
async function otherDeposits(
  reader: Reader,
  { workspace, id, wallet_id, asset, quantity }: DepositRow,
): Promise<Wire[]> {
  return reader.query<Wire>(sql`
    select quantity, occurred_at, source_address
    from deposits
    where workspace = ${workspace}
      and wallet_id = ${wallet_id}
      and asset = ${asset}
      and quantity = ${quantity}::numeric
      and ${stateIn(DEPOSIT_MOVES, ['PENDING', 'PENDING_REVIEW', 'UNASSIGNED', 'REJECTED'])}
      and related_withdrawal_id is null
      and id <> ${id}
    order by id desc
    limit ${MAXIMUM_RIVALS}`)
}
