/**
 * Verifies a workspace's books from the rows alone: sequence gapless, every booking balanced, the
 * running balance on each leg and the balance rows equal to the fold of the legs, holds equal to
 * the held sums, and the hash chain whole.
 */
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { bookingsBetween } from '../bookings.ts'
import { chainHash, GENESIS_HASH } from '../lane/chain.ts'
import { balanceKey } from '../changes.ts'
import type { CommittedBooking } from '../changes.ts'
import { DEBIT_NORMAL, HOLD_MOVES } from '../ledger.schema.ts'
import type { AccountType } from '../ledger.schema.ts'

type Verification = {
  bookings: number
  batches: number
  last_hash: string
  faults: string[]
}

type Batch = {
  batch_no: number
  first_sequence: number
  last_sequence: number
  previous_hash: Buffer
  hash: Buffer
  committed_at: number
}

const BATCHES_AT_ONCE = 200
const BOOKINGS_AT_ONCE = 2000
const MAXIMUM_FAULTS = 100

export async function verifyBooks(reader: Reader, workspace: WorkspaceId): Promise<Verification> {
  const faults: string[] = []
  const fault = (text: string) => {
    if (faults.length < MAXIMUM_FAULTS) faults.push(text)
  }
  const types = new Map(
    (
      await reader.query<{ id: string; type: AccountType }>(
        sql`
          select id, type
          from accounts
          where workspace = ${workspace}`,
      )
    ).map((row) => [row.id, row.type]),
  )
  const totals = new Map<string, Decimal>()
  let sequence = 0
  let batch_no = 0
  let hash: Buffer = GENESIS_HASH

  for (;;) {
    const batches = await reader.query<Batch>(sql`
        select batch_no, first_sequence, last_sequence, previous_hash, hash, committed_at
        from batches
        where workspace = ${workspace}
          and batch_no > ${batch_no}
        order by batch_no
        limit ${BATCHES_AT_ONCE}`)
    if (batches.length === 0) break
    for (const group of groupsOf(batches)) {
      const rows = await bookingsBetween(
        reader,
        workspace,
        group[0].first_sequence,
        (group.at(-1) ?? group[0]).last_sequence,
      )
      for (const batch of group) {
        const bookings = rows.filter(
          (row) => row.sequence >= batch.first_sequence && row.sequence <= batch.last_sequence,
        )
        if (batch.batch_no !== batch_no + 1) fault(`batch ${batch_no + 1} is missing`)
        if (batch.first_sequence !== sequence + 1)
          fault(
            `batch ${batch.batch_no} starts at sequence ${batch.first_sequence}, expected ${sequence + 1}`,
          )
        if (!batch.previous_hash.equals(hash))
          fault(`batch ${batch.batch_no} does not follow the hash before it`)
        if (!chainHash(batch.previous_hash, bookings).equals(batch.hash))
          fault(
            `batch ${batch.batch_no} (bookings ${batch.first_sequence} to ${batch.last_sequence}) does not match its hash`,
          )
        for (const booking of bookings) {
          sequence += 1
          if (booking.sequence !== sequence) fault(`booking ${sequence} is missing`)
          sequence = booking.sequence
          if (booking.booked_at !== batch.committed_at)
            fault(`booking ${sequence} was booked at another time than its batch ${batch.batch_no}`)
          foldBooking(booking, types, totals, fault)
        }
        if (sequence !== batch.last_sequence)
          fault(`batch ${batch.batch_no} ends at ${sequence}, expected ${batch.last_sequence}`)
        hash = batch.hash
        batch_no = batch.batch_no
      }
    }
  }
  await checkLane(reader, workspace, { sequence, batch_no, hash }, fault)
  await checkBalances(reader, workspace, totals, fault)
  return { bookings: sequence, batches: batch_no, last_hash: hash.toString('hex'), faults }
}

type Group = [Batch, ...Batch[]]

/**
 * Batches that follow each other, so many that their bookings fit in memory with all their legs.
 */
function groupsOf(batches: readonly Batch[]): Group[] {
  const groups: Group[] = []
  let bookings = BOOKINGS_AT_ONCE
  for (const batch of batches) {
    const group = groups.at(-1)
    const size = batch.last_sequence - batch.first_sequence + 1
    if (group === undefined || bookings + size > BOOKINGS_AT_ONCE) {
      groups.push([batch])
      bookings = size
    } else {
      group.push(batch)
      bookings += size
    }
  }
  return groups
}

function foldBooking(
  booking: CommittedBooking,
  types: Map<string, AccountType>,
  totals: Map<string, Decimal>,
  fault: (text: string) => void,
): void {
  let difference = 0n
  for (const leg of booking.legs) {
    const type = types.get(leg.account_id)
    if (type === undefined) {
      fault(`booking ${booking.sequence} names account ${leg.account_id}, which does not exist`)
      continue
    }
    difference += leg.type === 'DEBIT' ? leg.quantity : -leg.quantity
    const key = balanceKey(leg.account_id, booking.asset)
    const total =
      (totals.get(key) ?? 0n) +
      ((leg.type === 'DEBIT') === DEBIT_NORMAL.has(type) ? leg.quantity : -leg.quantity)
    totals.set(key, total)
    if (total !== leg.balance_after)
      fault(
        `booking ${booking.sequence}: balance after on account ${leg.account_id} is ${format(leg.balance_after)}, the legs give ${format(total)}`,
      )
  }
  if (difference !== 0n || booking.legs.length < 2)
    fault(`booking ${booking.sequence} does not balance`)
}

async function checkLane(
  reader: Reader,
  workspace: WorkspaceId,
  seen: { sequence: number; batch_no: number; hash: Buffer },
  fault: (text: string) => void,
): Promise<void> {
  const [lane] = await reader.query<{
    booking_sequence: number
    batch_no: number
    last_hash: Buffer
  }>(sql`
    select booking_sequence, batch_no, last_hash
    from lanes
    where workspace = ${workspace}`)
  if (lane === undefined) return fault('the workspace has no books')
  if (
    lane.booking_sequence !== seen.sequence ||
    lane.batch_no !== seen.batch_no ||
    !lane.last_hash.equals(seen.hash)
  ) {
    fault(
      `the lane stands at booking ${lane.booking_sequence}, batch ${lane.batch_no}; the rows end at ${seen.sequence}, ${seen.batch_no}`,
    )
  }
  const [stray] = await reader.query<{ count: number }>(
    sql`
      select count(*) as count
      from bookings
      where workspace = ${workspace}
        and sequence > ${seen.sequence}`,
  )
  if ((stray?.count ?? 0) > 0) fault(`${stray?.count} bookings stand outside the chain`)
  const [loose] = await reader.query<{ count: number }>(
    sql`
      select count(*) as count
      from legs
      where workspace = ${workspace}
        and (booking_sequence > ${seen.sequence} or booking_sequence < 1)`,
  )
  if ((loose?.count ?? 0) > 0) fault(`${loose?.count} legs belong to no booking`)
}

async function checkBalances(
  reader: Reader,
  workspace: WorkspaceId,
  totals: Map<string, Decimal>,
  fault: (text: string) => void,
): Promise<void> {
  const rows = await reader.query<
    Record<
      | 'account_id'
      | 'asset'
      | 'total'
      | 'held_withdrawal'
      | 'held_trading'
      | 'unsettled'
      | 'open_withdrawal'
      | 'open_trading'
      | 'open_unsettled',
      string
    >
  >(sql`
    select b.account_id, b.asset, b.total, b.held_withdrawal, b.held_trading, b.unsettled,
      coalesce(
        sum(h.quantity - h.captured - h.released) filter (where h.kind = 'WITHDRAWAL'), 0
      ) as open_withdrawal,
      coalesce(
        sum(h.quantity - h.captured - h.released) filter (where h.kind = 'TRADING'), 0
      ) as open_trading,
      coalesce(
        sum(h.quantity - h.captured - h.released) filter (where h.kind = 'UNSETTLED'), 0
      ) as open_unsettled
    from balances b
    left join holds h on h.workspace = b.workspace
      and h.account_id = b.account_id
      and h.asset = b.asset
      and ${stateIn(HOLD_MOVES, 'OPEN', 'h.state')}
    where b.workspace = ${workspace}
    group by b.account_id, b.asset, b.total, b.held_withdrawal, b.held_trading, b.unsettled`)
  for (const row of rows) {
    const key = balanceKey(row.account_id, row.asset)
    const total = totals.get(key) ?? 0n
    totals.delete(key)
    if (total !== decimal(row.total))
      fault(
        `account ${row.account_id} ${row.asset}: balance ${row.total}, the legs give ${format(total)}`,
      )
    if (row.held_withdrawal !== row.open_withdrawal)
      fault(
        `account ${row.account_id} ${row.asset}: held for withdrawals ${row.held_withdrawal}, open holds ${row.open_withdrawal}`,
      )
    if (row.held_trading !== row.open_trading)
      fault(
        `account ${row.account_id} ${row.asset}: held for trading ${row.held_trading}, open holds ${row.open_trading}`,
      )
    if (row.unsettled !== row.open_unsettled)
      fault(
        `account ${row.account_id} ${row.asset}: unsettled ${row.unsettled}, open credits ${row.open_unsettled}`,
      )
  }
  for (const [key, total] of totals) {
    if (total !== 0n) fault(`account ${key}: no balance row, the legs give ${format(total)}`)
  }
}
