/** Providers of single sign-on are declared, changed and removed. */
import { mustExist } from '../../core/assert.ts'
import { ApiError, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { SignInProviderId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { judgedUrl, targetRulesOf } from '../../core/targets.ts'
import type { TargetRules } from '../../core/targets.ts'
import type { Caller } from '../../http/index.ts'
import type { Tx } from '../../store/db.ts'
import { insertRow, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { AccessApp } from '../access.ts'
import { assertMayGrant } from '../api-key-grants.ts'
import { assertOneLine } from '../one-line.ts'
import type { Role } from '../permissions.ts'
import { securityEntries } from '../security-log.ts'
import { assertMayLinkByEmail } from '../taking-over.ts'
import { grantOf, lockUsersOf } from '../users.ts'
import { endSessionsWhere } from './ending.ts'
import { PROVIDER_MOVES } from './providers.schema.ts'
import type { ChangeProviderBody, CreateProviderBody, Provider } from './providers.schema.ts'
import {
  lockProvider,
  providerColumns,
  PROVIDERS,
  redirectUriOf,
  wrapClientSecret,
} from './rows.ts'

/**
 * KONTOR_SIGN_IN_NETWORKS: networks that are not public and may hold providers, divided by commas.
 * KONTOR_SIGN_IN_PLAIN=on: connections without TLS will do.
 */
export const signInRulesFrom = ({
  KONTOR_SIGN_IN_NETWORKS: networks,
  KONTOR_SIGN_IN_PLAIN: plain,
}: Readonly<Record<string, string | undefined>>): TargetRules =>
  targetRulesOf('KONTOR_SIGN_IN_NETWORKS', { networks, plain })

type Declared = Pick<CreateProviderBody, 'label' | 'issuer' | 'role_mapping'>

/** Who declares, changes or removes it decides about the roles that it gives. */
const grantIn = ({ role_mapping }: Pick<Provider, 'role_mapping'>) =>
  grantOf([...new Set<Role>(role_mapping.map(({ role }) => role))])

/** Throws 3001 FORMAT, DUPLICATE; 1003 where a program would grant more than it has. */
function assertDeclarable(caller: Caller, app: AccessApp, body: Declared): void {
  assertOneLine(body.label, 'label')
  judgedUrl(body.issuer, 'issuer', app.signInTargets)
  const seen = new Set<string>()
  body.role_mapping.forEach(({ value, role }, index) => {
    const pair = JSON.stringify([value, role])
    if (seen.has(pair))
      throw refuse('DUPLICATE', `role_mapping[${index}]`, `${value} is mapped to ${role} twice`)
    seen.add(pair)
  })
  assertMayGrant(caller, grantIn(body))
}

/** Throws 1003 of a program, which knows nobody's roles; 3001 CONFLICT. */
async function assertMayLetIn(
  { workspace, api_key }: Caller,
  tx: Tx,
  links_by_email: boolean,
): Promise<void> {
  if (!links_by_email) return
  if (api_key !== undefined)
    throw new ApiError('PermissionDenied', 'an API key cannot let people in by e-mail addresses')
  await assertMayLinkByEmail(tx, workspace)
}

export async function createProvider(
  caller: Caller,
  app: AccessApp,
  tx: Tx,
  { client_secret, ...body }: CreateProviderBody,
): Promise<Provider> {
  const { workspace, by } = caller
  const now = app.clock.now()
  const bound = { workspace, id: newId<SignInProviderId>(now), ...body }
  redirectUriOf(app, bound.id)
  assertDeclarable(caller, app, body)
  await assertMayLetIn(caller, tx, body.links_by_email === true)
  const row = {
    client_authentication: 'BASIC' as const,
    scopes: [],
    listed: false,
    creates_users: false,
    links_by_email: false,
    proves_second_factor: false,
    ...bound,
    state: 'ACTIVE' as const,
    ...wrapClientSecret(app.access.tokens.wrapping, bound, client_secret),
  }
  const [provider] = await tx.query<Provider>(sql`
    ${insertRow(PROVIDERS, row, { by, now })}
    returning ${providerColumns(app)}`)
  const declared = mustExist(provider, 'it was inserted')
  await record(caller, app, tx, { what: 'CREATED', id: declared.id, after: told(declared) })
  return declared
}

/** Refused: STALE_VERSION; REQUIRED without the secret for another issuer or client. */
export async function changeProvider(
  caller: Caller,
  app: AccessApp,
  tx: Tx,
  { id, version, client_secret, ...body }: ChangeProviderBody,
): Promise<Provider> {
  const { workspace, by } = caller
  const before = await lockProvider(tx, workspace, id, 'id')
  if (version !== undefined && version !== before.version)
    throw refuse(
      'STALE_VERSION',
      'version',
      `the sign-in provider has changed: its version is ${before.version}`,
    )
  assertMayGrant(caller, grantIn(before))
  assertDeclarable(caller, app, body)
  const bound = { workspace, id, ...body }
  const moved = body.issuer !== before.issuer || body.client_id !== before.client_id
  // What let people in before goes on, also where that could not be declared any more.
  const isKept = before.links_by_email && !moved && caller.api_key === undefined
  await assertMayLetIn(caller, tx, body.links_by_email && !isKept)
  if (moved && client_secret === undefined)
    throw refuse(
      'REQUIRED',
      'client_secret',
      'the secret of before is for another issuer or client: client_secret is required',
    )
  const secret =
    client_secret === undefined
      ? {}
      : wrapClientSecret(app.access.tokens.wrapping, bound, client_secret)
  const change = updateRow(PROVIDERS, {
    where: { workspace, id },
    set: { ...body, ...secret },
    by,
    now: app.clock.now(),
  })
  const [provider] = await tx.query<Provider>(sql`
    ${change}
    returning ${providerColumns(app)}`)
  const after = mustExist(provider, 'it is locked')
  await record(caller, app, tx, {
    what: 'CHANGED',
    id,
    before: told(before),
    after: told(after),
    ...(client_secret === undefined ? {} : { secret: true }),
  })
  return after
}

/** Nobody signs in by it any more, and the sessions that were begun by it end. */
export async function removeProvider(
  caller: Caller,
  app: AccessApp,
  tx: Tx,
  id: SignInProviderId,
): Promise<Provider> {
  const { workspace, by } = caller
  await lockUsersOf(tx, workspace)
  const before = await lockProvider(tx, workspace, id, 'sign_in_provider_id')
  assertMayGrant(caller, grantIn(before))
  const now = app.clock.now()
  const removal = updateRow(PROVIDERS, {
    where: { workspace, id },
    move: move(PROVIDER_MOVES, 'ACTIVE', 'REMOVED'),
    set: { wrapped_secret: null, wrapped_by: null },
    by,
    now,
  })
  const [provider] = await tx.query<Provider>(sql`
    ${removal}
    returning ${providerColumns(app)}`)
  await endSessionsWhere(app, tx, { workspace, chosen: sql`provider_id = ${id}` })
  const removed = mustExist(provider, 'it is locked')
  await record(caller, app, tx, { what: 'REMOVED', id, before: told(before) })
  return removed
}

/** What the log tells of it: all that is declared. */
const told = (provider: Omit<Provider, 'redirect_uri' | 'sign_in_address'>) => ({
  label: provider.label,
  issuer: provider.issuer,
  client_id: provider.client_id,
  client_authentication: provider.client_authentication,
  scopes: provider.scopes,
  roles_claim: provider.roles_claim,
  role_mapping: provider.role_mapping,
  listed: provider.listed,
  creates_users: provider.creates_users,
  links_by_email: provider.links_by_email,
  proves_second_factor: provider.proves_second_factor,
})

/** `secret`: it was written. */
type Recorded = {
  what: 'CREATED' | 'CHANGED' | 'REMOVED'
  id: SignInProviderId
  before?: ReturnType<typeof told>
  after?: ReturnType<typeof told>
  secret?: boolean
}

async function record(
  { workspace, by, source }: Caller,
  { clock }: AccessApp,
  tx: Tx,
  { id, what, ...details }: Recorded,
): Promise<void> {
  await tx.query(
    securityEntries(workspace, clock.now(), [
      {
        kind: 'SIGN_IN_PROVIDER_CHANGED',
        actor: by,
        source,
        details: { what, provider_id: id, ...details },
        record_id: id,
      },
    ]),
  )
}
