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
  const verifier = new Verifier(await accountTypes(reader, workspace))
  for (;;) {
    const batches = await batchesAfter(reader, workspace, verifier.batch_no)
    if (batches.length === 0) break
    for (const group of groupsOf(batches)) {
      const [first, last] = [group[0], group.at(-1) ?? group[0]]
      const rows = await bookingsBetween(
        reader,
        workspace,
        first.first_sequence,
        last.last_sequence,
      )
      for (const batch of group)
        verifier.checkBatch(
          batch,
          rows.filter(({ sequence }) => isWithin(batch, sequence)),
        )
    }
  }
  const { sequence, batch_no, hash, totals, faults, fault } = verifier
  await checkLane(reader, workspace, { sequence, batch_no, hash }, fault)
  await checkBalances(reader, workspace, totals, fault)
  return { bookings: sequence, batches: batch_no, last_hash: hash.toString('hex'), faults }
}

async function accountTypes(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<Map<string, AccountType>> {
  const rows = await reader.query<{ id: string; type: AccountType }>(
    sql`
      select id, type
      from accounts
      where workspace = ${workspace}`,
  )
  return new Map(rows.map(({ id, type }) => [id, type]))
}

function batchesAfter(reader: Reader, workspace: WorkspaceId, batch_no: number): Promise<Batch[]> {
  return reader.query<Batch>(sql`
    select batch_no, first_sequence, last_sequence, previous_hash, hash, committed_at
    from batches
    where workspace = ${workspace}
      and batch_no > ${batch_no}
    order by batch_no
    limit ${BATCHES_AT_ONCE}`)
}

const isWithin = ({ first_sequence, last_sequence }: Batch, sequence: number) =>
  sequence >= first_sequence && sequence <= last_sequence

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

/** Walks the bookings in their sequence and remembers how far they were right. */
class Verifier {
  /** The last booking, batch and hash that were looked at. */
  sequence = 0
  batch_no = 0
  hash: Buffer = GENESIS_HASH
  /** What the legs so far give, by account and asset. */
  readonly totals = new Map<string, Decimal>()
  readonly faults: string[] = []
  readonly #types: ReadonlyMap<string, AccountType>

  constructor(types: ReadonlyMap<string, AccountType>) {
    this.#types = types
  }

  readonly fault = (text: string): void => {
    if (this.faults.length < MAXIMUM_FAULTS) this.faults.push(text)
  }

  checkBatch(batch: Batch, bookings: readonly CommittedBooking[]): void {
    this.#checkPlace(batch)
    if (!chainHash(batch.previous_hash, bookings).equals(batch.hash))
      this.fault(
        `batch ${batch.batch_no} (bookings ${batch.first_sequence} to ` +
          `${batch.last_sequence}) does not match its hash`,
      )
    for (const booking of bookings) this.#checkBooking(batch, booking)
    if (this.sequence !== batch.last_sequence)
      this.fault(
        `batch ${batch.batch_no} ends at ${this.sequence}, expected ${batch.last_sequence}`,
      )
    this.hash = batch.hash
    this.batch_no = batch.batch_no
  }

  #checkPlace({ batch_no, first_sequence, previous_hash }: Batch): void {
    if (batch_no !== this.batch_no + 1) this.fault(`batch ${this.batch_no + 1} is missing`)
    if (first_sequence !== this.sequence + 1)
      this.fault(
        `batch ${batch_no} starts at sequence ${first_sequence}, expected ${this.sequence + 1}`,
      )
    if (!previous_hash.equals(this.hash))
      this.fault(`batch ${batch_no} does not follow the hash before it`)
  }

  #checkBooking(batch: Batch, booking: CommittedBooking): void {
    const expected = this.sequence + 1
    if (booking.sequence !== expected) this.fault(`booking ${expected} is missing`)
    this.sequence = booking.sequence
    if (booking.booked_at !== batch.committed_at)
      this.fault(
        `booking ${booking.sequence} was booked at another time than its batch ${batch.batch_no}`,
      )
    this.#addLegs(booking)
  }

  #addLegs({ sequence, asset, legs }: CommittedBooking): void {
    let difference = 0n
    for (const { account_id, type, quantity, balance_after } of legs) {
      const account = this.#types.get(account_id)
      if (account === undefined) {
        this.fault(`booking ${sequence} names account ${account_id}, which does not exist`)
        continue
      }
      difference += type === 'DEBIT' ? quantity : -quantity
      const raises = (type === 'DEBIT') === DEBIT_NORMAL.has(account)
      const key = balanceKey(account_id, asset)
      const total = (this.totals.get(key) ?? 0n) + (raises ? quantity : -quantity)
      this.totals.set(key, total)
      if (total !== balance_after)
        this.fault(
          `booking ${sequence}: balance after on account ${account_id} is ` +
            `${format(balance_after)}, the legs give ${format(total)}`,
        )
    }
    if (difference !== 0n || legs.length < 2) this.fault(`booking ${sequence} does not balance`)
  }
}

async function checkLane(
  reader: Reader,
  workspace: WorkspaceId,
  end: { sequence: number; batch_no: number; hash: Buffer },
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
    lane.booking_sequence !== end.sequence ||
    lane.batch_no !== end.batch_no ||
    !lane.last_hash.equals(end.hash)
  ) {
    fault(
      `the lane stands at booking ${lane.booking_sequence}, batch ${lane.batch_no}; ` +
        `the rows end at ${end.sequence}, ${end.batch_no}`,
    )
  }
  const [stray] = await reader.query<{ count: number }>(
    sql`
      select count(*) as count
      from bookings
      where workspace = ${workspace}
        and sequence > ${end.sequence}`,
  )
  if ((stray?.count ?? 0) > 0) fault(`${stray?.count} bookings stand outside the chain`)
  const [loose] = await reader.query<{ count: number }>(
    sql`
      select count(*) as count
      from legs
      where workspace = ${workspace}
        and (booking_sequence > ${end.sequence} or booking_sequence < 1)`,
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
    const of = `account ${row.account_id} ${row.asset}`
    if (total !== decimal(row.total))
      fault(`${of}: balance ${row.total}, the legs give ${format(total)}`)
    if (row.held_withdrawal !== row.open_withdrawal)
      fault(`${of}: held for withdrawals ${row.held_withdrawal}, open holds ${row.open_withdrawal}`)
    if (row.held_trading !== row.open_trading)
      fault(`${of}: held for trading ${row.held_trading}, open holds ${row.open_trading}`)
    if (row.unsettled !== row.open_unsettled)
      fault(`${of}: unsettled ${row.unsettled}, open credits ${row.open_unsettled}`)
  }
  for (const [key, total] of totals) {
    if (total !== 0n) fault(`account ${key}: no balance row, the legs give ${format(total)}`)
  }
}
