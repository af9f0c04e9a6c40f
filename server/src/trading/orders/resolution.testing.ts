/** For tests of what people do with executions whose outcome is not known. */
import assert from 'node:assert/strict'
import { newId } from '../../core/ids.ts'
import { openTradingApi } from '../testing/desk.testing.ts'
import { openWorld } from '../testing/trading.fixture.ts'
import type { Execution } from '../executions/executions.schema.ts'
import type { Fill } from '../executions/fills.schema.ts'
import { RESOLVE_AFTER_MILLISECONDS } from './deadlines.ts'
import { LimitDesk } from './resting.testing.ts'

export const unanswered = () => ({ lookup: 'unknown' as const, reason: 'down' })
export const absent = () => ({ lookup: 'absent' as const })
/** One trade for all of it, with an id of its own unless the test says. */
export const trade = (more: object = {}) => ({
  foreign_id: newId() as string,
  price: '60000',
  quantity: '1',
  fee: '156',
  ...more,
})
export const filled = (...fills: object[]) => ({
  state: 'FILLED',
  evidence: 'contract note 4711',
  fills: fills.length === 0 ? [trade()] : fills,
})
export const NEVER_PLACED = { state: 'NEVER_PLACED', evidence: 'their desk, by phone' }

export class ResolvingDesk extends LimitDesk {
  static override async open(): Promise<ResolvingDesk> {
    const world = await openWorld()
    return new ResolvingDesk(world, await openTradingApi(world))
  }

  market(more: Record<string, unknown> = {}): Promise<Execution> {
    return this.execute({
      execution_type: 'MARKET',
      side: 'BUY',
      amount: '1',
      customers: [{ customer_id: this.alice.id }],
      ...more,
    })
  }

  /** Its order was sent long ago, and the venue does not say what became of it. */
  async unknown(more: Record<string, unknown> = {}): Promise<Execution> {
    const { exchange, clock } = this.world
    const created = await this.market(more)
    exchange.sends = [() => ({ outcome: 'unknown', reason: 'time-out' })]
    exchange.finds = [() => ({ lookup: 'unknown', reason: 'down' })]
    await this.work(created.id)
    clock.advance(RESOLVE_AFTER_MILLISECONDS)
    this.world.market()
    const execution = await this.read(created.id)
    assert.equal(execution.state, 'UNKNOWN')
    return execution
  }

  async resolve(
    id: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<Execution> {
    const url = `/executions/${id}/resolve`
    const answer = await this.api.call<Execution>('POST', url, { body, headers })
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }

  async recheck(id: string): Promise<Execution> {
    const answer = await this.api.call<Execution>('POST', `/executions/${id}/recheck`)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }

  /** Why it cannot be resolved, in words. */
  async refusalText(id: string, body: object): Promise<string | undefined> {
    const answer = await this.api.call('POST', `/executions/${id}/resolve`, { body })
    return answer.error_details?.[0]?.message
  }

  /** Code and path. */
  refusal(id: string, body: object): Promise<string> {
    return this.#refusal(`/executions/${id}/resolve`, { body })
  }

  recheckRefusal(id: string): Promise<string> {
    return this.#refusal(`/executions/${id}/recheck`, {})
  }

  async #refusal(url: string, request: { body?: object }): Promise<string> {
    const { error_details } = await this.api.call('POST', url, request)
    return `${error_details?.[0]?.code} ${error_details?.[0]?.path}`
  }

  async fillsOf(id: string): Promise<Fill[]> {
    return (await this.api.call<Fill[]>('GET', `/executions/${id}/orders/fills`)).data
  }

  /** What somebody of another workspace is answered: resolve, recheck. */
  async asStranger(id: string): Promise<(number | undefined)[]> {
    const api = await openTradingApi(this.world, newId())
    const body = { state: 'NEVER_PLACED', evidence: newId() }
    const answers = [
      await api.call('POST', `/executions/${id}/resolve`, { body }),
      await api.call('POST', `/executions/${id}/recheck`),
    ]
    await api.close()
    return answers.map((answer) => answer.error_code)
  }
}
