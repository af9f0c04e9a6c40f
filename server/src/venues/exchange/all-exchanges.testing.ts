/** For tests of what all exchanges do: each opened at the same sandbox, and orders sent there. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { mustExist } from '../../core/assert.ts'
import { decimal } from '../../core/decimal.ts'
import type { OrderReport, Trading, Venue, VenueOrder } from '../contract.ts'
import { startSandbox } from '../sandbox-process.testing.ts'
import type { SandboxProcess } from '../sandbox-process.testing.ts'
import { openAt, order, orderLookup, spelled } from './exchange.fixture.ts'

const EXCHANGES = {
  kraken: { operation: 'AddOrder', path: 'kraken', stream: 'kraken/ws/v2' },
  bitstamp: { operation: 'order', path: 'bitstamp/api', stream: 'bitstamp/ws' },
  okx: { operation: 'order', path: 'okx', stream: 'okx/ws/v5' },
} as const
export type ExchangeName = keyof typeof EXCHANGES
export const EXCHANGE_NAMES = ['kraken', 'bitstamp', 'okx'] as const

export const MINUTE = 60_000
/** What is traded where a test names no other quantity. */
export const TENTH = decimal('0.1')

export class AllExchanges {
  readonly #venues = new Map<ExchangeName, Venue>()
  #sandbox: SandboxProcess | undefined

  /** Inside a `describe`: for all of its tests. */
  constructor() {
    before(async () => {
      this.#sandbox = await startSandbox()
      for (const name of EXCHANGE_NAMES) this.#venues.set(name, await this.#open(name))
    })
    after(async () => {
      for (const venue of this.#venues.values()) await venue.close()
      await this.#sandbox?.stop()
    })
  }

  async #open(name: ExchangeName): Promise<Venue> {
    const { sandbox } = this
    const { path, stream } = EXCHANGES[name]
    await new ExchangeSide(this, name).setPrice('60000')
    return openAt(sandbox, {
      exchange: name,
      base_url: `${sandbox.url}/${path}`,
      websocket_url: `${sandbox.url.replace('http', 'ws')}/${stream}`,
    })
  }

  get sandbox(): SandboxProcess {
    return mustExist(this.#sandbox, 'the sandbox is started')
  }

  venue(name: ExchangeName): Venue {
    return mustExist(this.#venues.get(name), `${name} is open`)
  }
}

/** One of them, and its side of the sandbox. */
export class ExchangeSide {
  readonly name: ExchangeName
  /** How the sandbox calls the placing of an order. */
  readonly operation: string
  readonly #all: AllExchanges

  constructor(all: AllExchanges, name: ExchangeName) {
    this.name = name
    this.operation = EXCHANGES[name].operation
    this.#all = all
  }

  get venue(): Venue {
    return this.#all.venue(this.name)
  }

  get trading(): Trading {
    return mustExist(this.venue.trading, 'an exchange trades')
  }

  async now(): Promise<number> {
    return (await this.#all.sandbox.control<{ now: number }>('GET', 'clock')).now
  }

  /** The market stands there. */
  async setPrice(price: string): Promise<void> {
    const market = { pair: 'BTC/EUR', price, frozen: true }
    await this.#all.sandbox.control('POST', `${this.name}/market`, market)
  }

  async behave(behaviour: { fill_at_most?: string; listing_delay_ms?: number }): Promise<void> {
    await this.#all.sandbox.control('POST', `${this.name}/behaviour`, behaviour)
  }

  /** The exchange fills `quantity` of it, wherever the market is. */
  async fill({ client_order_id }: VenueOrder, quantity: string): Promise<void> {
    const path = `${this.name}/orders/${spelled(this.name, client_order_id)}/fill`
    await this.#all.sandbox.control('POST', path, { quantity })
  }

  /** How often the exchange received an order, or this one. */
  received(one?: VenueOrder): Promise<number> {
    const reference = one === undefined ? undefined : spelled(this.name, one.client_order_id)
    return this.#all.sandbox.received(this.name, this.operation, reference)
  }

  /** Accepted, and received once. */
  async send(more: Partial<VenueOrder>): Promise<{ one: VenueOrder; report: OrderReport }> {
    const one = order({ quantity: TENTH, ...more })
    const answer = await this.trading.send(one)
    assert.ok(
      answer.outcome === 'accepted',
      JSON.stringify(answer, (_key, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
    )
    assert.equal(await this.received(one), 1)
    return { one, report: answer.report }
  }

  async stateOf(one: VenueOrder): Promise<OrderReport> {
    const found = await this.trading.find(orderLookup(one))
    assert.ok(found.lookup === 'found')
    return found.report
  }
}
