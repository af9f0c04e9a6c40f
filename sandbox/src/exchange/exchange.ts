/**
 * A simulated exchange: books, matching and a market that moves, funding by chain and bank, and a face that speaks the real
 * one's protocol. What it holds is `kontor` (the client), the maker's and the house's; in sum what lies at its addresses.
 */
import type { FastifyInstance } from 'fastify'
import type { BankRails, Chain, Part } from '../part.ts'
import type { World } from '../world.ts'
import { credential } from '../credentials.ts'
import { openBehaviour } from './behaviour.ts'
import type { Behaviour } from './behaviour.ts'
import { openAccounts } from './accounts.ts'
import type { Accounts, Owner } from './accounts.ts'
import { figure, plain } from './figures.ts'
import { openFunding } from './funding.ts'
import type { Funding } from './funding.ts'
import { openMarket } from './market.ts'
import type { Market } from './market.ts'
import { openMatching } from './matching.ts'
import type { Matching } from './matching.ts'
import { openOrders } from './orders.ts'
import type { Orders } from './orders.ts'
import { assetByWord, assetOf, isMoney } from './rules.ts'
import type { Rules } from './rules.ts'
import { openSettings } from './settings.ts'
import type { Settings } from './settings.ts'

export const STATUSES = ['online', 'maintenance', 'cancel_only', 'limit_only'] as const
export type Status = (typeof STATUSES)[number]

export type Credentials = { api_key: string; api_secret: string }

export type Exchange = {
  world: World
  rules: Rules
  settings: Settings
  behaviour: Behaviour
  accounts: Accounts
  orders: Orders
  matching: Matching
  market: Market
  funding: Funding
  status(): Status
  credentials: Credentials
}

/** What speaks to the client: HTTP, a stream, the experimenter's own routes. */
export type Face = {
  mount(server: FastifyInstance): void
  upgrade: NonNullable<Part['upgrade']>
  close(): void
}

export type ExchangePart = Part & {
  /** Where the exchange holds and receives this asset. */
  address(asset: string): { address: string; tag: string | null }
  reference: Funding['reference']
}

/** Opens the machinery with its genesis; `create` makes the client's credentials at the first start. */
export function openExchange(
  world: World,
  chain: Chain,
  bank: BankRails,
  rules: Rules,
  create: () => Credentials,
  knowsPayer: (iban: string) => boolean,
): Exchange {
  const settings = openSettings(world, rules.tables)
  const accounts = openAccounts(
    world,
    rules.tables,
    new Map(rules.assets.map((asset) => [asset.id, figure(rules.credit?.[asset.common] ?? '0')])),
  )
  const orders = openOrders(world, rules.tables)
  const funding = openFunding(world, rules, chain, bank, accounts, settings, knowsPayer)
  world.commit(() => {
    settings.once('genesis', genesis)
  })
  const behaviour = openBehaviour(settings)
  const matching = openMatching(world, rules, accounts, orders, behaviour)
  world.onTick((now) => {
    matching.expire(now)
  })
  const market = openMarket(world, rules, accounts, matching)
  const status = () => STATUSES.find((status) => status === settings.get('status')) ?? 'online'
  const credentials = JSON.parse(
    credential(world.dir, `${rules.part}.json`, () => `${JSON.stringify(create(), null, 2)}\n`),
  ) as Credentials

  function genesis(): string {
    for (const asset of rules.assets) {
      let total = 0n
      for (const [owner, held] of Object.entries(rules.shares)) {
        const share = figure(held[asset.common] ?? '0')
        accounts.change(owner as Owner, asset.id, share)
        total += share
      }
      if (isMoney(asset))
        bank.account({ part: rules.part, locator: 'clients', name: rules.bank_name }, asset.common)
      else
        chain.endow({
          asset: asset.common,
          address: funding.address(asset).address,
          quantity: plain(total),
        })
    }
    return new Date(world.now()).toISOString()
  }
  return {
    world,
    rules,
    settings,
    behaviour,
    accounts,
    orders,
    matching,
    market,
    funding,
    status,
    credentials,
  }
}

export function exchangePart({ rules, accounts, funding }: Exchange, face: Face): ExchangePart {
  return {
    name: rules.part,
    mount: face.mount,
    holdings: () =>
      accounts.all().map(({ owner, asset, total }) => ({
        holder: owner,
        asset: assetOf(rules, asset).common,
        quantity: total,
      })),
    upgrade: face.upgrade,
    close: async () => {
      face.close()
    },
    address: (asset) => funding.address(assetByWord(rules, asset)),
    reference: funding.reference,
  }
}
