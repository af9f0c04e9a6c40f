/** For tests of account trades: an exchange that lists the trades which the test says. */
import assert from 'node:assert/strict'
import { manualClock } from '../../core/clock.ts'
import type { ManualClock } from '../../core/clock.ts'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { ServiceId } from '../../core/ids.ts'
import type { TestServer } from '../../http/testing.ts'
import { houseAccounts, venueAccounts } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type {
  AccountTrade,
  PriceFeed,
  SetAsideRecord,
  Trading,
  Venue,
  VenueRecord,
} from '../../venues/index.ts'
import type { Fill } from '../executions/fills.schema.ts'
import { openTradingApi } from '../testing/desk.testing.ts'
import { fillFor, openWorld, report } from '../testing/trading.fixture.ts'
import type { World } from '../testing/trading.fixture.ts'
import { readAccountTrades } from './account-trades.ts'

type Balances = Record<string, string>
/** What the venue's account and the house hold, as text. */
type Holdings = Record<'venue' | 'trading' | 'house' | 'fee', Balances>

/** Fills every order at once, and lists `trades`. */
class ListingExchange {
  trades: AccountTrade[] = []
  /** Rows of the list that the adapter could not read. */
  unread: SetAsideRecord[] = []
  /** The cursors that were asked with. */
  cursors: (string | null)[] = []
  readonly #clock: ManualClock
  #feed: PriceFeed | undefined

  readonly trading: Trading = {
    supports: () => true,
    send: async (order) => ({
      outcome: 'accepted',
      report: {
        ...report('FILLED', [fillFor(newId(), '60000', format(order.quantity))]),
        foreign_id: `O-${order.client_order_id}`,
      },
    }),
    find: async () => ({ lookup: 'unknown', reason: 'not asked for' }),
    cancel: async () => ({ outcome: 'unknown', reason: 'not asked for' }),
    trades: async (cursor) => {
      this.cursors.push(cursor)
      const { trades, unread: set_aside } = this
      return { trades, set_aside, cursor: String(trades.length) }
    },
  }

  readonly adapter: Venue = {
    kind: 'EXCHANGE',
    balances: async () => [],
    protocols: async () => [],
    close: async () => undefined,
    trading: this.trading,
    prices: {
      pairs: async () => [
        {
          base_asset: 'BTC',
          quote_asset: 'EUR',
          price_step: decimal('0.1'),
          amount_step: decimal('0.00000001'),
          min_amount: decimal('0.0001'),
          taker_fee: decimal('0.0026'),
        },
      ],
      watch: (_pairs, feed) => {
        this.#feed = feed
        this.sendPrices()
        return async () => undefined
      },
    },
  }

  constructor(clock: ManualClock) {
    this.#clock = clock
  }

  sendPrices(): void {
    const level = (price: string) => [{ price: decimal(price), quantity: decimal('5') }]
    this.#feed?.book({
      base_asset: 'BTC',
      quote_asset: 'EUR',
      asks: level('60000'),
      bids: level('59990'),
      received_at: this.#clock.now(),
    })
  }
}

/** The venue with a trading service and one for transfers, as the database has them. */
async function insertVenue(world: World, venue: VenueRecord, service_id: ServiceId): Promise<void> {
  const { db } = world.database
  const common = sql`${world.clock.now()}, 'test', ${world.clock.now()}, 'test'`
  await db.query(sql`
    insert into venues (
      workspace, id, key, label, kind, settlement, config, state, system_created_at,
      system_created_by, system_updated_at, system_updated_by
    )
    values (
      ${world.workspace}, ${venue.id}, 'exchange', 'Exchange', 'EXCHANGE', 'PREFUNDED', '{}',
      'CONNECTED', ${common}
    )`)
  for (const [id, type] of [
    [service_id, 'TOMS'],
    [newId(), 'WOMS'],
  ] as const) {
    await db.query(
      sql`
        insert into services (
          workspace, id, venue_id, type, state, system_created_at, system_created_by,
          system_updated_at, system_updated_by
        )
        values (${world.workspace}, ${id}, ${venue.id}, ${type}, 'RUNNING', ${common})`,
    )
  }
}

export class TradeDesk {
  readonly world: World
  readonly api: TestServer
  readonly exchange: ListingExchange
  readonly venue: VenueRecord
  readonly service_id: ServiceId

  constructor(parts: Pick<TradeDesk, 'world' | 'api' | 'exchange' | 'venue' | 'service_id'>) {
    this.world = parts.world
    this.api = parts.api
    this.exchange = parts.exchange
    this.venue = parts.venue
    this.service_id = parts.service_id
  }

  /** BTC and EUR are opened. */
  static async open(): Promise<TradeDesk> {
    const clock = manualClock(Date.now())
    const exchange = new ListingExchange(clock)
    const world = await openWorld(exchange.adapter, clock)
    const [venue] = await world.app.venues.list(world.workspace)
    assert.ok(venue)
    const service_id = venue.services[0]?.id ?? ''
    await insertVenue(world, venue, service_id)
    const api = await openTradingApi(world)
    const desk = new TradeDesk({ world, api, exchange, venue, service_id })
    await desk.openAsset('BTC')
    await desk.openAsset('EUR')
    return desk
  }

  async close(): Promise<void> {
    await this.api.close()
    await this.world.close()
  }

  async openAsset(asset: string): Promise<void> {
    const { database, workspace, clock } = this.world
    await database.db.query(
      sql`
        insert into venue_openings (workspace, venue_id, asset, quantity, opened_at)
        values (${workspace}, ${this.venue.id}, ${asset}, 0, ${clock.now()})`,
    )
  }

  /** Runs the task; answers after how long it wants to run again. */
  observe(app = this.world.app): Promise<number> {
    return readAccountTrades({ app, venue: this.venue, service_id: this.service_id })
  }

  async fills(query = ''): Promise<Fill[]> {
    return (await this.api.call<Fill[]>('GET', `/toms/${this.service_id}/fills${query}`)).data
  }

  async events(foreign_id: string): Promise<string[]> {
    const { database, workspace } = this.world
    const rows = await database.db.query<{ type: string }>(
      sql`
        select type
        from events
        where workspace = ${workspace}
          and data ->> 'foreign_id' = ${foreign_id}
        order by sequence`,
    )
    return rows.map((row) => row.type)
  }

  async #holdings(): Promise<Holdings> {
    const { database, workspace, balances } = this.world
    const { VENUE, TRADING } = await venueAccounts(database.db, workspace, this.venue.id)
    const { HOUSE, FEE } = await houseAccounts(database.db, workspace)
    return {
      venue: await balances(VENUE),
      trading: await balances(TRADING),
      house: await balances(HOUSE),
      fee: await balances(FEE),
    }
  }

  /** What the work changes of the holdings. */
  async change(work: () => Promise<unknown>): Promise<Holdings> {
    const first = await this.#holdings()
    await work()
    const then = await this.#holdings()
    return {
      venue: grown(first.venue, then.venue),
      trading: grown(first.trading, then.trading),
      house: grown(first.house, then.house),
      fee: grown(first.fee, then.fee),
    }
  }
}

const grown = (was: Balances, is: Balances): Balances =>
  Object.fromEntries(
    [...new Set([...Object.keys(was), ...Object.keys(is)])]
      .toSorted()
      .map((asset) => [asset, format(decimal(is[asset] ?? '0') - decimal(was[asset] ?? '0'))])
      .filter(([, value]) => value !== '0'),
  )

export const outsideTrade = (more: Partial<AccountTrade> = {}): AccountTrade => ({
  ...fillFor(newId(), '60000', '0.5'),
  order_foreign_id: `O-${newId()}`,
  client_order_id: null,
  base_asset: 'BTC',
  quote_asset: 'EUR',
  side: 'BUY',
  ...more,
})
