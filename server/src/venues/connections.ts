/**
 * The connection of a venue: where it lies, whose account it is there, and by which secrets it is
 * spoken to. Its digest is stored with whatever is sent over it. It is made with a key from the
 * operator's file: the database tells nothing of the secrets.
 */
import { createHmac } from 'node:crypto'
import { mustExist } from '../core/assert.ts'
import { ApiError, refuse } from '../core/errors.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import { canonicalJson } from '../core/json.ts'
import { only } from '../store/db.ts'
import type { Db, Reader, Tx } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { stateNotIn } from '../store/states.ts'
import type { WrappingKey } from '../store/wrapping-key.ts'
import type { VenueKind } from './contract.ts'
import { accountAtBank, apiOf } from './same-account.ts'
import type { Connection } from './same-connection.ts'
import type { AdapterConfig, SeenConnection } from './secrets.ts'
import { placeOfVenue } from './targets.ts'
import { VENUE_MOVES } from './venues.schema.ts'
import type { VenueRecord } from './venues.schema.ts'

/** Whose account it is, and by which folders its files come and go. */
const ACCOUNT = [
  'iban',
  'account_number',
  'bic',
  'aba',
  'account_id',
  'currency',
  'outbox_dir',
  'inbox_dir',
  'sftp_user',
  'sftp_outbox_dir',
  'sftp_inbox_dir',
] as const
/** With it a venue signs what it sends us: it opens nothing. */
const OF_THE_VENUE = 'webhook_public_key_pem'

type Place = { kind: VenueKind; options: AdapterConfig['options'] }

type Parts = { db: Db; wrapping: WrappingKey | undefined; now: () => number }

/**
 * Notes by which connection the venue is reached from now on. Throws 2003 while another venue of
 * the workspace has the same account or key: what one account reports would be booked twice.
 */
export const connectionsOf =
  ({ db, wrapping, now }: Parts) =>
  async (
    venue: VenueRecord,
    config: AdapterConfig,
    secrets: Record<string, string>,
  ): Promise<Connection> => {
    const { reached_since } = config
    if (wrapping === undefined) return reached_since === undefined ? {} : { since: reached_since }
    const place = { kind: venue.kind, options: config.options }
    const connection = digestOfConnection(wrapping, place, secrets)
    const account = digestOfAccount(wrapping, place, secrets['api_key'])
    const { seen, other } = await db.tx(async (tx) => {
      // Two of one account do not look for each other at one time.
      await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${venue.workspace}, 53))`)
      return meet(tx, venue, { connection, account }, now())
    })
    if (other !== undefined) throw new ApiError('VenueUnreachable', twice(venue.label, other))
    const since = Math.max(reached_since ?? 0, seen.since ?? 0)
    return since === 0 ? { connection } : { connection, since }
  }

async function meet(
  tx: Tx,
  { workspace, id }: VenueRecord,
  { connection, account }: { connection: string; account: string | null },
  now: number,
): Promise<{ seen: SeenConnection; other: string | undefined }> {
  const other = await labelOfOther(tx, { workspace, id, account })
  const [row] = await tx.query<{ seen: SeenConnection | null }>(sql`
    select config -> 'seen' as seen
    from venues
    where workspace = ${workspace}
      and id = ${id}
    for update`)
  const before = row?.seen ?? undefined
  const since = before === undefined || before.connection === connection ? before?.since : now
  const seen = {
    connection,
    // Not while another one has it: after an exchange of both keys each would wait for the other.
    account: other === undefined ? account : null,
    ...(since === undefined ? {} : { since }),
  }
  if (before === undefined || canonicalJson(before) !== canonicalJson(seen))
    await tx.query(sql`
      update venues
      set config = config || jsonb_build_object('seen', ${JSON.stringify(seen)}::jsonb)
      where workspace = ${workspace}
        and id = ${id}`)
  return { seen, other }
}

type Account = { workspace: WorkspaceId; id: VenueId; account: string | null }

async function labelOfOther(
  reader: Reader,
  { workspace, id, account }: Account,
): Promise<string | undefined> {
  if (account === null) return undefined
  const others = await reader.query<{ label: string }>(sql`
    select label
    from venues
    where workspace = ${workspace}
      and id <> ${id}
      and ${stateNotIn(VENUE_MOVES, 'DISABLED')}
      and config -> 'seen' ->> 'account' = ${account}
    order by id
    limit 1`)
  return only(others)?.label
}

const twice = (label: string, other: string): string =>
  `${label}: its account or key is that of the venue ${other}: one account is one venue`

/** Throws 3001 DUPLICATE where another venue of the workspace is reached by the same key. */
export async function assertKeyIsNew(
  reader: Reader,
  wrapping: WrappingKey | undefined,
  { workspace, id, label, ...place }: Place & Omit<Account, 'account'> & { label: string },
  key: string,
): Promise<void> {
  const account = digestOfAccount(mustExist(wrapping, 'it has wrapped the key'), place, key)
  const other = await labelOfOther(reader, { workspace, id, account })
  if (other !== undefined) throw refuse('DUPLICATE', 'value', twice(label, other))
}

function digestOfConnection(
  wrapping: WrappingKey,
  { kind, options }: Place,
  secrets: Record<string, string>,
): string {
  const account = ACCOUNT.map((name) => options[name] ?? null)
  const values = Object.entries(secrets).filter(([name]) => name !== OF_THE_VENUE)
  return digest(wrapping, [kind, placeOfVenue(options), account, Object.fromEntries(values)])
}

/** Null where nothing tells whose account it is. */
function digestOfAccount(
  wrapping: WrappingKey,
  { kind, options }: Place,
  key: string | undefined,
): string | null {
  const isBank = kind === 'BANK'
  const account = isBank ? accountAtBank(options).account : key
  if (account === undefined) return null
  return digest(wrapping, isBank ? [kind, account] : [...apiOf(kind, options), account])
}

type Digested = Parameters<typeof canonicalJson>[0]

const digest = (wrapping: WrappingKey, parts: Digested): string =>
  createHmac('sha256', wrapping.derive('venue connections'))
    .update(canonicalJson(parts))
    .digest('base64url')
