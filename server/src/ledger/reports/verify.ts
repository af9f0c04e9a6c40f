/**
 * Verifies a workspace's books from the rows alone: sequences of bookings and events gapless, every
 * booking balanced, the running balance on each leg and the balance rows equal to the fold of the
 * legs, holds equal to the held sums, and the chains of bookings and events whole.
 *
 * The books are walked in slices, each a few short statements, while the service goes on booking:
 * one snapshot held open for all of it would keep PostgreSQL from cleaning up behind the lane. Only
 * what was booked during the walk, and the balances, are read from one snapshot at the end.
 */
import type { WorkspaceId } from '../../core/ids.ts'
import type { Db, Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { bookingsBetween } from '../bookings.ts'
import type { CommittedBooking } from '../changes.ts'
import type { AccountType } from '../ledger.schema.ts'
import { verifyEventChain } from './event-chain.ts'
import { checkBalances, checkEvents, checkLane } from './verify-rows.ts'
import { Verifier } from './verifier.ts'
import type { Checkpoint, VerifiedBatch } from './verifier.ts'

type Verification = {
  bookings: number
  batches: number
  last_hash: string
  faults: string[]
  /** Where the next verification may go on; undefined where there are faults. */
  checkpoint: Checkpoint | undefined
}

type Verifying = {
  /** Where an earlier verification ended without faults: what lies before is not read again. */
  after?: Checkpoint | undefined
  /** Called now and then while there are no faults. */
  keep?(checkpoint: Checkpoint): Promise<void>
}

type VerifierDb = Pick<Db, 'query' | 'tx'>

/** Later batches hold no text itself, so none of them is sealed again. */
const SALTED_SINCE = '0400_erasure.sql'
const BATCHES_AT_ONCE = 2000
const BOOKINGS_AT_ONCE = 2000
/** Read while the ones before are checked. */
const SLICES_AHEAD = 3
const KEPT_BOOKINGS = 100_000

export async function verifyBooks(
  db: VerifierDb,
  workspace: WorkspaceId,
  { after, keep }: Verifying = {},
): Promise<Verification> {
  const verifier = new Verifier(after)
  if (after !== undefined) await checkAnchor(db, workspace, after, verifier)
  let kept = verifier.sequence
  for (;;) {
    const batches = await batchesAfter(db, workspace, verifier.batch_no)
    for await (const slice of slicesOf(db, workspace, batches, SLICES_AHEAD)) {
      await checkSlice(db, workspace, verifier, slice)
      if (keep === undefined || verifier.sequence < kept + KEPT_BOOKINGS) continue
      kept = verifier.sequence
      if (verifier.faults.length === 0) await keep(verifier.checkpoint())
    }
    if (batches.length < BATCHES_AT_ONCE) break
  }
  await checkEvents(db, workspace, verifier)
  const { event_chain: known, fault } = verifier
  verifier.event_chain = await verifyEventChain(db, workspace, { after: known, fault })
  await db.tx(async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read, read only`)
    await checkEnd(tx, workspace, verifier)
  })
  const { sequence, batch_no, hash, faults } = verifier
  return {
    bookings: sequence,
    batches: batch_no,
    last_hash: hash.toString('hex'),
    faults,
    checkpoint: faults.length === 0 ? verifier.checkpoint() : undefined,
  }
}

/** In one snapshot: what was booked during the walk, then what must agree with all of it. */
async function checkEnd(tx: Reader, workspace: WorkspaceId, verifier: Verifier): Promise<void> {
  for (;;) {
    const batches = await batchesAfter(tx, workspace, verifier.batch_no)
    for await (const slice of slicesOf(tx, workspace, batches, 1))
      await checkSlice(tx, workspace, verifier, slice)
    if (batches.length < BATCHES_AT_ONCE) break
  }
  await checkEvents(tx, workspace, verifier)
  await checkLane(tx, workspace, verifier)
  await checkBalances(tx, workspace, verifier)
}

/** Who rewrites the chain rewrites the hash that was verified before. */
async function checkAnchor(
  reader: Reader,
  workspace: WorkspaceId,
  { batch_no, hash }: Checkpoint,
  { fault }: Verifier,
): Promise<void> {
  if (batch_no === 0) return
  const [batch] = await reader.query<{ hash: Buffer }>(sql`
    select hash
    from batches
    where workspace = ${workspace}
      and batch_no = ${batch_no}`)
  const found = batch?.hash.toString('hex') ?? 'none'
  if (found !== hash)
    fault(`batch ${batch_no} was verified with hash ${hash}, and now has ${found}`)
}

function batchesAfter(
  reader: Reader,
  workspace: WorkspaceId,
  batch_no: number,
): Promise<VerifiedBatch[]> {
  return reader.query<VerifiedBatch>(sql`
    select b.batch_no, b.first_sequence, b.last_sequence, b.previous_hash, b.hash, b.committed_at,
      r.hash as resealed_hash
    from batches b
    left join lateral (
      select hash
      from resealed_batches
      where workspace = b.workspace
        and batch_no = b.batch_no
        and to_timestamp(b.committed_at / 1000.0) < (
          select applied_at
          from schema_migrations
          where name = ${SALTED_SINCE}
        )
      order by id desc
      limit 1
    ) r on true
    where b.workspace = ${workspace}
      and b.batch_no > ${batch_no}
    order by b.batch_no
    limit ${BATCHES_AT_ONCE}`)
}

type Group = [VerifiedBatch, ...VerifiedBatch[]]
type Slice = { batches: Group; bookings: CommittedBooking[] }

/** In their order, some read ahead. */
async function* slicesOf(
  reader: Reader,
  workspace: WorkspaceId,
  batches: readonly VerifiedBatch[],
  ahead: number,
): AsyncGenerator<Slice> {
  const read = async (group: Group): Promise<Slice> => {
    const { first_sequence } = group[0]
    const { last_sequence } = group.at(-1) ?? group[0]
    const bookings = await bookingsBetween(reader, workspace, first_sequence, last_sequence)
    return { batches: group, bookings }
  }
  const reading: Promise<Slice>[] = []
  for (const group of groupsOf(batches)) {
    const slice = read(group)
    // It is awaited in its turn. Until then, or when one before it fails, nobody looks at it.
    slice.catch(() => undefined)
    reading.push(slice)
    const first = reading.length < ahead ? undefined : reading.shift()
    if (first !== undefined) yield first
  }
  for (const slice of reading) yield slice
}

/**
 * Batches that follow each other, so many that their bookings fit in memory with all their legs.
 */
function groupsOf(batches: readonly VerifiedBatch[]): Group[] {
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

async function checkSlice(
  reader: Reader,
  workspace: WorkspaceId,
  verifier: Verifier,
  { batches, bookings }: Slice,
): Promise<void> {
  await learnAccounts(reader, workspace, verifier, bookings)
  let next = 0
  for (const batch of batches) {
    const isBefore = (sequence: number) => (bookings[next]?.sequence ?? Infinity) < sequence
    while (isBefore(batch.first_sequence)) next += 1
    const first = next
    while (isBefore(batch.last_sequence + 1)) next += 1
    verifier.checkBatch(batch, bookings.slice(first, next))
  }
}

/** Accounts are opened during the walk too. */
async function learnAccounts(
  reader: Reader,
  workspace: WorkspaceId,
  { types }: Verifier,
  bookings: readonly CommittedBooking[],
): Promise<void> {
  const unknown = new Set<string>()
  for (const { legs } of bookings)
    for (const { account_id } of legs) if (!types.has(account_id)) unknown.add(account_id)
  if (unknown.size === 0) return
  const rows = await reader.query<{ id: string; type: AccountType }>(sql`
    select id, type
    from accounts
    where workspace = ${workspace}
      and id = any(${[...unknown]}::uuid[])`)
  for (const { id, type } of rows) types.set(id, type)
}
