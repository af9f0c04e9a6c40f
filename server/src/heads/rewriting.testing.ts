/** What the owner of the tables does after a row was rewritten: all hashes after it, once more. */
import { chainSecurityLog } from '../access/index.ts'
import { bookingsBetween } from '../ledger/bookings.ts'
import { chainEvents } from '../ledger/index.ts'
import { chainHash } from '../ledger/lane/chain.ts'
import { sql } from '../store/sql.ts'
import type { HeadsWorld, OwnersWork } from './heads.testing.ts'

/** The chain of bookings again, batch by batch, from the rows as they are now. */
export async function rehashBookings({ workspace }: HeadsWorld, owner: OwnersWork): Promise<void> {
  const batches = await owner.query<{ no: number; first: number; last: number }>(sql`
    select batch_no as no, first_sequence as first, last_sequence as last
    from batches
    where workspace = ${workspace}
    order by batch_no`)
  let hash = Buffer.alloc(32)
  for (const { no, first, last } of batches) {
    const previous = hash
    const bookings = await bookingsBetween(owner, workspace, first, last)
    hash = Buffer.from(chainHash(previous, bookings))
    await owner.query(sql`
      update batches
      set previous_hash = ${previous}, hash = ${hash}
      where workspace = ${workspace} and batch_no = ${no}`)
  }
  await owner.query(sql`
    update lanes
    set last_hash = ${hash}
    where workspace = ${workspace}`)
}

/** The same of the events, with the same batches as before. */
export async function rehashEvents(
  { workspace, clock }: HeadsWorld,
  owner: OwnersWork,
): Promise<void> {
  const [lane] = await owner.query<{ last: number }>(sql`
    select event_sequence as last
    from lanes
    where workspace = ${workspace}`)
  const batches = await owner.query<{ last: number }>(sql`
    delete from event_batches
    where workspace = ${workspace}
    returning last_sequence as last`)
  const standAt = (last: number) =>
    owner.query(sql`
      update lanes
      set event_sequence = ${last}
      where workspace = ${workspace}`)
  for (const { last } of batches) {
    await standAt(last)
    await chainEvents({ db: owner as never, clock })
  }
  await standAt(lane?.last ?? 0)
}

/** The same of the security log. */
export async function rehashLog(
  { workspace, clock }: HeadsWorld,
  owner: OwnersWork,
): Promise<void> {
  const places = await owner.query<{ id: string; sequence: number }>(sql`
    delete from security_log_places
    where workspace = ${workspace}
    returning id, sequence`)
  const batches = await owner.query<{ last: number }>(sql`
    delete from security_log_batches
    where workspace = ${workspace}
    returning last_sequence as last`)
  let first = 0
  for (const { last } of batches) {
    const ids = places.filter(({ sequence }) => sequence > first && sequence <= last)
    await owner.query(sql`
      insert into security_log_places (workspace, id)
      select ${workspace}, *
      from unnest(${ids.map(({ id }) => id)}::uuid[])`)
    await chainSecurityLog({ db: owner as never, clock })
    first = last
  }
}
