/**
 * Takes the texts of customers out of what never changes otherwise: descriptions of bookings, and
 * fields of events. All else of them stays, and the chains of hashes still verify: they hold
 * digests of the texts. Batches of bookings of before hold the text itself, so they are sealed
 * again, once they have proved to be what they were.
 */
import { assert } from '../../core/assert.ts'
import { erasedValue } from '../../core/erased.ts'
import { newId } from '../../core/ids.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { storableJson } from '../../core/storable.ts'
import { closed, id, time, Type } from '../../http/index.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { insertRow, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { bookingsBetween } from '../bookings.ts'
import { chainHash } from '../lane/chain.ts'

const RESEALED = tableOf(
  'resealed_batches',
  closed({
    workspace: id<WorkspaceId>(),
    batch_no: Type.Integer(),
    id: id(),
    hash: Type.Unsafe<Buffer>({ 'x-column': 'bytea' }),
    resealed_at: time(),
  }),
)

const LEGS_AT_ONCE = 1_000
const EVENTS_AT_ONCE = 500

type Described = { sequence: number; batch_no: number; salted: boolean }

/**
 * Of the next bookings of the account. What another customer, who is not erased, has part in keeps
 * its text. Answers from where to go on; undefined at the end. To be called by one at a time in a
 * workspace.
 */
export async function eraseDescriptions(
  tx: Tx,
  workspace: WorkspaceId,
  { account_id, after, now }: { account_id: AccountId; after: number; now: number },
): Promise<number | undefined> {
  const legs = await tx.query<{ booking_sequence: number }>(sql`
    select booking_sequence
    from legs
    where workspace = ${workspace}
      and account_id = ${account_id}
      and booking_sequence > ${after}
    order by booking_sequence
    limit ${LEGS_AT_ONCE}`)
  const found = await erasable(
    tx,
    workspace,
    legs.map(({ booking_sequence }) => booking_sequence),
  )
  const batches = found.filter(({ salted }) => !salted).map(({ batch_no }) => batch_no)
  const unsalted = [...new Set(batches)]
  for (const batch_no of unsalted) {
    const { proved } = await hashesOf(tx, workspace, batch_no)
    assert(proved, `batch ${batch_no} does not match its hash: see npm run verify`)
  }
  await tx.query(sql`
    update bookings
    set description = null
    where workspace = ${workspace}
      and sequence = any(${found.map(({ sequence }) => sequence)}::bigint[])`)
  for (const batch_no of unsalted) {
    const { hash } = await hashesOf(tx, workspace, batch_no)
    const row = { workspace, batch_no, id: newId(now), hash, resealed_at: now }
    await tx.query(insertRow(RESEALED, row, { by: null, now }))
  }
  return legs.length < LEGS_AT_ONCE ? undefined : legs.at(-1)?.booking_sequence
}

function erasable(
  reader: Reader,
  workspace: WorkspaceId,
  sequences: readonly number[],
): Promise<Described[]> {
  return reader.query<Described>(sql`
    select b.sequence, b.batch_no, b.description_salt is not null as salted
    from bookings b
    where b.workspace = ${workspace}
      and b.sequence = any(${sequences}::bigint[])
      and b.description is not null
      and not exists (
        select 1
        from legs l
        join customers c on c.workspace = l.workspace
          and c.account_id = l.account_id
        where l.workspace = b.workspace
          and l.booking_sequence = b.sequence
          and c.erased_at is null
      )
    order by b.sequence`)
}

/** What the bookings of a batch give, and whether that is what it was sealed with last. */
async function hashesOf(
  reader: Reader,
  workspace: WorkspaceId,
  batch_no: number,
): Promise<{ hash: Buffer; proved: boolean }> {
  const [batch] = await reader.query<{
    first_sequence: number
    last_sequence: number
    previous_hash: Buffer
    sealed_hash: Buffer
  }>(sql`
    select b.first_sequence, b.last_sequence, b.previous_hash,
      coalesce(
        (
          select r.hash
          from resealed_batches r
          where r.workspace = b.workspace
            and r.batch_no = b.batch_no
          order by r.id desc
          limit 1
        ),
        b.hash
      ) as sealed_hash
    from batches b
    where b.workspace = ${workspace}
      and b.batch_no = ${batch_no}`)
  assert(batch !== undefined, `batch ${batch_no} exists`)
  const { first_sequence, last_sequence, previous_hash, sealed_hash } = batch
  const bookings = await bookingsBetween(reader, workspace, first_sequence, last_sequence)
  const hash = chainHash(previous_hash, bookings)
  return { hash, proved: hash.equals(sealed_hash) }
}

/**
 * Takes the texts out of the next events of these records. Answers from where to go on; undefined
 * at the end.
 */
export async function eraseEvents(
  tx: Tx,
  workspace: WorkspaceId,
  { resource_ids, after }: { resource_ids: readonly string[]; after: number },
): Promise<number | undefined> {
  const events = await tx.query<StoredEvent>(sql`
    select sequence, id, data, event_texts(type) as texts
    from events
    where workspace = ${workspace}
      and resource_id = any(${resource_ids}::uuid[])
      and sequence > ${after}
    order by sequence
    limit ${EVENTS_AT_ONCE}`)
  const changed = events.filter(({ data, texts }) => texts.some((name) => isText(data[name])))
  await tx.query(sql`
    update events e
    set data = u.data::jsonb
    from unnest(
      ${changed.map(({ sequence }) => sequence)}::bigint[],
      ${changed.map((event) => storableJson(withoutTexts(event)))}::text[]
    ) as u (sequence, data)
    where e.workspace = ${workspace}
      and e.sequence = any(${changed.map(({ sequence }) => sequence)}::bigint[])
      and e.sequence = u.sequence`)
  return events.length < EVENTS_AT_ONCE ? undefined : events.at(-1)?.sequence
}

type StoredEvent = { sequence: number; id: string; data: Record<string, Json>; texts: string[] }

const isText = (value: Json | undefined): value is Json =>
  (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null)

function withoutTexts({ id: event_id, data, texts }: StoredEvent): Record<string, Json> {
  const erased = Object.entries(data)
    .filter(([name, value]) => texts.includes(name) && isText(value))
    .map(([name, value]) => [name, erasedValue(event_id, name, value)])
  return { ...data, ...Object.fromEntries(erased) }
}
