/** The policy as people change it: what a rule may say beyond its schema, and who may change it. */
import { activeUsers, assertTimeZone, ROLES } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import { refuse } from '../core/errors.ts'
import type { Caller } from '../http/index.ts'
import { lockLane, policyInForce, publishEvents, putPolicy } from '../ledger/index.ts'
import type { Approve, PolicyInForce, PutPolicyBody, Rule, When } from '../ledger/index.ts'
import type { Tx } from '../store/db.ts'
import { lockedOut } from './lock-out.ts'

/**
 * Refused: STALE_VERSION; CONFLICT for a rule that cannot be followed, and where nobody could
 * change the policy any more; POLICY_DENIED by the policy in force.
 */
export async function changePolicy(
  caller: Caller,
  { tx, clock }: { tx: Tx; clock: Clock },
  body: PutPolicyBody,
): Promise<PolicyInForce> {
  const { workspace, by, judged_by } = caller
  assertRules(body.rules)
  await lockLane(tx, workspace)
  const now = clock.now()
  const before = await policyInForce(tx, workspace)
  // The body may name the new version, but the one before it let this change pass.
  if (judged_by !== undefined && judged_by !== before.version)
    throw refuse('STALE_VERSION', 'version', `the policy has changed: it is ${before.version}`)
  const locked = lockedOut(body, await activeUsers(tx, workspace), now)
  if (locked !== undefined) throw refuse('CONFLICT', 'rules', locked)
  const policy = await putPolicy(tx, { workspace, by, now }, body)
  const { version, note } = policy
  await publishEvents(caller, { tx, clock }, [
    { type: 'policy.changed', resource_id: workspace, data: { version, note, by } },
  ])
  return policy
}

export function assertRules(rules: readonly Rule[]): void {
  for (const [place, rule] of rules.entries()) assertRule(rule, `rules[${place}]`)
}

function assertRule({ when, verdict, approve }: Rule, path: string): void {
  if ((verdict === 'APPROVE') !== (approve !== undefined))
    throw refuse(
      'CONFLICT',
      `${path}.approve`,
      'goes with the verdict to approve, and with no other',
    )
  assertWhen(when, `${path}.when`)
  if (approve !== undefined) assertGroups(approve, `${path}.approve`)
}

function assertWhen(when: When, path: string): void {
  const { commands = [], assets = [], amount_per_day_at_least: perDay, time_of_day } = when
  if ((when.amount_at_least ?? perDay) !== undefined && assets.length !== 1)
    throw refuse('CONFLICT', `${path}.assets`, 'an amount is of exactly one asset: name it')
  if (perDay !== undefined && (commands.length !== 1 || commands[0] !== 'WITHDRAWAL'))
    throw refuse('CONFLICT', `${path}.commands`, 'sums of a day count withdrawals alone')
  for (const role of when.roles ?? []) assertRole(role, `${path}.roles`)
  if (time_of_day === undefined) return
  assertTimeZone(time_of_day.zone, `${path}.time_of_day.zone`)
  if (time_of_day.from === time_of_day.to)
    throw refuse('CONFLICT', `${path}.time_of_day`, 'it begins and ends at the same time')
}

function assertGroups({ groups }: Approve, path: string): void {
  for (const [place, group] of groups.entries())
    for (const role of group.roles ?? []) assertRole(role, `${path}.groups[${place}].roles`)
}

function assertRole(role: string, path: string): void {
  if (!(ROLES as readonly string[]).includes(role))
    throw refuse('ENUM', path, `${role} is no role: ${ROLES.join(', ')}`)
}
