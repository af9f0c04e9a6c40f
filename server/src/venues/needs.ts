/** What the configuration needs of a venue, and what of it the venue cannot serve. */
import { only } from '../store/db.ts'
import type { Db } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { AssetProtocols, MarketPair } from './contract.ts'
import { VENUES } from './rows.ts'
import type { Need, VenueNeeds } from './secrets.ts'
import type { Unserved, VenueRecord } from './venues.schema.ts'

const WORKER = 'venues'

export async function readNeeds(
  { db }: { db: Db },
  { workspace, id }: VenueRecord,
): Promise<VenueNeeds> {
  const row = only(
    await db.query<{ needs: VenueNeeds | null }>(sql`
      select config -> 'needs' as needs
      from venues
      where workspace = ${workspace}
        and id = ${id}`),
  )
  return row?.needs ?? { assets: [], pairs: [] }
}

export function unservedOf(
  { assets, pairs }: VenueNeeds,
  answered: readonly AssetProtocols[],
  markets: readonly MarketPair[] | null,
): Unserved[] {
  const missing = (base: string, quote: string) =>
    markets !== null &&
    !markets.some(({ base_asset, quote_asset }) => base_asset === base && quote_asset === quote)
  return [
    ...assets.flatMap((need) =>
      reasonsOf(need, answered).map((reason) => ({
        asset: need.asset,
        protocol: need.protocol,
        reason,
      })),
    ),
    ...pairs
      .filter(({ base_asset, quote_asset }) => missing(base_asset, quote_asset))
      .map(({ base_asset, quote_asset }) => ({
        asset: base_asset,
        protocol: null,
        reason: `there is no market ${base_asset}/${quote_asset}, which a price route names`,
      })),
  ]
}

function reasonsOf(need: Need, answered: readonly AssetProtocols[]): string[] {
  const { asset, protocol, scale, receives, sends } = need
  const said = answered.find((entry) => entry.asset === asset)
  const unserved = said?.unserved ?? []
  const served = (said?.protocols ?? []).filter(
    (entry) => protocol === null || entry.protocol === protocol,
  )
  const [first] = served
  if (first === undefined) {
    const known = unserved.find((entry) => protocol === null || entry.protocol === protocol)
    const way = protocol === null ? asset : `${asset} over ${protocol}`
    return [
      known?.reason ??
        `it has no word for ${way}: neither the configuration nor what is shipped names one`,
    ]
  }
  const way = `${asset} over ${first.protocol}`
  return [
    ...(receives && !served.some(({ deposit }) => deposit) ? [`it takes no ${way} now`] : []),
    ...(sends && !served.some(({ withdraw }) => withdraw) ? [`it sends no ${way} now`] : []),
    ...(first.decimals > scale
      ? [`it moves ${way} with ${first.decimals} decimals, and the books keep ${scale}`]
      : []),
  ]
}

/** Answers whether it is another than before. */
export async function storeUnserved(
  db: Db,
  { workspace, id }: VenueRecord,
  unserved: readonly Unserved[],
  now: number,
): Promise<boolean> {
  const text = JSON.stringify(unserved)
  const changed = await db.query(sql`
    ${updateRow(VENUES, {
      where: sql`
        workspace = ${workspace}
        and id = ${id}
        and unserved is distinct from ${text}::jsonb`,
      set: { unserved: [...unserved] },
      by: WORKER,
      now,
    })}
    returning id`)
  return changed.length > 0
}
