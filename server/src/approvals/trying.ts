/** What a policy would have said: of one withdrawal now, and of those of the last weeks. */
import { requesterOf } from '../access/index.ts'
import type { Requester } from '../access/index.ts'
import type { Decimal } from '../core/decimal.ts'
import type { Caller } from '../http/index.ts'
import { countedParts, judge } from '../ledger/index.ts'
import type {
  Policy,
  PolicyAnswer,
  PolicyTrial,
  PreviewPolicyBody,
  TotalKey,
  TryPolicyBody,
} from '../ledger/index.ts'
import { askedMovements, factsOfMovement, previewWithdrawal } from '../treasury/index.ts'
import type { AskedMovement } from '../treasury/index.ts'
import type { ApprovalsApp } from './decisions.ts'
import { assertRules } from './policy.ts'

const DAY_MILLISECONDS = 86_400_000
const MAXIMUM_MOVEMENTS = 10_000
const SHOWN = 100
const MAXIMUM_REASON = 1_000

export async function previewPolicy(
  caller: Caller,
  app: ApprovalsApp,
  body: PreviewPolicyBody,
): Promise<PolicyAnswer> {
  const { policy_version, judgement } = await previewWithdrawal(caller, app, body)
  const { approve, verdict, rule, rule_name, reason, possible_at } = judgement
  return {
    policy_version,
    verdict,
    rule,
    rule_name,
    reason: reason.slice(0, MAXIMUM_REASON),
    possible_at,
    groups: approve?.groups ?? [],
    within_hours: approve?.within_hours ?? null,
  }
}

/** Refused: CONFLICT for a rule that cannot be followed. */
export async function tryPolicy(
  { workspace }: Caller,
  app: ApprovalsApp,
  { rules, otherwise, days }: TryPolicyBody,
): Promise<PolicyTrial> {
  assertRules(rules)
  const since = app.clock.now() - days * DAY_MILLISECONDS
  const limit = MAXIMUM_MOVEMENTS + 1
  const found = await askedMovements(app.db, workspace, { since, limit })
  const movements = found.slice(0, MAXIMUM_MOVEMENTS).toReversed()
  const requesters = new Map<string, Requester['requester']>()
  for (const by of new Set(movements.map((movement) => movement.by)))
    requesters.set(by, (await requesterOf(app.db, workspace, by)).requester)
  const trial = judgeAll({ version: 0, rules, otherwise }, movements, requesters)
  return { ...trial, complete: found.length <= MAXIMUM_MOVEMENTS }
}

const NOBODY: Requester['requester'] = { user_id: null, api_key_id: null, roles: [] }

/** In the order in which they were asked for: each sees what the earlier ones count. */
function judgeAll(
  policy: Policy,
  movements: readonly AskedMovement[],
  requesters: ReadonlyMap<string, Requester['requester']>,
): Omit<PolicyTrial, 'complete'> {
  const counts = { ALLOW: 0, DENY: 0, APPROVE: 0 }
  const matched = policy.rules.map(() => 0)
  const stopped: PolicyTrial['stopped'] = []
  const totals = new Map<string, Decimal>()
  const nameOf = ({ per, key, asset, day }: TotalKey) => `${per} ${key} ${asset} ${day}`
  const total = (key: TotalKey) => totals.get(nameOf(key)) ?? 0n
  for (const movement of movements) {
    const facts = factsOfMovement(movement, requesters.get(movement.by) ?? NOBODY)
    const { verdict, rule, reason } = judge(policy, facts, total)
    counts[verdict] += 1
    if (rule !== null) matched[rule - 1] = (matched[rule - 1] ?? 0) + 1
    const { id: withdrawal_id, at: asked_at, asset, quantity, ended } = movement
    const told = { withdrawal_id, asked_at, asset, quantity, verdict, rule }
    if (verdict !== 'ALLOW') stopped.push({ ...told, reason: reason.slice(0, MAXIMUM_REASON) })
    if (verdict === 'DENY' || ended) continue
    for (const part of countedParts(facts)) totals.set(nameOf(part), total(part) + part.quantity)
  }
  return {
    movements: movements.length,
    counts,
    matched,
    stopped: stopped.toReversed().slice(0, SHOWN),
  }
}
