/** What speaks against a transfer job, as the other active ones are. It runs all the same. */
import { stateIn } from '../../store/states.ts'
import { JOB_MOVES } from './jobs.schema.ts'
import { decimal } from '../../core/decimal.ts'
import type { WalletId, WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { ConditionBody, ConditionType, JobWarning } from './jobs.schema.ts'

type JobMovement = {
  id: string
  condition_type: ConditionType
  conditions: ConditionBody[]
  from_wallet_id: WalletId
  to_wallet_id: WalletId
}

const MAXIMUM_NAMED = 10

/** By job; of those that are active. */
export async function warningsOf(
  reader: Reader,
  workspace: WorkspaceId,
  jobs: readonly {
    id: string
    active: boolean
    route: string
    condition_type: ConditionType
    conditions: ConditionBody[]
  }[],
): Promise<Map<string, JobWarning[]>> {
  const active = jobs.filter((job) => job.active)
  if (active.length === 0) return new Map()
  const routes = new Map(
    (
      await reader.query<{ id: string; from_wallet_id: WalletId; to_wallet_id: WalletId }>(sql`
        select id, from_wallet_id, to_wallet_id
        from treasury_routes
        where workspace = ${workspace}
          and id = any(${active.map((job) => job.route)}::uuid[])`)
    ).map((route) => [route.id, route]),
  )
  const sources = [...new Set([...routes.values()].map((route) => route.from_wallet_id))]
  const others = await reader.query<JobMovement>(sql`
    select j.id, j.condition_type, j.conditions, r.from_wallet_id, r.to_wallet_id
    from treasury_routes r
    join transfer_jobs j on j.workspace = r.workspace
      and j.route_id = r.id
    where r.workspace = ${workspace}
      and ${stateIn(JOB_MOVES, 'ACTIVE', 'j.state')}
      and (r.from_wallet_id = any(${sources}::uuid[]) or r.to_wallet_id = any(${sources}::uuid[]))
    order by j.id`)
  const entries = active.map((job): [string, JobWarning[]] => {
    const route = routes.get(job.route)
    const beside = others.filter((other) => other.id !== job.id)
    const shared = beside.filter((other) => other.from_wallet_id === route?.from_wallet_id)
    const back = beside.filter(
      (other) =>
        other.from_wallet_id === route?.to_wallet_id &&
        other.to_wallet_id === route.from_wallet_id &&
        movesBack(job, other),
    )
    const warnings = [
      ...warn('BACK_AND_FORTH', back, 'money the other way between the same wallets'),
      ...warn('SHARED_SOURCE', shared, 'money out of the same wallet'),
    ]
    return [job.id, warnings]
  })
  return new Map(entries)
}

function warn(code: JobWarning['code'], jobs: readonly JobMovement[], what: string): JobWarning[] {
  if (jobs.length === 0) return []
  const who =
    jobs.length === 1 ? 'another active job moves' : `${jobs.length} other active jobs move`
  const job_ids = jobs.slice(0, MAXIMUM_NAMED).map((job) => job.id)
  return [{ code, message: `${who} ${what}`, job_ids }]
}

/** Filling a wallet up to no more than what sweeping leaves there is no quarrel. */
export function movesBack(
  a: Pick<JobMovement, 'condition_type' | 'conditions'>,
  b: Pick<JobMovement, 'condition_type' | 'conditions'>,
): boolean {
  const of = (type: ConditionType) =>
    [a, b].find((movement) => movement.condition_type === type)?.conditions[0]?.target
  const [swept, filled] = [of('SWEEPING'), of('PROVISION')]
  return swept === undefined || filled === undefined || decimal(filled) > decimal(swept)
}
