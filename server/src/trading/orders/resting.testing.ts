/** For tests of LIMIT orders: what an exchange reports of them, and how one comes to rest there. */
import type { ExecutionId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import type { TaskResult } from '../../store/tasks.ts'
import type { OrderReport, VenueFill } from '../../venues/index.ts'
import type { Execution } from '../executions/executions.schema.ts'
import { Desk, openTradingApi } from '../testing/desk.testing.ts'
import { openWorld, report } from '../testing/trading.fixture.ts'
import { advanceExecution } from './orders.ts'

export const found = (state: OrderReport['state'], ...fills: VenueFill[]) => ({
  lookup: 'found' as const,
  report: report(state, fills),
})

export const accepted = (state: OrderReport['state'], ...fills: VenueFill[]) => ({
  outcome: 'accepted' as const,
  report: report(state, fills),
})

/** One BTC is bought at 60000 at most, unless the test says otherwise. */
export class LimitDesk extends Desk {
  /** The customer whose orders they are. */
  alice!: Customer

  static async open(): Promise<LimitDesk> {
    const world = await openWorld()
    return new LimitDesk(world, await openTradingApi(world))
  }

  /** An exchange that has said nothing yet, and a new customer. */
  async begin(): Promise<void> {
    this.reset()
    this.alice = await this.world.customer()
  }

  limit(more: Record<string, unknown> = {}): Promise<Execution> {
    return this.execute({
      execution_type: 'LIMIT',
      side: 'BUY',
      amount: '1',
      price: '60000',
      customers: [{ customer_id: this.alice.id }],
      ...more,
    })
  }

  work(id: ExecutionId): Promise<TaskResult> {
    return advanceExecution(this.world.app, this.world.workspace, id)
  }

  /** Sent, and resting at the exchange. */
  async rest(more: Record<string, unknown> = {}): Promise<Execution> {
    const { exchange } = this.world
    const created = await this.limit(more)
    exchange.sends = [() => accepted('NEW')]
    exchange.finds = [() => found('NEW')]
    await this.work(created.id)
    return created
  }
}
