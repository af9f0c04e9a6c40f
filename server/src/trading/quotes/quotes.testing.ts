/** For tests of quotes: two exchanges with their books, and a customer who asks for quotes. */
import type { Customer } from '../../customers/index.ts'
import { openPricingWorld } from '../testing/pricing-world.fixture.ts'
import type { PricingWorld, ROUTES } from '../testing/pricing-world.fixture.ts'
import type { CreateQuoteBody, Quote } from './quotes.schema.ts'

export class QuoteDesk {
  readonly world: PricingWorld
  readonly alice: Customer

  private constructor(world: PricingWorld, alice: Customer) {
    this.world = world
    this.alice = alice
  }

  static async open(): Promise<QuoteDesk> {
    const world = await openPricingWorld()
    return new QuoteDesk(world, await world.customer())
  }

  /** The books that a test begins with. */
  reset(): void {
    this.world.market('north', 'BTC/EUR', '60000×1 60100×2', '59990×1 59900×2')
    this.world.market('south', 'BTC/EUR', '60000×0.5 60200×1', '59980×0.5 59900×1')
    this.world.market('north', 'ETH/BTC', '0.04×10 0.0402×10', '0.0399×10 0.0398×10')
    this.world.market('north', 'ETH/EUR', '2402×10 2410×50', '2398×10 2390×50')
  }

  /** Alice asks for one of the base asset, unless the test says otherwise. */
  async ask(key: keyof typeof ROUTES, more: Partial<CreateQuoteBody> = {}): Promise<Quote> {
    const { id, base_asset } = await this.world.routeOf(key)
    return this.world.quote({
      route_id: id,
      request_asset: base_asset,
      request_quantity: '1',
      risk_duration_ms: 10_000,
      customer_id: this.alice.id,
      ...more,
    })
  }

  close(): Promise<void> {
    return this.world.close()
  }
}
