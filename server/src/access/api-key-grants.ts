/**
 * What a key is given, checked; and what a program may hand on. People with `api-keys.write` or
 * `users.write` decide who may what; a program with them hands on no more than it has itself.
 */
import type { Clock } from '../core/clock.ts'
import { ApiError, notFound, refuse } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { addressesIn, isWithinNetworks } from '../core/networks.ts'
import type { Caller } from '../http/index.ts'
import type { Reader } from '../store/db.ts'
import type { ApiKey, ApiKeyLimits, CreateApiKeyBody, LimitsBody } from './api-keys.schema.ts'

const LONGEST_MILLISECONDS = 5 * 365 * 86_400_000

/** Which of these routes the workspace does not have. */
export type UnknownRoutes = (
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly string[],
) => Promise<readonly string[]>

export type GrantingApp = { clock: Clock; unknownRoutes: UnknownRoutes }

/** As it is stored of a key. */
type Granted = Pick<ApiKey, 'label' | 'permissions' | 'networks' | 'limits' | 'expires_at'>

/** Refused: 1003, 4004 (a route), FORMAT, DUPLICATE (two limits of an asset), RANGE (the end). */
export async function grantedBy(
  caller: Caller,
  app: GrantingApp,
  reader: Reader,
  body: CreateApiKeyBody & { expires_at: number },
): Promise<Granted> {
  const granted = {
    label: body.label.trim(),
    permissions: body.permissions.toSorted(),
    networks: checkedNetworks(body.networks ?? []),
    limits: checkedLimits(body.limits ?? {}),
    expires_at: checkedEnd(body.expires_at, app.clock),
  }
  assertMayGrant(caller, { permissions: granted.permissions, key: granted })
  const routes = granted.limits.routes ?? []
  const [unknown] = await app.unknownRoutes(reader, caller.workspace, routes)
  if (unknown !== undefined)
    throw notFound('route', unknown, `limits.routes[${routes.indexOf(unknown)}]`)
  return granted
}

function checkedNetworks(networks: readonly string[]): string[] {
  networks.forEach((network, index) => {
    try {
      addressesIn(network)
    } catch (error) {
      throw refuse('FORMAT', `networks[${index}]`, (error as Error).message)
    }
  })
  return [...networks]
}

function checkedLimits({ assets, routes }: LimitsBody): ApiKeyLimits {
  const codes = new Set<string>()
  return {
    routes: routes ?? null,
    assets:
      assets?.map((limit, index) => {
        const asset = limit.asset.toUpperCase()
        if (codes.has(asset))
          throw refuse(
            'DUPLICATE',
            `limits.assets[${index}].asset`,
            `${asset} has more than one limit`,
          )
        codes.add(asset)
        const { per_transaction = null, per_day = null } = limit
        return { asset, per_transaction, per_day }
      }) ?? null,
  }
}

function checkedEnd(expires_at: number, clock: Clock): number {
  const left = expires_at - clock.now()
  if (left <= 0) throw refuse('RANGE', 'expires_at', 'expires_at must be in the future')
  if (left > LONGEST_MILLISECONDS)
    throw refuse('RANGE', 'expires_at', 'a key is valid for five years at most')
  return expires_at
}

export type Grant = {
  permissions: readonly string[]
  /** Of a key. */
  key?: { networks: readonly string[]; expires_at: number; limits: ApiKeyLimits }
}

/** Throws 1003 where a program would hand on what it has not. */
export function assertMayGrant(
  { api_key }: Pick<Caller, 'api_key'>,
  { permissions, key }: Grant,
): void {
  if (api_key === undefined) return
  const { networks, expires_at, limited } = api_key
  const missing = permissions.filter((permission) => !api_key.permissions.has(permission))
  if (missing.length > 0) throw refusal(`permissions that it has not: ${missing.join(', ')}`)
  // Another key or user would have a day's limit of its own.
  const writing = permissions.filter((permission) => !permission.endsWith('.read'))
  if (limited && writing.length > 0)
    throw refusal(`more than reading while it has limits: ${writing.join(', ')}`)
  if (key === undefined) {
    // A password is accepted from everywhere.
    if (networks.length > 0) throw refusal('anything to a user while it is bound to networks')
    return
  }
  if (key.expires_at > expires_at) throw refusal('a life that is longer than its own')
  if (networks.length > 0 && !isWithinNetworks(key.networks, networks))
    throw refusal('networks beyond its own')
}

const refusal = (what: string) =>
  new ApiError('PermissionDenied', `an API key cannot grant ${what}`)
