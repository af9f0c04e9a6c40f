/**
 * Asks the policy before an operation does its work: it is done, refused, or waits for approval.
 * Withdrawals are asked about where they are composed, since they have many ways.
 */
import { requesterOf } from '../access/index.ts'
import { assert } from '../core/assert.ts'
import { decimal, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { isAnswered } from '../http/index.ts'
import type { AnyCall, Endpoint, Work } from '../http/index.ts'
import { deniedError, isOff, isPolicyChanged, judge, policyInForce } from '../ledger/index.ts'
import type { Facts, PolicyInForce } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { JUDGED_OPERATIONS, NOT_JUDGED } from './commands.ts'
import type { Asked, JudgedOperation } from './commands.ts'
import type { ApprovalsApp } from './decisions.ts'
import { askForApproval } from './requests.ts'
import type { AskingApp } from './requests.ts'

const TRIES = 3
const READS: readonly Endpoint['effect'][] = ['read', 'list', 'file', 'stream']

/** The policies as this process last read them, for operations whose version the lane compares. */
type Known = Map<WorkspaceId, PolicyInForce>
type Judging = { app: AskingApp; known: Known; endpoint: Endpoint; judged: JudgedOperation }

/** The same endpoints. Throws for one that changes something and stands in no table. */
export function underPolicy(app: AskingApp, endpoints: readonly Endpoint[]): Endpoint[] {
  const known: Known = new Map()
  return endpoints.map((endpoint) => {
    const { operation_id, effect, permission } = endpoint
    if (READS.includes(effect) || permission === 'public') return endpoint
    const judged = JUDGED_OPERATIONS[operation_id]
    assert(
      (judged === undefined) === operation_id in NOT_JUDGED,
      `approvals/commands.ts says whether ${operation_id} is judged by the policy`,
    )
    if (judged === undefined) return endpoint
    const judging = { app, known, endpoint, judged }
    return { ...endpoint, around: (call, work) => judgedWork(judging, call, work) }
  })
}

async function judgedWork(judging: Judging, call: AnyCall, work: Work) {
  const { judged, known } = judging
  if (judged.when?.(askedOf(call)) === false) return work(call)
  for (let attempt = 1; ; attempt += 1) {
    const { workspace } = call.caller
    const before = judged.lane === true ? known.get(workspace) : undefined
    try {
      return await workIfAllowed(judging, call, work)
    } catch (error) {
      if (before !== undefined) known.delete(workspace)
      if (attempt === TRIES) throw error
      // A refusal by a policy that is replaced by now is none: the lane compares what passes alone.
      const isOld = before !== undefined && (await isReplaced(judging, workspace, before))
      if (!isOld && !isPolicyChanged(error)) throw error
    }
  }
}

const isReplaced = async ({ app }: Judging, workspace: WorkspaceId, before: PolicyInForce) =>
  (await policyInForce(app.db, workspace)).version !== before.version

async function workIfAllowed(judging: Judging, call: AnyCall, work: Work) {
  const { app } = judging
  const { workspace } = call.caller
  const policy = await policyFor(judging, workspace)
  const passed = { ...call, caller: { ...call.caller, judged_by: policy.version } }
  if (isOff(policy)) return work(passed)
  const asked = askedOf(call)
  const facts = await factsOf(judging, policy, call)
  const judgement = judge(policy, facts, () => 0n)
  if (judgement.verdict === 'ALLOW') return work(passed)
  if (await isAnswered(app.db, { workspace, idempotency: call.idempotency })) return work(call)
  if (judgement.verdict === 'DENY') throw deniedError(judgement)
  const { version: policy_version } = policy
  const { excluded } = await requesterOf(app.db, workspace, call.caller.by)
  const request = { ...asked, facts, judgement, policy_version, excluded }
  return askForApproval({ ...judging, call, work }, request)
}

const askedOf = ({ params, body }: AnyCall): Asked =>
  ({ params: params ?? {}, body: body ?? {} }) as Asked

async function policyFor({ app, known, judged }: Judging, workspace: WorkspaceId) {
  const found = judged.lane === true ? known.get(workspace) : undefined
  if (found !== undefined) return found
  const policy = await policyInForce(app.db, workspace)
  if (judged.lane === true) known.set(workspace, policy)
  return policy
}

/** Who asks costs a query, so it is read only where a rule is about people or programs. */
async function factsOf(
  { app, judged }: Judging,
  { rules }: PolicyInForce,
  call: AnyCall,
): Promise<Facts> {
  const { workspace, by } = call.caller
  const { command, route } = judged
  const asked = askedOf(call)
  const named = rules.filter(({ when }) => when.commands?.includes(command) ?? true)
  const isAboutPeople = named.some(({ when }) => when.requesters ?? when.roles ?? when.api_keys)
  const [{ requester }, moved] = await Promise.all([
    isAboutPeople ? requesterOf(app.db, workspace, by) : { requester: NOBODY },
    named.length === 0 ? {} : movedBy(app, workspace, { judged, asked }),
  ])
  const route_id = route === undefined ? undefined : asked[route.in][route.field]
  const over = typeof route_id === 'string' ? { route_id } : {}
  return { command, at: app.clock.now(), requester, ...moved, ...over }
}

const NOBODY: Facts['requester'] = { user_id: null, api_key_id: null, roles: [] }

type Moved = { asset?: string; quantity?: Decimal }

/** What a booking books, or what the record that is changed has moved. */
async function movedBy(
  { db }: ApprovalsApp,
  workspace: WorkspaceId,
  { judged: { about, record = '' }, asked }: { judged: JudgedOperation; asked: Asked },
): Promise<Moved> {
  const { body, params } = asked
  if (about === undefined) return {}
  if (about === 'TRANSFER')
    return { asset: String(body['asset']), quantity: decimal(String(body['quantity'])) }
  if (about === 'BOOKING') {
    const legs = body['legs'] as readonly { type: string; quantity: string }[]
    const debits = legs.filter(({ type }) => type === 'DEBIT')
    return {
      asset: String(body['asset']),
      quantity: sum(debits.map(({ quantity }) => decimal(quantity))),
    }
  }
  const [moved] = await db.query<{ asset: string; quantity: string }>(sql`
    select asset, quantity
    from ${about === 'DEPOSIT' ? sql`deposits` : sql`withdrawals`}
    where workspace = ${workspace}
      and id = ${params[record] ?? null}`)
  return moved === undefined ? {} : { asset: moved.asset, quantity: decimal(moved.quantity) }
}
