/** Providers of single sign-on are declared, changed and removed. */
import { mustExist } from '../../core/assert.ts'
import { refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { SignInProviderId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { objectionToHost, targetRulesOf } from '../../core/targets.ts'
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
import { endSessions } from '../sessions.ts'
import { grantOf } from '../users.ts'
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

const PUBLIC_ALONE = signInRulesFrom({})
export const rulesOf = ({ signInTargets }: Pick<AccessApp, 'signInTargets'>): TargetRules =>
  signInTargets ?? PUBLIC_ALONE

type Declared = Pick<CreateProviderBody, 'label' | 'issuer' | 'role_mapping'>

/** Throws 3001 FORMAT, DUPLICATE; 1003 where a program would grant more than it has. */
function assertDeclarable(caller: Caller, app: AccessApp, body: Declared): void {
  assertOneLine(body.label, 'label')
  assertIssuer(body.issuer, rulesOf(app))
  const seen = new Set<string>()
  body.role_mapping.forEach(({ value, role }, index) => {
    const pair = JSON.stringify([value, role])
    if (seen.has(pair))
      throw refuse('DUPLICATE', `role_mapping[${index}]`, `${value} is mapped to ${role} twice`)
    seen.add(pair)
  })
  const roles = new Set<Role>(body.role_mapping.map(({ role }) => role))
  assertMayGrant(caller, grantOf([...roles]))
}

function assertIssuer(issuer: string, rules: TargetRules): void {
  const wrong = (message: string) => refuse('FORMAT', 'issuer', message)
  if (!URL.canParse(issuer)) throw wrong('issuer is no address')
  const url = new URL(issuer)
  if (url.protocol !== 'https:' && !(rules.plain && url.protocol === 'http:'))
    throw wrong('issuer must begin with https://')
  if (url.username !== '' || url.password !== '') throw wrong('issuer must not name a user')
  const objection = objectionToHost(url, rules)
  if (objection !== undefined) throw wrong(objection)
}

export async function createProvider(
  caller: Caller,
  app: AccessApp,
  tx: Tx,
  { client_secret, ...body }: CreateProviderBody,
): Promise<Provider> {
  const { workspace, by } = caller
  redirectUriOf(app)
  assertDeclarable(caller, app, body)
  const now = app.clock.now()
  const bound = { workspace, id: newId<SignInProviderId>(now), ...body }
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
  await record(caller, app, tx, { what: 'CREATED', provider: declared })
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
  assertDeclarable(caller, app, body)
  const bound = { workspace, id, ...body }
  const moved = body.issuer !== before.issuer || body.client_id !== before.client_id
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
  await record(caller, app, tx, { what: 'CHANGED', provider: after })
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
  await lockProvider(tx, workspace, id, 'sign_in_provider_id')
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
  const sessions = await tx.query<{ id: string; user_id: string }>(sql`
    select id, user_id
    from sessions
    where workspace = ${workspace}
      and provider_id = ${id}
      and revoked_at is null
    order by user_id, id`)
  for (const session of sessions)
    await endSessions(app, tx, { workspace, user_id: session.user_id, session_id: session.id })
  const removed = mustExist(provider, 'it is locked')
  await record(caller, app, tx, { what: 'REMOVED', provider: removed })
  return removed
}

type Recorded = { what: 'CREATED' | 'CHANGED' | 'REMOVED'; provider: Provider }

async function record(
  { workspace, by, source }: Caller,
  { clock }: AccessApp,
  tx: Tx,
  { what, provider }: Recorded,
): Promise<void> {
  const { id, label, issuer, client_id, role_mapping } = provider
  const flags = {
    listed: provider.listed,
    creates_users: provider.creates_users,
    links_by_email: provider.links_by_email,
    proves_second_factor: provider.proves_second_factor,
  }
  const declared = { provider_id: id, label, issuer, client_id, role_mapping, ...flags }
  await tx.query(
    securityEntries(workspace, clock.now(), [
      {
        kind: 'SIGN_IN_PROVIDER_CHANGED',
        actor: by,
        source,
        details: what === 'REMOVED' ? { what, provider_id: id, label } : { what, ...declared },
        record_id: id,
      },
    ]),
  )
}
