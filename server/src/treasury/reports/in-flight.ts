/**
 * For reconciliation: what a venue and the books may rightly see differently for a while, and which
 * recent movement a difference may come from.
 */
import { ARRIVAL_MOVES } from '../deposits/expected-arrivals.ts'
import { stateIn } from '../../store/states.ts'
import { DEPOSIT_MOVES, FINAL_STATES } from '../deposit-rows/deposits.schema.ts'
import type { DepositState } from '../deposit-rows/deposits.schema.ts'
import { absolute, decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import { venueAccounts } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { LIVE_STATES, WITHDRAWAL_MOVES } from '../withdrawals/withdrawals.schema.ts'

/**
 * A movement that the venue's total may contain already and the books do not: by nothing, or
 * between `low` and `high`. `wallet` is the one inside the venue, null where the venue does not
 * say.
 */
export type InFlightMovement = {
  resource: 'withdrawal' | 'deposit' | 'settlement'
  id: string
  asset: string
  state: string
  low: Decimal
  high: Decimal
  wallet: string | null
}

/** More than these at one venue are not looked at one by one. */
export const MAXIMUM_IN_FLIGHT = 1_000

/**
 * What a venue may have paid us already for a settlement, sent withdrawals (with up to twice the
 * expected fee), and deposits that are not booked yet. One more than the maximum of any says that
 * there are more.
 */
export async function inFlightAt(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<InFlightMovement[]> {
  return [
    ...(await settlementsAt(reader, workspace, venue_id)),
    ...(await withdrawalsAt(reader, workspace, venue_id)),
    ...(await depositsAt(reader, workspace, venue_id)),
  ]
}

/** By which ways withdrawals are under way at a venue, also those that are not sent yet. */
export const waysInFlight = (
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<{ asset: string; protocol: string; withdrawals: number }[]> =>
  reader.query(sql`
    select asset, protocol, count(*)::integer as withdrawals
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and ${stateIn(WITHDRAWAL_MOVES, LIVE_STATES)}
    group by asset, protocol
    order by asset, protocol`)

type Amount = { id: string; state: string; asset: string; quantity: string }

async function settlementsAt(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<InFlightMovement[]> {
  const accounts = Object.values(await venueAccounts(reader, workspace, venue_id))
  const arrivals = await reader.query<Amount>(sql`
    select settlement_id as id, state, asset, quantity
    from expected_arrivals
    where workspace = ${workspace}
      and ${stateIn(ARRIVAL_MOVES, 'EXPECTED')}
      and counter_account_id = any(${accounts}::uuid[])
    order by id
    limit ${MAXIMUM_IN_FLIGHT + 1}`)
  return arrivals.map(({ quantity, ...arrival }) => ({
    ...arrival,
    resource: 'settlement',
    low: -decimal(quantity),
    high: -decimal(quantity),
    wallet: null,
  }))
}

async function withdrawalsAt(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<InFlightMovement[]> {
  const rows = await reader.query<
    Amount & { fee: string | null; fee_asset: string | null; wallet: string | null }
  >(sql`
    select id, state, asset, quantity, source_wallet as wallet,
      coalesce(fee, fee_estimate) as fee, fee_asset
    from withdrawals
    where workspace = ${workspace}
      and state = any(${[...LIVE_STATES]})
      and venue_id = ${venue_id}
      and (submitted_at is not null or origin = 'EXTERNAL')
    order by id
    limit ${MAXIMUM_IN_FLIGHT + 1}`)
  return rows.flatMap(({ id, state, asset, wallet, fee_asset, ...row }) => {
    const quantity = decimal(row.quantity)
    const fee = decimal(row.fee ?? '0') * 2n
    const common = { resource: 'withdrawal' as const, id, state, wallet }
    const sent = (low: Decimal) => ({ ...common, asset, low, high: -quantity })
    if (fee_asset === null || fee_asset === asset || fee <= 0n) return [sent(-quantity - fee)]
    return [sent(-quantity), { ...common, asset: fee_asset, low: -fee, high: 0n }]
  })
}

async function depositsAt(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<InFlightMovement[]> {
  const deposits = await reader.query<Amount & { wallet: string | null }>(sql`
    select id, state, asset, quantity, venue_wallet as wallet
    from deposits
    where workspace = ${workspace}
      and ${stateIn(DEPOSIT_MOVES, ['PENDING', 'PENDING_REVIEW'])}
      and venue_id = ${venue_id}
    order by id
    limit ${MAXIMUM_IN_FLIGHT + 1}`)
  return deposits.map(({ quantity, ...deposit }) => ({
    ...deposit,
    resource: 'deposit',
    low: decimal(quantity),
    high: decimal(quantity),
  }))
}

type LikelyCause = { cause: 'FEE' | 'UNMATCHED'; resource_id: string; explanation: string }

/** What the venue holds less the books; of one wallet inside the venue, or (null) of any. */
type Difference = {
  workspace: WorkspaceId
  venue_id: VenueId
  wallet: string | null
  asset: string
  difference: Decimal
}

const RECENT_MILLISECONDS = 7 * 86_400_000
const MAXIMUM_EXAMINED = 500

/** A recent movement whose fee or quantity is just this difference. */
export async function likelyCauseOf(
  reader: Reader,
  difference: Difference,
  now: number,
): Promise<LikelyCause | undefined> {
  for (const row of await endedWithdrawals(reader, difference, now)) {
    const cause = row.state === 'SUCCESS' ? feeCause(row, difference) : leftCause(row, difference)
    if (cause !== undefined) return cause
  }
  return endedDepositCause(reader, difference)
}

type EndedWithdrawal = Amount & {
  fee: string | null
  fee_estimate: string | null
  fee_asset: string | null
}

function endedWithdrawals(
  reader: Reader,
  { workspace, venue_id, wallet }: Difference,
  now: number,
): Promise<EndedWithdrawal[]> {
  return reader.query<EndedWithdrawal>(sql`
    select id, state, asset, quantity, fee, fee_estimate, fee_asset
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and submitted_at >= ${now - RECENT_MILLISECONDS}
      and ${stateIn(WITHDRAWAL_MOVES, ['SUCCESS', 'FAILED', 'REJECTED', 'CANCELED'])}
      and (${wallet}::text is null or source_wallet is null or source_wallet = ${wallet})
    order by submitted_at desc
    limit ${MAXIMUM_EXAMINED}`)
}

/** The fee, its estimate, or what they differ by. */
function feeCause(row: EndedWithdrawal, difference: Difference): LikelyCause | undefined {
  if ((row.fee_asset ?? row.asset) !== difference.asset) return undefined
  const fee = decimal(row.fee ?? '0')
  const estimate = decimal(row.fee_estimate ?? '0')
  const sizes = [fee, estimate, absolute(fee - estimate)]
  if (!sizes.includes(absolute(difference.difference))) return undefined
  return {
    cause: 'FEE',
    resource_id: row.id,
    explanation:
      `the size of the fee of withdrawal ${row.id}: ` +
      `${row.fee ?? 'none'} booked, ${row.fee_estimate ?? 'none'} expected`,
  }
}

/** It has ended without leaving here, and left at the venue. */
function leftCause(
  row: EndedWithdrawal,
  { asset, difference }: Difference,
): LikelyCause | undefined {
  const { id, state } = row
  const quantity = decimal(row.quantity)
  const withFee = quantity + decimal(row.fee_estimate ?? '0')
  if (row.asset !== asset || (-difference !== quantity && -difference !== withFee)) return undefined
  return {
    cause: 'UNMATCHED',
    resource_id: id,
    explanation: `the size of withdrawal ${id}, which ended ${state} but seems to have left`,
  }
}

async function endedDepositCause(
  reader: Reader,
  difference: Difference,
): Promise<LikelyCause | undefined> {
  const deposit = await depositOfSize(reader, difference, ['FAILED', 'REVERSED'])
  return deposit === undefined
    ? undefined
    : sizeOfDeposit(deposit, `which is ${deposit.state} here`)
}

/**
 * A recent deposit of this size that is booked. The venue may have taken it back without a word, or
 * may have it twice.
 */
export async function bookedDepositCause(
  reader: Reader,
  difference: Difference,
): Promise<LikelyCause | undefined> {
  const deposit = await depositOfSize(reader, difference, FINAL_STATES)
  return deposit === undefined
    ? undefined
    : sizeOfDeposit(
        deposit,
        difference.difference < 0n
          ? 'which is booked here, and which the venue may have taken back'
          : 'which is booked here once, and which the venue may have twice',
      )
}

const sizeOfDeposit = ({ id }: { id: string }, how: string): LikelyCause => ({
  cause: 'UNMATCHED',
  resource_id: id,
  explanation: `the size of deposit ${id}, ${how}`,
})

/** The latest of them. */
async function depositOfSize(
  reader: Reader,
  { workspace, venue_id, wallet, asset, difference }: Difference,
  states: readonly DepositState[],
): Promise<{ id: string; state: string } | undefined> {
  const [deposit] = await reader.query<{ id: string; state: string }>(sql`
    select id, state
    from (
      select id, state, asset, quantity, venue_id, venue_wallet
      from deposits
      where workspace = ${workspace}
        and ${stateIn(DEPOSIT_MOVES, states)}
      order by id desc
      limit ${MAXIMUM_EXAMINED}
    ) as late
    where venue_id = ${venue_id}
      and asset = ${asset}
      and quantity = ${format(absolute(difference))}::numeric
      and (${wallet}::text is null or venue_wallet is null or venue_wallet = ${wallet})
    order by id desc
    limit 1`)
  return deposit
}
