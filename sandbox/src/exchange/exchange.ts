/**
 * A simulated Kraken at /kraken: REST version 0, websocket version 2 at /kraken/ws/v2, a market that moves, funding by
 * chain and bank. What it holds is `ours` (the client), the maker's and the house's; in sum what lies at its addresses.
 */
import { randomBytes } from 'node:crypto'
import type { BankRails, Chain, Part } from '../part.ts'
import type { World } from '../world.ts'
import { credential } from '../credentials.ts'
import { KONTOR } from '../genesis.ts'
import { openAccounts } from './accounts.ts'
import type { Owner } from './accounts.ts'
import { mountControl } from './control.ts'
import type { Status } from './control.ts'
import { figure, plain } from './figures.ts'
import { PART, openFunding } from './funding.ts'
import type { Funding } from './funding.ts'
import { ASSETS, findAsset } from './listing.ts'
import { openMarket } from './market.ts'
import { openMatching } from './matching.ts'
import { openOrders } from './orders.ts'
import { privateOperations, publicOperations } from './operations.ts'
import type { Exchange } from './operations.ts'
import { mountRest } from './rest.ts'
import type { Credentials } from './rest.ts'
import { openSettings } from './settings.ts'
import { openStream } from './stream.ts'

/** What others than Kontor own at the exchange when the world begins; with Kontor's it is the 50,000,000 EUR that the bank gives each part. */
const OTHERS: Record<'maker' | 'house', Record<string, string>> = {
  maker: { EUR: '49650000', BTC: '3000', ETH: '60000', XRP: '50000000' },
  house: { EUR: '100000', BTC: '2', ETH: '50', XRP: '10000' },
}

export type ExchangePart = Part & {
  /** Registers where the client may withdraw to; `asset` is the common word. */
  addWithdrawalKey(key: { key: string; asset: string; address: string; tag: string | null }): void
  /** Where the exchange holds and receives this asset. */
  address(asset: string): { address: string; tag: string | null }
  reference: Funding['reference']
}

export function openExchange(world: World, chain: Chain, bank: BankRails): ExchangePart {
  const settings = openSettings(world)
  const accounts = openAccounts(world)
  const orders = openOrders(world)
  const funding = openFunding(world, chain, bank, accounts, settings)
  world.commit(() => { settings.once('genesis', genesis) })
  const matching = openMatching(world, accounts, orders)
  const market = openMarket(world, accounts, matching)
  const status = () => settings.get('status') ?? 'online'
  const exchange: Exchange = { world, accounts, orders, matching, market, funding, status }
  const stream = openStream(world, matching, market, status)
  const credentials = JSON.parse(credential(world.dir, 'kraken.json', () => (
    `${JSON.stringify({ api_key: randomBytes(42).toString('base64'), api_secret: randomBytes(64).toString('base64') } satisfies Credentials, null, 2)}\n`))) as Credentials

  function genesis(): string {
    for (const asset of ASSETS) {
      const shares: [Owner, string | undefined][] = [
        ['kontor', (KONTOR.kraken as Record<string, string>)[asset.common]], ['maker', OTHERS.maker[asset.common]], ['house', OTHERS.house[asset.common]],
      ]
      let total = 0n
      for (const [owner, share] of shares) {
        accounts.change(owner, asset.id, figure(share ?? '0'))
        total += figure(share ?? '0')
      }
      if (asset.id === 'ZEUR') bank.account({ part: PART, locator: 'clients', name: 'Payward Ltd' }, 'EUR')
      else chain.endow({ asset: asset.common, address: funding.address(asset).address, quantity: plain(total) })
    }
    return new Date(world.now()).toISOString()
  }
  const listed = (name: string) => {
    const asset = findAsset(name)
    if (asset === undefined) throw new Error(`${name} is not listed`)
    return asset
  }

  return {
    name: PART,
    mount(server) {
      mountRest(server, { world, settings, credentials, status, publicOperations: publicOperations(exchange), privateOperations: privateOperations(exchange) })
      mountControl(server, exchange, (next: Status) => { settings.set('status', next); stream.announce() })
    },
    holdings: () => accounts.all().map(({ owner, asset, total }) => ({ holder: owner, asset: findAsset(asset)?.common ?? asset, quantity: total })),
    upgrade: stream.upgrade,
    close: async () => { stream.close() },
    addWithdrawalKey: ({ asset, ...key }) => { funding.addKey({ ...key, asset: listed(asset).id }) },
    address: (asset) => funding.address(listed(asset)),
    reference: funding.reference,
  }
}
