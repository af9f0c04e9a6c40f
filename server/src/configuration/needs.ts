/** What the configuration file needs of a venue: assets of wallets and routes, and pairs. */
import type { Need, VenueNeeds } from '../venues/index.ts'
import type { Config } from './configuration.schema.ts'

type Way = Pick<Need, 'asset' | 'protocol' | 'receives' | 'sends'>

/** `scales`: the decimals that the books keep of each asset. */
export function needsOf(
  config: Config,
  venue: string,
  scales: ReadonlyMap<string, number>,
): VenueNeeds {
  const known = new Map<string, Need>()
  for (const { asset, protocol, receives, sends } of waysOf(config, venue)) {
    const key = JSON.stringify([asset, protocol])
    const before = known.get(key)
    known.set(key, {
      asset,
      protocol,
      scale: scales.get(asset) ?? 0,
      receives: receives || before?.receives === true,
      sends: sends || before?.sends === true,
    })
  }
  const hops = (config.price_routes ?? []).flatMap((route) => route.hops)
  return {
    // A route says more than the wallet that it ends at.
    assets: [...known.values()].filter(
      ({ asset, protocol }) =>
        protocol !== null ||
        [...known.values()].every((other) => other.asset !== asset || other.protocol === null),
    ),
    pairs: hops
      .filter((hop) => hop.venue === venue)
      .map(({ base_asset, quote_asset }) => ({ base_asset, quote_asset })),
  }
}

function waysOf(config: Config, venue: string): Way[] {
  const isBank = config.venues?.some(({ key, kind }) => key === venue && kind === 'BANK') === true
  const wallets = (config.wallets ?? []).filter((wallet) => wallet.venue === venue)
  const assets = new Map(wallets.map(({ key, asset }) => [key, asset]))
  const side = (key: string, protocol: string | null, sends: boolean): Way[] => {
    const asset = assets.get(key)
    return asset === undefined ? [] : [{ asset, protocol, receives: !sends, sends }]
  }
  return [
    ...wallets.map(({ asset, configuration }) => ({
      asset,
      protocol: configuration?.protocol ?? null,
      receives: false,
      sends: false,
    })),
    ...(config.routes ?? []).flatMap(({ from, to, protocol }) => [
      ...side(from, protocol, true),
      // A bank receives by whatever way its sender chose.
      ...side(to, isBank ? null : protocol, false),
    ]),
  ]
}
