/** The policies of workspaces: the one in force, and those before it. A version never changes. */
import type { WorkspaceId } from '../../core/ids.ts'
import { refuse } from '../../core/errors.ts'
import { mustExist } from '../../core/assert.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { NO_POLICY } from './policy.schema.ts'
import type { PolicyInForce, PutPolicyBody } from './policy.schema.ts'

type Row = Omit<PolicyInForce, 'version'> & {
  version: number
  rules: PolicyInForce['rules'] | null
}

export const POLICY_COLUMNS = sql`version, rules, otherwise, note, made_by, made_at`

/** One read of one row. */
const policyQuery = (workspace: WorkspaceId): Query => sql`
  select l.policy_version as version, p.rules, p.otherwise, p.note, p.made_by, p.made_at
  from lanes l
  left join policies p on p.workspace = l.workspace
    and p.version = l.policy_version
  where l.workspace = ${workspace}`

function policyFrom([row]: readonly Row[]): PolicyInForce {
  if (row === undefined || row.rules === null) return NO_POLICY
  return { ...row, version: Number(row.version) }
}

export const policyInForce = async (
  reader: Reader,
  workspace: WorkspaceId,
): Promise<PolicyInForce> => policyFrom(await reader.query<Row>(policyQuery(workspace)))

/** Under the lock of the lane, so that whatever it commits later is judged by the new policy. */
export async function putPolicy(
  tx: Tx,
  { workspace, by, now }: { workspace: WorkspaceId; by: string; now: number },
  { version, rules, otherwise, note }: PutPolicyBody,
): Promise<PolicyInForce> {
  const before = await policyInForce(tx, workspace)
  if (version !== before.version)
    throw refuse(
      'STALE_VERSION',
      'version',
      `the policy has changed: its version is ${before.version}`,
    )
  const after: PolicyInForce = {
    version: version + 1,
    rules,
    otherwise,
    note: note ?? null,
    made_by: by,
    made_at: now,
  }
  await tx.query(sql`
    insert into policies (workspace, version, rules, otherwise, note, made_by, made_at)
    values (
      ${workspace}, ${after.version}, ${JSON.stringify(rules)}::jsonb, ${otherwise}, ${after.note},
      ${by}, ${now}
    )`)
  const [moved] = await tx.query<{ version: number }>(sql`
    update lanes
    set policy_version = ${version + 1}
    where workspace = ${workspace}
      and policy_version = ${version}
    returning policy_version as version`)
  mustExist(moved, 'the lane is locked')
  return after
}
