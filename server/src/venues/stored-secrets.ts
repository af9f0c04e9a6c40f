/**
 * Secrets of venues that were written over the API. Each is wrapped by the key in the operator's
 * file, and bound to its workspace, its venue, its name and the address that the venue had then. At
 * another address it cannot be opened, whoever changed the row.
 */
import { ApiError, refuse } from '../core/errors.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import { closed, flag, id, nullable, text, time, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { insertRow, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { clearOfLostKeys, keysThatWrap } from '../store/wrapped-secrets.ts'
import type { WrappingKey } from '../store/wrapping-key.ts'
import type { AdapterConfig, ReadStored } from './secrets.ts'
import { placeOfVenue } from './targets.ts'

const SecretRow = closed({
  workspace: id<WorkspaceId>(),
  venue_id: id<VenueId>(),
  name: text(),
  target: text(),
  wrapped: nullable(Type.Unsafe<Buffer>({ type: 'string', 'x-column': 'bytea' })),
  wrapped_by: nullable(text()),
  set_at: time(),
  set_by: text(),
})
type SecretRow = Static<typeof SecretRow>
const VENUE_SECRETS = tableOf('venue_secrets', SecretRow)

export const VenueSecret = closed(
  {
    name: text(100, 'As the declaration of the venue names it'),
    set_at: time('When it was written last'),
    set_by: text(100, 'A user or an API key'),
    usable: flag(
      'False after the venue got another address, or the key file was lost: write it anew',
    ),
  },
  { title: 'VenueSecret' },
)
export type VenueSecret = Static<typeof VenueSecret>

type Owner = { workspace: WorkspaceId; id: VenueId }

type Bound = Pick<SecretRow, 'workspace' | 'venue_id' | 'name' | 'target'>
const placeOf = ({ workspace, venue_id, name, target }: Bound): readonly string[] => [
  'venue secret',
  workspace,
  venue_id,
  name,
  target,
]

type Writing = { tx: Tx; wrapping: WrappingKey | undefined; now: number; by: string }

/** Throws 3001 CONFLICT where nothing can be wrapped. */
export async function writeSecret(
  { tx, wrapping, now, by }: Writing,
  { workspace, id, options }: Owner & { options: AdapterConfig['options'] },
  { name, value }: { name: string; value: string },
): Promise<void> {
  if (wrapping === undefined)
    throw refuse('CONFLICT', '', 'stored secrets need a key file: KONTOR_KEY_FILE must name it')
  const bound = { workspace, venue_id: id, name, target: placeOfVenue(options) }
  const wrapped = wrapping.wrap(placeOf(bound), value)
  const row = { ...bound, wrapped, wrapped_by: wrapping.id, set_at: now, set_by: by }
  await tx.query(sql`
    ${insertRow(VENUE_SECRETS, row, { by, now })}
    on conflict (workspace, venue_id, name) do update
    set target = excluded.target, wrapped = excluded.wrapped, wrapped_by = excluded.wrapped_by,
      set_at = excluded.set_at, set_by = excluded.set_by`)
}

export function readSecrets(
  reader: Reader,
  { workspace, id }: Owner,
  wrapping: WrappingKey | undefined,
): Promise<VenueSecret[]> {
  return reader.query<VenueSecret>(sql`
    select name, set_at, set_by,
      wrapped is not null and wrapped_by = ${wrapping?.id ?? ''} as usable
    from venue_secrets
    where workspace = ${workspace}
      and venue_id = ${id}
    order by name`)
}

/** Never one that was written for another address than the venue has now. */
export function storedSecretsOf(
  { db, wrapping }: { db: Reader; wrapping: WrappingKey | undefined },
  { workspace, id }: Owner,
  { options }: AdapterConfig,
): ReadStored {
  const target = placeOfVenue(options)
  return async (name, what) => {
    const missing = (why: string) =>
      new ApiError('VenueUnreachable', `${what} is missing: the stored secret ${name} ${why}`)
    const row = only(
      await db.query<SecretRow>(sql`
        select target, wrapped, wrapped_by
        from venue_secrets
        where workspace = ${workspace}
          and venue_id = ${id}
          and name = ${name}`),
    )
    if (row === undefined) throw missing('was not written yet')
    if (row.wrapped === null || row.target !== target)
      throw missing('must be written anew: the venue has another address')
    if (wrapping === undefined || row.wrapped_by !== wrapping.id)
      throw missing('was wrapped by another key than this process has')
    try {
      return wrapping.unwrap(placeOf({ workspace, venue_id: id, name, target }), row.wrapped)
    } catch {
      throw missing('cannot be opened: write it anew')
    }
  }
}

/** Those that were written for another address than the venue has now. */
export async function clearMovedSecrets(
  tx: Tx,
  { workspace, id }: Owner,
  options: AdapterConfig['options'],
): Promise<void> {
  await tx.query(sql`
    update venue_secrets
    set wrapped = null, wrapped_by = null
    where workspace = ${workspace}
      and venue_id = ${id}
      and target <> ${placeOfVenue(options)}
      and wrapped is not null`)
}

export const secretsWrappedBy = (reader: Reader) => keysThatWrap(reader, 'venue_secrets')

/** Answers how many. */
export const clearSecretsOfLostKeys = (reader: Reader, key: string): Promise<number> =>
  clearOfLostKeys(reader, { table: 'venue_secrets', column: 'wrapped' }, key)
