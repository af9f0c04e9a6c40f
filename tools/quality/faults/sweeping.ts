/**
 * A job that leaves a fixed quantity at the source: what leaves with its fee is what a dry run
 * said, and then there is nothing more to sweep.
 */
import { decimal, format } from '../../../server/src/core/decimal.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { around, unless } from './flow.ts'
import type { Expectation, Flow, FlowRun, Outcome } from './flow.ts'
import { transferOutcome } from './transfers.ts'
import type { World } from './world.ts'

type Measurement = {
  state: string
  explanation: string
  quantity: string | null
  fee_estimate: string | null
  balance_from: string | null
  reserved: string | null
  withdrawal_id?: string | null
}

const SWEPT = '0.011'

const leaving = ({ quantity, fee_estimate }: Measurement): string =>
  format(decimal(quantity ?? '0') + decimal(fee_estimate ?? '0'))

class Sweep implements FlowRun {
  readonly subject: string
  readonly marks: string[]
  readonly #world: World
  readonly #expected: Expectation
  readonly #job: object
  /** With its target; it begins inactive. */
  #aimed: { job: object; dryRun: string } | undefined

  private constructor(world: World, id: string, job: object, expected: Expectation) {
    this.#world = world
    this.#expected = expected
    this.#job = { ...job, id, active: false }
    this.subject = id
    this.marks = [id]
  }

  static async begin(world: World, expected: Expectation, key: string): Promise<Sweep> {
    const job = {
      route: await world.route('Vault to Kraken BTC'),
      interval: 15,
      speed_level: 'DEFAULT',
      condition_type: 'SWEEPING',
      min_quantity: '0.001',
    }
    const { id } = await world.call<{ id: string }>(
      'POST',
      '/treasury/jobs',
      { ...job, active: false, conditions: [{ target: '0' }] },
      key,
    )
    return new Sweep(world, id, job, expected)
  }

  async outcome(): Promise<Outcome | undefined> {
    this.#aimed ??= await this.#aim()
    if (this.#aimed === undefined) return undefined
    const [run, ...more] = await this.#world.call<Measurement[]>(
      'GET',
      `/treasury/jobs/${this.subject}/runs`,
    )
    if (run === undefined) return undefined
    const ended = await this.#endOf(run)
    if (ended === undefined) return undefined
    const after = await this.#dryRun()
    if (after.reserved !== '0') return undefined
    const { job, dryRun } = this.#aimed
    await this.#world.call('PUT', '/treasury/jobs', job)
    const transfers = await this.#transfers()
    return {
      ...ended,
      wrong: [
        ...ended.wrong,
        ...unless(
          more.length === 0 && transfers === 1,
          `${more.length + 1} runs, ${transfers} transfers`,
        ),
        ...unless(
          leaving(run) === dryRun && dryRun === SWEPT,
          `the dry run said ${dryRun}, ${leaving(run)} left`,
        ),
        ...unless(after.state === 'SKIPPED', `there is more to sweep: ${after.explanation}`),
      ],
    }
  }

  async waiting(): Promise<string[]> {
    return []
  }

  /**
   * Sets the target so that a known quantity leaves, and activates the job. The venue shows a
   * moment later what has left; until then it is counted, and nothing is done.
   */
  async #aim(): Promise<{ job: object; dryRun: string } | undefined> {
    const { reserved, balance_from } = await this.#dryRun()
    if (reserved !== '0' || balance_from === null) return undefined
    const target = format(decimal(balance_from) - decimal(SWEPT))
    const job = { ...this.#job, conditions: [{ target }] }
    await this.#world.call('PUT', '/treasury/jobs', job)
    const dryRun = leaving(await this.#dryRun())
    await this.#world.call('PUT', '/treasury/jobs', { ...job, active: true })
    return { job, dryRun }
  }

  async #endOf(run: Measurement): Promise<Outcome | undefined> {
    const { state, withdrawal_id, explanation } = run
    if (state !== 'TRANSFERRED')
      return { state, asked: null, effects: 0, hold: 'none', wrong: [explanation] }
    return transferOutcome(this.#world, withdrawal_id ?? '', this.#expected, {
      venue: 'fireblocks',
      arrives: 'kraken',
    })
  }

  #dryRun(): Promise<Measurement> {
    return this.#world.call<Measurement>('POST', `/treasury/jobs/${this.subject}/dry-run`)
  }

  async #transfers(): Promise<number> {
    const { db, workspace } = this.#world
    const rows = await db.query(
      sql`
        select id
        from withdrawals
        where workspace = ${workspace}
          and job_id = ${this.subject}`,
    )
    return rows.length
  }
}

export const SWEEPING_FLOWS: readonly Flow[] = [
  {
    name: 'transfer job: sweep of a vault',
    venue: 'fireblocks',
    send: 'create_transaction',
    points: around('job', 'record'),
    meets: ['none'],
    apart: 1,
    begin: (world, expected, key) => Sweep.begin(world, expected, key),
  },
]
