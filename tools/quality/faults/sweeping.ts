/**
 * A job that leaves so much at the source: what leaves with its fee is what a dry run said, and
 * then there is nothing more to sweep.
 */
import { decimal, format } from '../../../server/src/core/decimal.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { around, transferred } from './flows.ts'
import type { Flow, Outcome } from './flows.ts'
import type { World } from './world.ts'

type Measured = {
  state: string
  explanation: string
  quantity: string | null
  fee_estimate: string | null
  balance_from: string | null
  reserved: string | null
  withdrawal_id?: string | null
}

const SWEPT = '0.011'
const out = ({ quantity, fee_estimate }: Measured): string =>
  format(decimal(quantity ?? '0') + decimal(fee_estimate ?? '0'))

const SWEEP: Flow = {
  name: 'transfer job: sweep of a vault',
  venue: 'fireblocks',
  send: 'create_transaction',
  points: around('job', 'record'),
  meets: ['none'],
  apart: 1,
  async begin(world: World, expected, key) {
    const route = await world.route('Vault to Kraken BTC')
    const job = {
      route,
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
    const measured = () => world.call<Measured>('POST', `/treasury/jobs/${id}/dry-run`)
    const runs = () => world.call<Measured[]>('GET', `/treasury/jobs/${id}/runs`)
    let said: string | undefined
    let stopped: object | undefined
    return {
      subject: id,
      marks: [id],
      async outcome(): Promise<Outcome | undefined> {
        if (said === undefined) {
          const now = await measured()
          // The venue shows a moment later what has left; until then it is counted.
          if (now.reserved !== '0' || now.balance_from === null) return undefined
          stopped = {
            ...job,
            id,
            active: false,
            conditions: [{ target: format(decimal(now.balance_from) - decimal(SWEPT)) }],
          }
          await world.call('PUT', '/treasury/jobs', stopped)
          said = out(await measured())
          await world.call('PUT', '/treasury/jobs', { ...stopped, active: true })
        }
        const [run, ...more] = await runs()
        if (run === undefined) return undefined
        const ended =
          run.state === 'TRANSFERRED'
            ? await transferred(world, 'fireblocks', run.withdrawal_id ?? '', expected, 'kraken')
            : { state: run.state, asked: null, effects: 0, hold: 'none', wrong: [run.explanation] }
        if (ended === undefined) return undefined
        const after = await measured()
        if (after.reserved !== '0') return undefined
        await world.call('PUT', '/treasury/jobs', stopped)
        const left = await world.db.query(
          sql`
            select id
            from withdrawals
            where workspace = ${world.workspace}
              and job_id = ${id}`,
        )
        return {
          ...ended,
          wrong: [
            ...ended.wrong,
            ...(more.length === 0 && left.length === 1
              ? []
              : [`${more.length + 1} runs, ${left.length} transfers`]),
            ...(out(run) === said && said === SWEPT
              ? []
              : [`the dry run said ${said}, ${out(run)} left`]),
            ...(after.state === 'SKIPPED' ? [] : [`there is more to sweep: ${after.explanation}`]),
          ],
        }
      },
      waiting: async () => [],
    }
  },
}

export const SWEEPING_FLOWS: readonly Flow[] = [SWEEP]
