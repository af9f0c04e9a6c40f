/**
 * The chain over the security log and the rest of the audit trail. Its entries have no order of
 * their own: one may be written hours after what it tells of, by any process. So each waits in
 * `security_log_places`, which a trigger fills in the transaction of the entry, and gets its
 * sequence when it is chained. Those of one commit of the lane have one place together.
 */
import type { Clock } from '../core/clock.ts'
import { digestOf } from '../core/erased.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { addBatch, batchesIn, digestsOf, endOfChain, verifyChain } from '../store/chains.ts'
import type { Chain, ChainedLine } from '../store/chains.ts'
import { only } from '../store/db.ts'
import type { Db, Reader } from '../store/db.ts'
import { columnsOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { StoredEntry } from './security-log.schema.ts'

const PLACES_IN_A_BATCH = 500
/** Those of its last place may be more. */
const ENTRIES_IN_A_BATCH = 2_000

type PlacedEntry = StoredEntry & { sequence: number }

/**
 * What tells of a person is hashed by its digest, as it may have to be erased. Entries from before
 * the audit trail have no more than that.
 */
const lineOf = (entry: PlacedEntry): ChainedLine => ({
  sequence: entry.sequence,
  line: JSON.stringify([
    entry.sequence,
    entry.id,
    entry.kind,
    entry.occurred_at,
    entry.user_id,
    entry.actor,
    entry.session_id,
    entry.count,
    digestOf(entry.id, 'email', entry.email),
    digestOf(entry.id, 'address', entry.address),
    digestOf(entry.id, 'agent', entry.agent),
    digestsOf(entry.id, entry.details),
    ...(isOfBefore(entry) ? [] : [entry.operation, entry.request_id, entry.record_id]),
  ]),
})

const isOfBefore = ({ operation, request_id, record_id }: PlacedEntry): boolean =>
  operation === null && request_id === null && record_id === null

const SECURITY_CHAIN: Chain = {
  batches: batchesIn('security_log_batches'),
  name: 'the security log',
  async lines(reader, workspace, { after, upto, limit }) {
    const entries = await reader.query<PlacedEntry>(sql`
      select p.sequence, ${columnsOf(StoredEntry, { of: 's' })}
      from security_log_places p
      join security_log s on s.workspace = p.workspace
        and s.id >= p.id
        and s.id <= coalesce(p.last_id, p.id)
      where p.workspace = ${workspace}
        and p.sequence > ${after}
        and p.sequence <= ${upto}
      order by p.sequence, s.id
      limit ${limit ?? null}`)
    return entries.map(lineOf)
  },
}

/**
 * Chains the entries of every workspace that are not chained yet; answers how many batches it made.
 * Safe in several processes.
 */
export async function chainSecurityLog({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  let batches = 0
  const due = await db.query<{ workspace: WorkspaceId }>(sql`
    select distinct workspace
    from security_log_places
    where sequence is null`)
  for (const { workspace } of due) while (await chainSome(db, workspace, clock.now())) batches += 1
  return batches
}

async function chainSome(db: Db, workspace: WorkspaceId, now: number): Promise<boolean> {
  return db.tx(async (tx) => {
    // Another process that chains them waits here, and then finds them chained.
    const waiting = await tx.query<{ id: string; entries: number }>(sql`
      select id, entries
      from security_log_places
      where workspace = ${workspace}
        and sequence is null
      order by id
      limit ${PLACES_IN_A_BATCH}
      for update`)
    if (waiting.length === 0) return false
    const taken = waiting.slice(0, fitting(waiting))
    const end = await endOfChain(tx, SECURITY_CHAIN, workspace)
    await tx.query(sql`
      update security_log_places as p
      set sequence = ${end.sequence} + placed.place
      from unnest(${taken.map(({ id }) => id)}::uuid[]) with ordinality as placed (id, place)
      where p.workspace = ${workspace}
        and p.id = placed.id`)
    const range = { after: end.sequence, upto: end.sequence + taken.length }
    const lines = await SECURITY_CHAIN.lines(tx, workspace, range)
    if ((await addBatch(tx, SECURITY_CHAIN, { workspace, now, end }, lines)) === undefined)
      throw new Error('another process has chained entries of the security log meanwhile')
    return true
  })
}

/** How many of these places go into one batch. */
function fitting(places: readonly { entries: number }[]): number {
  let entries = 0
  const full = places.findIndex((place) => (entries += place.entries) >= ENTRIES_IN_A_BATCH)
  return full === -1 ? places.length : full + 1
}

/** Recomputes the chain from the entries; answers what is wrong. */
export async function verifySecurityLog(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<{ entries: number; faults: string[] }> {
  const faults: string[] = []
  const fault = (text: string): void => void faults.push(text)
  const { sequence: entries } = await verifyChain(reader, SECURITY_CHAIN, workspace, { fault })
  const found = only(
    await reader.query<{ outside: number; beyond: number }>(sql`
      select
        (
          select count(*)
          from security_log
          where workspace = ${workspace}
        ) - (
          select coalesce(sum(entries), 0)::bigint
          from security_log_places
          where workspace = ${workspace}
        ) as outside,
        (
          select count(*)
          from security_log_places
          where workspace = ${workspace}
            and sequence > coalesce(
              (
                select last_sequence
                from security_log_batches
                where workspace = ${workspace}
                order by batch_no desc
                limit 1
              ),
              0
            )
        ) as beyond`),
  )
  const outside = Math.abs(found?.outside ?? 0) + (found?.beyond ?? 0)
  if (outside > 0) fault(`${outside} entries of the security log stand outside its chain`)
  return { entries, faults }
}
