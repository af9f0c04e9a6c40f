/** Transfer jobs as flows: one run moves money once. */
import { sql } from '../../../server/src/store/sql.ts'
import { around, unless } from './flow.ts'
import type { Expectation, Flow, FlowRun, Outcome } from './flow.ts'
import { SEND, transferOutcome, withheldWrong } from './transfers.ts'
import { NUMBERED_MEETS } from './ways.ts'
import type { World } from './world.ts'

/** A job that moves a fixed quantity at each tick, and what has become of it. */
class ConditionalJob implements FlowRun {
  readonly subject: string
  readonly marks: string[]
  readonly #world: World
  readonly #expected: Expectation
  readonly #body: object
  #stopped = false
  /** Skipped runs after which it was activated again. */
  #answered = 0

  private constructor(world: World, id: string, body: object, expected: Expectation) {
    this.#world = world
    this.#expected = expected
    this.#body = body
    this.subject = id
    this.marks = [id]
  }

  static async begin(
    world: World,
    asset: 'BTC' | 'ETH',
    { expected, key }: { expected: Expectation; key: string },
  ): Promise<ConditionalJob> {
    const body = {
      route: await world.route(`Vault to Bitstamp ${asset}`),
      active: true,
      interval: 15,
      speed_level: 'DEFAULT',
      condition_type: 'CONDITIONAL',
      quantity: world.quantity(asset),
      conditions: [{ balance_side: 'from', predicate: 'GT', quantity: '0.5' }],
    }
    const { id } = await world.call<{ id: string }>('POST', '/treasury/jobs', body, key)
    return new ConditionalJob(world, id, body, expected)
  }

  async outcome(): Promise<Outcome | undefined> {
    const [first, ...more] = await this.#transfers()
    if (first === undefined) {
      await this.#activateAgain()
      return undefined
    }
    // Its next tick is another transfer.
    if (!this.#stopped) await this.#setActive(false)
    this.#stopped = true
    const ended = await transferOutcome(this.#world, first.id, this.#expected, {
      venue: 'fireblocks',
      arrives: 'bitstamp',
    })
    if (ended === undefined) return undefined
    const states = await this.#runStates()
    return {
      ...ended,
      wrong: [
        ...ended.wrong,
        ...unless(more.length === 0, `${more.length + 1} transfers`),
        ...unless(states === 'TRANSFERRED', `runs ${states}`),
      ],
    }
  }

  /**
   * A run that cannot ask the venue is SKIPPED or FAILED with its reason and makes nothing; one
   * that could may wait.
   */
  async waiting(): Promise<string[]> {
    const [first] = await this.#transfers()
    return first === undefined ? [] : withheldWrong(this.#world, first.id, true)
  }

  /**
   * Where its venue was silent at its tick, the next one is a quarter of an hour away: activated
   * again it runs at once. Before a run in the hour that has passed for the service and not here,
   * its tick is still due.
   */
  async #activateAgain(): Promise<void> {
    const runs = await this.#runs()
    const skipped = runs.filter(
      (run) => run.state !== 'TRANSFERRED' && run.finished_at > Date.now(),
    ).length
    if (this.#expected !== 'late' || skipped <= this.#answered) return
    for (const active of [false, true]) await this.#setActive(active)
    this.#answered = skipped
  }

  async #runStates(): Promise<string> {
    const states = (await this.#runs()).map((run) => run.state)
    return states
      .filter((state) => this.#expected !== 'late' || (state !== 'FAILED' && state !== 'SKIPPED'))
      .join()
  }

  #setActive(active: boolean): Promise<unknown> {
    return this.#world.call('PUT', '/treasury/jobs', { ...this.#body, id: this.subject, active })
  }

  #transfers() {
    const { db, workspace } = this.#world
    return db.query<{ id: string }>(
      sql`
        select id
        from withdrawals
        where workspace = ${workspace}
          and job_id = ${this.subject}`,
    )
  }

  #runs() {
    const { db, workspace } = this.#world
    return db.query<{ state: string; finished_at: number }>(
      sql`
        select state, finished_at
        from job_runs
        where workspace = ${workspace}
          and job_id = ${this.subject}`,
    )
  }
}

const job = (name: string, asset: 'BTC' | 'ETH'): Flow => ({
  name,
  venue: 'fireblocks',
  send: SEND.fireblocks,
  points: around('job', 'load', 'assess', 'record'),
  begin: (world, expected, key) => ConditionalJob.begin(world, asset, { expected, key }),
})

export const JOBS: readonly Flow[] = [
  job('transfer job: vault to exchange', 'BTC'),
  {
    ...job('transfer job: vault to exchange, numbered chain', 'ETH'),
    numbered: true,
    meets: NUMBERED_MEETS,
  },
]
