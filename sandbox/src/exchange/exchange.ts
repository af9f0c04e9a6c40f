/**
 * A simulated exchange: books, matching, a market that moves, and funding by chain and bank. Its
 * face speaks the protocol of the real exchange. Its holdings belong to `kontor` (the client),
 * the maker and the house; their sum is what lies at its addresses.
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
import { Market } from './market.ts'
import { Matching } from './matching.ts'
import { openOrders } from './orders.ts'
import type { Orders } from './orders.ts'
import { assetByWord, assetOf, isMoney } from './rules.ts'
import type { Rules } from './rules.ts'
import { openSettings } from './settings.ts'
import type { Settings } from './settings.ts'

export const STATUSES = ['online', 'maintenance', 'cancel_only', 'limit_only'] as const
export type Status = (typeof STATUSES)[number]

type Credentials = { api_key: string; api_secret: string; passphrase?: string }

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

/** What the client talks to: HTTP, a stream, and the control routes. */
type Face = {
  mount(server: FastifyInstance): void
  upgrade: NonNullable<Part['upgrade']>
  close(): void
}

export type ExchangePart = Part & {
  /** Where the exchange holds and receives this asset. */
  address(asset: string): { address: string; tag: string | null }
  reference: Funding['reference']
}

type ExchangeOptions = {
  rules: Rules
  /** Makes the client's credentials at the first start. */
  createCredentials(): Credentials
  /** Whether a wire from this account is the client's even without the reference. */
  knowsPayer(iban: string): boolean
}

/** Opens everything behind the face. The exchange's own holdings are created at its first start. */
export function openExchange(
  world: World,
  rails: { chain: Chain; bank: BankRails },
  { rules, createCredentials, knowsPayer }: ExchangeOptions,
): Exchange {
  const settings = openSettings(world, rules.tables)
  const accounts = openAccounts(
    world,
    rules.tables,
    new Map(rules.assets.map((asset) => [asset.id, figure(rules.credit?.[asset.common] ?? '0')])),
  )
  const orders = openOrders(world, rules.tables)
  const funding = openFunding({ world, rules, ...rails, accounts, settings, knowsPayer })
  world.commit(() => {
    settings.once('genesis', () => new Date(world.now()).toISOString())
    endow(rails, { rules, accounts, funding })
  })
  const behaviour = openBehaviour(settings)
  const matching = new Matching({ world, rules, accounts, orders, behaviour })
  world.onTick((now) => {
    matching.expire(now)
  })
  const market = new Market({ world, rules, accounts, matching })
  const status = () => STATUSES.find((status) => status === settings.get('status')) ?? 'online'
  const credentials = JSON.parse(
    credential(
      world.dir,
      `${rules.part}.json`,
      () => `${JSON.stringify(createCredentials(), null, 2)}\n`,
    ),
  ) as Credentials

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

/** Creates what the exchange and its clients hold of each asset, when it is first listed. */
function endow(
  { chain, bank }: { chain: Chain; bank: BankRails },
  { rules, accounts, funding }: Pick<Exchange, 'rules' | 'accounts' | 'funding'>,
): void {
  const listed = new Set(accounts.all().map(({ asset }) => asset))
  for (const asset of rules.assets.filter(({ id }) => !listed.has(id))) {
    let total = 0n
    for (const [owner, holdings] of Object.entries(rules.shares)) {
      const share = figure(holdings[asset.common] ?? '0')
      accounts.change(owner as Owner, asset.id, share)
      total += share
    }
    if (isMoney(asset)) {
      const owner = { part: rules.part, locator: 'clients', name: rules.bank_name }
      bank.account(owner, asset.common)
    } else {
      const { address } = funding.address(asset)
      chain.endow({ asset: asset.common, address, quantity: plain(total) })
    }
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
