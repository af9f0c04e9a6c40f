/** For tests of one exchange: it is opened at a sandbox of its own, and ended after them. */
import { after, before } from 'node:test'
import type { TestContext } from 'node:test'
import type { Prices, Trading, Transfers, Venue, VenueBalance } from '../contract.ts'
import { startSandbox } from '../sandbox-process.testing.ts'
import type { SandboxProcess } from '../sandbox-process.testing.ts'
import { HASTY } from './exchange.fixture.ts'
import type { FaultDesk } from './exchange.fixture.ts'
import type { ExchangeConfig } from './exchange.ts'

export type OpenExchange = (
  sandbox: SandboxProcess,
  more?: Partial<ExchangeConfig>,
) => Promise<Venue>

type Figures = { free: bigint; used: bigint; total: bigint }

export class ExchangeDesk implements FaultDesk {
  #sandbox: SandboxProcess | undefined
  #venue: Venue | undefined
  #hasty: Venue | undefined

  /** Inside a `describe`: for all of its tests. */
  constructor(
    open: OpenExchange,
    prepare: (sandbox: SandboxProcess) => Promise<void> = async () => undefined,
  ) {
    before(async () => {
      this.#sandbox = await startSandbox()
      await prepare(this.#sandbox)
      this.#venue = await open(this.#sandbox)
      this.#hasty = await open(this.#sandbox, HASTY)
    })
    after(async () => {
      await this.#venue?.close()
      await this.#hasty?.close()
      await this.#sandbox?.stop()
    })
  }

  get sandbox(): SandboxProcess {
    return mustBe(this.#sandbox)
  }

  get venue(): Venue {
    return mustBe(this.#venue)
  }

  /** Waits a short time only. */
  get hasty(): Venue {
    return mustBe(this.#hasty)
  }

  get trading(): Trading {
    return mustBe(this.venue.trading)
  }

  get transfers(): Transfers {
    return mustBe(this.venue.transfers)
  }

  get prices(): Prices {
    return mustBe(this.venue.prices)
  }

  async balance(asset: string): Promise<Figures> {
    const balances: VenueBalance[] = await this.venue.balances()
    return balances.find((balance) => balance.asset === asset) as Figures
  }

  /** Time goes on only when the test says so: no state is missed, however slow the machine. */
  async stopClock(context: TestContext): Promise<void> {
    context.after(() => this.sandbox.control('POST', 'clock', { pace: 1 }))
    await this.sandbox.control('POST', 'clock', { pace: 0 })
  }
}

function mustBe<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the exchange is not open, or lacks this')
  return part
}
