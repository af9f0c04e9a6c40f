/** Whether a policy would still let somebody change it. */
import { groupsOf, isComplete, judge, missingApprovals } from '../ledger/index.ts'
import type { Judgement, Policy } from '../ledger/index.ts'
import type { ActiveUser } from '../access/index.ts'

const STEP_MILLISECONDS = 15 * 60_000
const WEEK_STEPS = (7 * 86_400_000) / STEP_MILLISECONDS

type User = Pick<ActiveUser, 'id' | 'permissions'> & { roles: readonly string[] }

/** Why nobody could change the policy any more; undefined when somebody can, at some time. */
export function lockedOut(policy: Policy, users: readonly User[], now: number): string | undefined {
  const writers = users.filter(({ permissions }) => permissions.has('policy.write'))
  let first: Judgement | undefined
  for (const at of momentsOf(policy, now))
    for (const user of writers) {
      const judgement = changeBy(policy, user, at)
      if (canChange(judgement, users, user)) return undefined
      first ??= judgement
    }
  if (first === undefined) return 'no active user has the permission policy.write'
  const why = first.verdict === 'DENY' ? 'is denied' : 'cannot be approved by anybody'
  return `nobody could change this policy any more: a change of the policy ${why}: ${first.reason}`
}

/** A rule that counts at some times leaves others: every quarter of an hour of a week. */
function momentsOf({ rules }: Policy, now: number): number[] {
  const steps = rules.some(({ when }) => when.time_of_day !== undefined) ? WEEK_STEPS : 1
  return Array.from({ length: steps }, (_, step) => now + step * STEP_MILLISECONDS)
}

const changeBy = (policy: Policy, { id, roles }: User, at: number): Judgement => {
  const requester = { user_id: id, api_key_id: null, roles }
  return judge(policy, { command: 'POLICY_CHANGE', at, requester }, () => 0n)
}

function canChange({ verdict, approve }: Judgement, users: readonly User[], who: User): boolean {
  if (verdict === 'ALLOW') return true
  if (approve === undefined) return false
  const others = users.filter(
    ({ id, permissions }) => id !== who.id && permissions.has('approvals.decide'),
  )
  const approvers = others.map(({ id, roles }) => groupsOf(approve.groups, { user_id: id, roles }))
  return isComplete(missingApprovals(approve.groups, approvers))
}
