/**
 * Heads: where the chains of a workspace end on a day, signed with a key that the database does not
 * have. Each names the one before it. Whoever keeps them elsewhere finds out when the owner of the
 * tables has rewritten what a head covers, also with all hashes recomputed.
 */
import { createHash } from 'node:crypto'
import { chainSecurityLog } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import { dayAt } from '../core/days.ts'
import { NO_WORKSPACE } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { chainEvents } from '../ledger/index.ts'
import { CHAIN_START } from '../store/chains.ts'
import { only } from '../store/db.ts'
import type { Db, Reader } from '../store/db.ts'
import { insertRow, tableOf } from '../store/rows.ts'
import { raw, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { deliveriesOf } from './deliveries.ts'
import { HEAD_FORMAT, SignedHead } from './heads.schema.ts'
import type { Head } from './heads.schema.ts'
import { fingerprintOf } from './keys.ts'
import type { HeadKey } from './keys.ts'

const HEADS = tableOf('heads', SignedHead, { computed: ['deliveries'] })

type HeadsApp = { db: Db; clock: Clock }

/** `2026-11-24`, UTC. */

export const hashOf = (signed: string): string => createHash('sha256').update(signed).digest('hex')

type DueHead = { workspace: WorkspaceId; last: string | null; last_hash: string | null }

/**
 * Makes the head of today for every workspace that has none yet; answers how many it made. A day on
 * which nothing runs has none. A workspace whose head cannot be made stops no other; then it throws
 * at the end. Safe in several processes.
 */
export async function makeHeads(
  app: HeadsApp,
  key: HeadKey,
  recipients: readonly string[],
): Promise<number> {
  const now = app.clock.now()
  const day = dayAt(now)
  const due = await headsDue(app.db, day)
  if (due.length === 0) return 0
  await chainEvents(app)
  await chainSecurityLog(app)
  let made = 0
  const failures: unknown[] = []
  for (const { workspace, last, last_hash } of due)
    try {
      const before = last === null ? undefined : (JSON.parse(last) as Head)
      if (before !== undefined) assertFollows(key, before)
      const head: Head = {
        format: HEAD_FORMAT,
        workspace,
        number: (before?.number ?? 0) + 1,
        day,
        made_at: now,
        ...(await endsOf(app.db, workspace)),
        previous: before === undefined ? null : { day: before.day, hash: last_hash ?? '' },
        public_key: key.publicKey,
      }
      if (await storeHead(app, key, head, recipients)) made += 1
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 0) throw failures[0]
  return made
}

/** The installation itself has a part of the security log where there are several workspaces. */
const headsDue = (reader: Reader, day: string): Promise<DueHead[]> =>
  reader.query<DueHead>(sql`
    select w.id as workspace, h.signed as last, h.hash as last_hash
    from (
      select id
      from workspaces
      union all
      select ${NO_WORKSPACE}::uuid
      where exists (select from security_log_places where workspace = ${NO_WORKSPACE})
    ) w
    left join lateral (
      select day, signed, hash
      from heads
      where workspace = w.id
      order by number desc
      limit 1
    ) h on true
    where h.day is null or h.day < ${day}
    order by w.id`)

function assertFollows({ known, publicKey }: HeadKey, { public_key, day }: Head): void {
  if (known.has(public_key)) return
  throw new Error(
    `the head of ${day} was signed with the key ${fingerprintOf(public_key)}, and this process ` +
      `has ${fingerprintOf(publicKey)}: docs/operations.md, Signed heads, says what to do`,
  )
}

/** Where the chains end, as of one moment. */
async function endsOf(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<Pick<Head, 'bookings' | 'events' | 'security_log'>> {
  const end = (table: string, hash: Query) => sql`
    (
      select jsonb_build_object('batch_no', batch_no, 'sequence', last_sequence, 'hash', ${hash})
      from ${raw(table)}
      where workspace = ${workspace}
      order by batch_no desc
      limit 1
    )`
  const row = only(
    await reader.query<Record<'bookings' | 'events' | 'security_log', Head['events'] | null>>(sql`
      select ${end('batches', sql`encode(hash, 'hex')`)} as bookings,
        ${end('event_batches', sql`hash`)} as events,
        ${end('security_log_batches', sql`hash`)} as security_log`),
  )
  const inOrder = (found: Head['events'] | null | undefined): Head['events'] => {
    const { batch_no, sequence, hash } = found ?? CHAIN_START
    return { batch_no, sequence, hash }
  }
  return {
    bookings: inOrder(row?.bookings),
    events: inOrder(row?.events),
    security_log: inOrder(row?.security_log),
  }
}

/** Together with where it is to go. False when another process has made it. */
async function storeHead(
  { db }: HeadsApp,
  key: HeadKey,
  head: Head,
  recipients: readonly string[],
): Promise<boolean> {
  const { workspace, number, day, made_at } = head
  const signed = JSON.stringify(head)
  const hash = hashOf(signed)
  const row = { workspace, number, day, made_at, signed, signature: key.sign(signed), hash }
  return db.tx(async (tx) => {
    const stored = await tx.query(sql`
      ${insertRow(HEADS, row, { by: null, now: made_at })}
      on conflict do nothing
      returning 1`)
    if (stored.length === 0) return false
    await tx.query(deliveriesOf(row, recipients))
    return true
  })
}
