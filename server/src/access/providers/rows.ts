/** Providers of single sign-on as they are stored, and the secret by which each knows Kontor. */
import { notFound, refuse } from '../../core/errors.ts'
import type { SignInProviderId, WorkspaceId } from '../../core/ids.ts'
import { nullable, text, Type } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { allColumnsOf, columnsOf, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { clearOfLostKeys, keysThatWrap } from '../../store/wrapped-secrets.ts'
import type { WrappingKey } from '../../store/wrapping-key.ts'
import type { AccessApp } from '../access.ts'
import { IdentityRecord, PROVIDER_MOVES, ProviderRecord } from './providers.schema.ts'
import type { Provider } from './providers.schema.ts'

/** Whose stamp is on what a sign-in by a provider changes. */
export const SINGLE_SIGN_ON = 'single sign-on'

const inside = {
  wrapped_secret: nullable(Type.Unsafe<Buffer>({ type: 'string', 'x-column': 'bytea' })),
  wrapped_by: nullable(text()),
}

export const PROVIDERS = tableOf('sign_in_providers', ProviderRecord, {
  inside,
  computed: ['redirect_uri', 'sign_in_address'],
})
export type ProviderRow = Omit<Provider, 'redirect_uri' | 'sign_in_address'> & {
  wrapped_secret: Buffer | null
  wrapped_by: string | null
}

export const USER_IDENTITIES = tableOf('user_identities', IdentityRecord)
export const IDENTITY_COLUMNS = columnsOf(IdentityRecord)

/**
 * Where the provider sends the browser back. Each has an address of its own, so that what one hands
 * out counts for no other. Throws 3001 CONFLICT without KONTOR_CONSOLE_URL.
 */
export function redirectUriOf(
  { console_url }: Pick<AccessApp, 'console_url'>,
  id: SignInProviderId,
): string {
  if (console_url === undefined)
    throw refuse(
      'CONFLICT',
      '',
      'the provider sends people back to the console: KONTOR_CONSOLE_URL must be set',
    )
  return `${console_url}/signed-in/${id}`
}

/** The select list of what is shown. */
export function providerColumns({ console_url }: Pick<AccessApp, 'console_url'>): Query {
  const base = console_url ?? null
  return columnsOf(ProviderRecord, {
    computed: {
      redirect_uri: sql`${base}::text || '/signed-in/' || id`,
      sign_in_address: sql`${base}::text || '/sign-in/' || id`,
    },
  })
}

/** Of whatever workspace; undefined for one that is removed. */
export async function activeProvider(
  reader: Reader,
  id: SignInProviderId,
): Promise<ProviderRow | undefined> {
  return only(
    await reader.query<ProviderRow>(sql`
      select ${allColumnsOf(PROVIDERS)}
      from sign_in_providers
      where id = ${id}
        and ${stateIn(PROVIDER_MOVES, 'ACTIVE')}`),
  )
}

/** Whether it is as it was read; it stays so until the transaction ends. */
export async function isStillDeclared(
  tx: Tx,
  { workspace, id, version }: ProviderRow,
): Promise<boolean> {
  const same = await tx.query(sql`
    select 1
    from sign_in_providers
    where workspace = ${workspace}
      and id = ${id}
      and version = ${version}
      and ${stateIn(PROVIDER_MOVES, 'ACTIVE')}
    for share`)
  return same.length > 0
}

/** Throws 4004, also for one that is removed. */
export async function lockProvider(
  tx: Tx,
  workspace: WorkspaceId,
  id: SignInProviderId,
  path: string,
): Promise<ProviderRow> {
  const provider = only(
    await tx.query<ProviderRow>(sql`
      select ${allColumnsOf(PROVIDERS)}
      from sign_in_providers
      where workspace = ${workspace}
        and id = ${id}
        and ${stateIn(PROVIDER_MOVES, 'ACTIVE')}
      for update`),
  )
  if (provider === undefined) throw notFound('sign-in provider', id, path)
  return provider
}

type Bound = Pick<ProviderRow, 'workspace' | 'id' | 'issuer' | 'client_id'>

/** Never sent to another issuer, or for another client, than it was written for. */
const placeOf = ({ workspace, id, issuer, client_id }: Bound): readonly string[] => [
  'sign-in provider',
  workspace,
  id,
  issuer,
  client_id,
]

/** Throws 3001 CONFLICT where nothing can be wrapped. */
export function wrapClientSecret(
  wrapping: WrappingKey | undefined,
  bound: Bound,
  secret: string,
): Pick<ProviderRow, 'wrapped_secret' | 'wrapped_by'> {
  if (wrapping === undefined)
    throw refuse('CONFLICT', '', 'sign-in providers need a key file: KONTOR_KEY_FILE must name it')
  return { wrapped_secret: wrapping.wrap(placeOf(bound), secret), wrapped_by: wrapping.id }
}

/** Throws a sentence where it cannot be opened. */
export function openClientSecret(wrapping: WrappingKey | undefined, provider: ProviderRow): string {
  const { wrapped_secret, wrapped_by } = provider
  if (wrapped_secret === null || wrapping === undefined || wrapped_by !== wrapping.id)
    throw new Error('the client secret was wrapped by another key: write it anew')
  return wrapping.unwrap(placeOf(provider), wrapped_secret)
}

export const clientSecretsWrappedBy = (reader: Reader) => keysThatWrap(reader, 'sign_in_providers')

/** Answers how many. */
export const clearClientSecretsOfLostKeys = (reader: Reader, key: string): Promise<number> =>
  clearOfLostKeys(reader, { table: 'sign_in_providers', column: 'wrapped_secret' }, key)
