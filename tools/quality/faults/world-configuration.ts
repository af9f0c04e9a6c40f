/** The demo world as the fault matrix needs it. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SandboxProcess } from '../../../server/src/venues/sandbox-process.testing.ts'

/** The venues of the sandbox by the names under which faults are set there. */
export const VENUES = [
  'fireblocks',
  'kraken',
  'bitstamp',
  'okx',
  'prime',
  'managed',
  'bank',
] as const
export type VenueKey = (typeof VENUES)[number]
export const TRADING_VENUES = ['kraken', 'bitstamp', 'okx', 'prime']

const VENUE_TIMEOUT_MILLISECONDS = 2_000
const ASSETS = ['EUR', 'BTC', 'ETH', 'USDC']
/** What is held at these venues only. ETH is traded over two hops. */
const HELD_AT: Readonly<Record<string, readonly string[]>> = {
  ETH: VENUES.filter((venue) => venue !== 'managed'),
  USDC: ['fireblocks'],
}
const PRICE_ROUTES = [
  'btc-eur',
  'btc-eur-bitstamp',
  'btc-eur-okx',
  'eth-eur-over-btc',
  'btc-eur-prime',
]

const isKnown = (key: string): boolean => (VENUES as readonly string[]).includes(key)

/**
 * A few assets and price routes, and venues that are waited for two seconds; answers the file's
 * path.
 */
export async function writeConfiguration(sandbox: SandboxProcess): Promise<string> {
  const config = JSON.parse(await readFile(join(sandbox.dir, 'kontor.json'), 'utf8')) as {
    venues: { key: string; kind: string; options: Record<string, string> }[]
    wallets: { key: string; venue: string; asset: string }[]
    assets: { code: string }[]
    routes: { from: string; to: string }[]
    price_routes: { key: string }[]
    aggregator?: unknown
  }
  config.venues = config.venues.filter((venue) => isKnown(venue.key))
  for (const { kind, options } of config.venues) {
    if (kind !== 'BANK') options['request_timeout_ms'] = String(VENUE_TIMEOUT_MILLISECONDS)
    if (kind === 'EXCHANGE')
      Object.assign(options, { listing_grace_ms: '2000', request_window_ms: '3000' })
  }
  config.assets = config.assets.filter((asset) => ASSETS.includes(asset.code))
  config.wallets = config.wallets.filter(
    (wallet) =>
      ASSETS.includes(wallet.asset) &&
      isKnown(wallet.venue) &&
      HELD_AT[wallet.asset]?.includes(wallet.venue) !== false,
  )
  const keys = new Set(config.wallets.map((wallet) => wallet.key))
  config.routes = config.routes.filter((route) => keys.has(route.from) && keys.has(route.to))
  config.price_routes = config.price_routes.filter((priceRoute) =>
    PRICE_ROUTES.includes(priceRoute.key),
  )
  delete config.aggregator
  const path = join(sandbox.dir, 'faults.json')
  await writeFile(path, JSON.stringify(config))
  return path
}
