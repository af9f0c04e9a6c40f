import { format, scaleOf, tryDecimal } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { refuse } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { shortCache } from '../core/short-cache.ts'
import type { ShortCache } from '../core/short-cache.ts'
import type { Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'

export type Asset = {
  code: string
  label: string
  kind: 'FIAT' | 'CRYPTO'
  scale: number
  circulating_supply: string | null
}

export type Assets = ReadonlyMap<string, Asset>

/** Per connection pool: the assets change rarely and every amount of a request needs one. */
const assetsByReader = new WeakMap<Reader, ShortCache<Assets, WorkspaceId>>()
const FRESH_MILLISECONDS = 2_000

/** Answers at once while the assets are in memory. */
export function assetsOf(reader: Reader, workspace: WorkspaceId): Assets | Promise<Assets> {
  const before = assetsByReader.get(reader)
  if (before !== undefined) return before.get(workspace)
  const known = shortCache(FRESH_MILLISECONDS, (workspace: WorkspaceId) =>
    readAssets(reader, workspace),
  )
  assetsByReader.set(reader, known)
  return known.get(workspace)
}

async function readAssets(reader: Reader, workspace: WorkspaceId): Promise<Assets> {
  const rows = await reader.query<Asset>(
    sql`
      select code, label, kind, scale, circulating_supply
      from assets
      where workspace = ${workspace}
      order by code`,
  )
  return new Map(rows.map((row) => [row.code, row]))
}

/** Throws 3001 UNKNOWN_ASSET, `path` naming the field. */
export async function assetByCode(
  reader: Reader,
  workspace: WorkspaceId,
  code: string,
  path = 'asset',
): Promise<Asset> {
  return assetIn(await assetsOf(reader, workspace), code, path)
}

/** Throws as `assetByCode`. */
export function assetIn(assets: Assets, code: string, path = 'asset'): Asset {
  const asset = assets.get(code)
  if (asset === undefined) throw refuse('UNKNOWN_ASSET', path, `asset ${code} is not configured`)
  return asset
}

/**
 * Adds the asset or changes its label and supply; a scale may only grow, since amounts are booked
 * with it.
 */
export async function putAsset(
  reader: Reader,
  workspace: WorkspaceId,
  asset: Asset,
): Promise<void> {
  assetsByReader.get(reader)?.forget(workspace)
  await reader.query(sql`
    insert into assets (workspace, code, label, kind, scale, circulating_supply)
    values (
      ${workspace}, ${asset.code}, ${asset.label}, ${asset.kind}, ${asset.scale},
      ${asset.circulating_supply}
    )
    on conflict (workspace, code) do update
    set label = excluded.label, scale = greatest(assets.scale, excluded.scale),
      circulating_supply = excluded.circulating_supply`)
}

/**
 * The amount of a request, exact; refuses more fraction digits than the asset has (SCALE names the
 * scale).
 */
export function amountOf(
  text: string,
  asset: Pick<Asset, 'code' | 'scale'>,
  path: string,
): Decimal {
  const value = tryDecimal(text)
  if (value === undefined)
    throw refuse('FORMAT', path, `${path} must be a decimal in plain notation`)
  if (scaleOf(value) > asset.scale)
    throw refuse(
      'SCALE',
      path,
      `${path} ${format(value)} has more than the ${asset.scale} fraction digits of ${asset.code}`,
    )
  return value
}
