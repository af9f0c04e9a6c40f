/** Price-stream routes as the configuration file declares them. */
import type { Clock } from '../../core/clock.ts'
import { decimal, format, ONE, scaleOf } from '../../core/decimal.ts'
import { ApiError, refuse } from '../../core/errors.ts'
import type { ErrorDetail } from '../../core/errors.ts'
import { factorOf } from '../../core/factor.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { requiredText } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { assetByCode } from '../../ledger/index.ts'
import type { Tx } from '../../store/db.ts'
import { insertRow, tableOf, updateRow } from '../../store/rows.ts'
import type { Stamp } from '../../store/rows.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { VenueRecord } from '../../venues/index.ts'
import { QUOTE_MOVES } from '../states.ts'
import { StoredPriceRoute } from './routes.schema.ts'
import type { DeclaredPriceRoute } from './routes.schema.ts'
import type { Hop } from './routes.ts'

const ROUTES = tableOf('price_stream_routes', StoredPriceRoute, {
  inside: { key: requiredText(100) },
})

/** A workspace's venues, by their key in the file. */
type DeclaredVenues = ReadonlyMap<string, VenueRecord>

/**
 * Brings the routes to what is declared. A route that is no longer named is switched off, or only
 * those in `off`. The open quotes of such a route, or of one that trades something else now, are
 * canceled. Throws 3001 naming every entry that is wrong.
 */
export async function applyPriceRoutes(
  { workspace, by }: Pick<Caller, 'workspace' | 'by'>,
  { tx, clock, off }: { tx: Tx; clock: Clock; off?: readonly string[] },
  declared: readonly DeclaredPriceRoute[],
  venues: DeclaredVenues,
): Promise<void> {
  const stamp = { by, now: clock.now() }
  const problems: ErrorDetail[] = []
  for (const [index, declaration] of declared.entries()) {
    const path = `price_routes[${index}]`
    try {
      await assertTerms(tx, workspace, declaration, path)
      const hops = await readHops(tx, workspace, { declaration, venues, path })
      await tx.query(putRoute(workspace, declaration, hops, stamp))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      problems.push(...error.details)
    }
  }
  if (problems.length > 0)
    throw new ApiError('BadRequest', problems.map(({ message }) => message).join('; '), problems)
  const names = declared.map((declaration) => declaration.key)
  const isOff =
    off === undefined ? sql`not key = any(${names}::text[])` : sql`key = any(${off}::text[])`
  await tx.query(switchOffRoutes(workspace, isOff, stamp))
  await tx.query(cancelLostQuotes(workspace, stamp))
}

const DECLARED_COLUMNS = [
  'label',
  'symbol',
  'base_asset',
  'quote_asset',
  'hops',
  'margin',
  'risk_quantile',
  'active',
  'min_amount',
  'max_amount',
  'amount_step',
  'price_step',
]
const columnsIn = (table: string): Query =>
  raw(DECLARED_COLUMNS.map((column) => `${table}.${column}`).join(', '))

/** A route that is declared as it is stays as it is. */
function putRoute(
  workspace: WorkspaceId,
  declaration: DeclaredPriceRoute,
  hops: Hop[],
  stamp: Stamp,
): Query {
  const { base_asset, quote_asset } = declaration
  const insert = insertRow(
    ROUTES,
    {
      workspace,
      id: newId(),
      key: declaration.key,
      label: declaration.label,
      symbol: declaration.symbol ?? `${base_asset}/${quote_asset}`,
      base_asset,
      quote_asset,
      hops,
      margin: declaration.margin ?? {},
      risk_quantile: declaration.risk_quantile,
      active: declaration.active ?? true,
      min_amount: declaration.min_amount,
      max_amount: declaration.max_amount,
      amount_step: declaration.amount_step,
      price_step: declaration.price_step,
    },
    stamp,
  )
  const assignments = raw(
    DECLARED_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', '),
  )
  return sql`
    ${insert}
    on conflict (workspace, key) do update
    set ${assignments}, version = price_stream_routes.version + 1,
      system_updated_at = excluded.system_updated_at, system_updated_by = excluded.system_updated_by
    where (${columnsIn('price_stream_routes')}) is distinct from (${columnsIn('excluded')})`
}

const switchOffRoutes = (workspace: WorkspaceId, isOff: Query, stamp: Stamp): Query =>
  updateRow(ROUTES, {
    where: sql`
      workspace = ${workspace}
      and active
      and ${isOff}`,
    set: { active: false },
    ...stamp,
  })

/** Of a route that is off, or that trades something else now. */
function cancelLostQuotes(workspace: WorkspaceId, { by, now }: Stamp): Query {
  const { from, to } = move(QUOTE_MOVES, 'ACTIVE', 'CANCELED')
  return sql`
    update quotes
    set state = ${to}, version = version + 1, system_updated_at = ${now}, system_updated_by = ${by}
    where workspace = ${workspace}
      and ${stateIn(QUOTE_MOVES, from)}
      and route_id in (
        select id
        from price_stream_routes
        where workspace = ${workspace}
          and (not active or symbol <> quotes.symbol)
      )`
}

async function assertTerms(
  tx: Tx,
  workspace: WorkspaceId,
  declaration: DeclaredPriceRoute,
  path: string,
): Promise<void> {
  const base = await assetByCode(tx, workspace, declaration.base_asset, `${path}.base_asset`)
  await assetByCode(tx, workspace, declaration.quote_asset, `${path}.quote_asset`)
  if (decimal(declaration.risk_quantile) >= ONE)
    throw refuse('RANGE', `${path}.risk_quantile`, `${path}.risk_quantile must be between 0 and 1`)
  for (const [category, margin] of Object.entries(declaration.margin ?? {}))
    factorOf(margin, `${path}.margin.${category}`)
  if (decimal(declaration.max_amount) < decimal(declaration.min_amount))
    throw refuse(
      'RANGE',
      `${path}.max_amount`,
      `${path}.max_amount is below min_amount ${declaration.min_amount}`,
    )
  const step = decimal(declaration.amount_step)
  if (scaleOf(step) > base.scale)
    throw refuse(
      'SCALE',
      `${path}.amount_step`,
      `${path}.amount_step ${format(step)} is finer than the ` +
        `${base.scale} fraction digits of ${base.code}`,
    )
}

type HopsToRead = { declaration: DeclaredPriceRoute; venues: DeclaredVenues; path: string }

async function readHops(
  tx: Tx,
  workspace: WorkspaceId,
  { declaration, venues, path }: HopsToRead,
): Promise<Hop[]> {
  const hops: Hop[] = []
  for (const [index, { venue: key, base_asset, quote_asset }] of declaration.hops.entries()) {
    const at = `${path}.hops[${index}]`
    await assetByCode(tx, workspace, quote_asset, `${at}.quote_asset`)
    const from = hops.at(-1)?.quote_asset ?? declaration.base_asset
    if (base_asset !== from)
      throw refuse(
        'ASSET_MISMATCH',
        at,
        `${at} trades ${base_asset}/${quote_asset}, its base asset must be ${from}`,
      )
    if (hops.some((hop) => hop.base_asset === quote_asset))
      throw refuse('ASSET_MISMATCH', at, `${at} leads back to ${quote_asset}`)
    hops.push({ hop_no: index + 1, ...findService(venues, key, at), base_asset, quote_asset })
  }
  const last = hops.at(-1)?.quote_asset
  if (last !== declaration.quote_asset)
    throw refuse(
      'ASSET_MISMATCH',
      `${path}.hops`,
      `${path}.hops end at ${last}, ` +
        `the route is for ${declaration.base_asset}/${declaration.quote_asset}`,
    )
  return hops
}

/** Where the orders of a hop go. */
function findService(
  venues: DeclaredVenues,
  key: string,
  at: string,
): Pick<Hop, 'venue_id' | 'service_id'> {
  const venue = venues.get(key)
  if (venue === undefined)
    throw refuse('NOT_FOUND', `${at}.venue`, `${at}.venue names ${key}, which is not configured`)
  const service = venue.services.find((service) => service.type === 'TOMS')
  if (service === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', `${at}.venue`, `venue ${venue.label} takes no orders`)
  return { venue_id: venue.id, service_id: service.id }
}
