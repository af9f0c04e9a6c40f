/**
 * Operations that wait for approval: kept as they were asked for, and done once after it, with an
 * idempotency key of the request, so that a repeat after a crash finds what was done.
 */
import { hash } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { activeCaller } from '../access/index.ts'
import { assert } from '../core/assert.ts'
import { format } from '../core/decimal.ts'
import { ApiError } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import { isId } from '../core/ids.ts'
import type { UserId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { forgetKey, idempotencyOf, performerOf } from '../http/index.ts'
import type { AnyCall, Endpoint, Work } from '../http/index.ts'
import { approvalMove, approvalRow, newApproval, openApproval } from '../ledger/index.ts'
import type {
  ApprovalRequest,
  ApprovalRow,
  AskedOperation,
  Change,
  Facts,
  Judgement,
} from '../ledger/index.ts'
import { placeOf, servingCall } from '../store/calls.ts'
import type { TaskHandler } from '../store/tasks.ts'
import type { Asked, JudgedOperation } from './commands.ts'
import { APPROVALS_WORKER, waitsForRequester } from './decisions.ts'
import type { ApprovalsApp } from './decisions.ts'

const MAXIMUM_FAILURE = 1_000

/** `request_key`: by which hashes of requests are made; they may have secrets. */
export type AskingApp = ApprovalsApp & { request_key?: KeyObject | undefined }

/** An operation, what it is called with, and what it does. */
type Waiting = {
  app: AskingApp
  endpoint: Endpoint
  judged: JudgedOperation
  call: AnyCall
  work: Work
}

/** What was asked for, and what the policy said of it. */
type JudgedRequest = Asked & {
  facts: Facts
  judgement: Judgement
  policy_version: number
  excluded: readonly string[]
}

/**
 * Throws 4093 with the request that waits, which is made unless the same one is open. One that was
 * approved, and that who asked had to send again, is done.
 */
export async function askForApproval(waiting: Waiting, request: JudgedRequest): Promise<Json> {
  const { app, call, endpoint } = waiting
  const { workspace, by: requested_by } = call.caller
  const request_hash = hashOf(app, endpoint, request)
  const open = () => openApproval(app.db, { workspace, requested_by, request_hash })
  const found = await open()
  if (found !== undefined && isGranted(found, app.clock.now())) return doneNow(waiting, found)
  if (found !== undefined) throw approvalRequired(found)
  try {
    throw approvalRequired(await makeRequest(waiting, request, request_hash))
  } catch (error) {
    // The same was asked for at the same moment.
    const made = error instanceof ApiError ? undefined : await open()
    throw made === undefined ? error : approvalRequired(made)
  }
}

const isGranted = (row: ApprovalRow, now: number): boolean =>
  waitsForRequester(row) && now < row.expires_at

function hashOf(
  { request_key }: AskingApp,
  { operation_id }: Endpoint,
  { params, body }: Asked,
): Buffer {
  const asked = { method: operation_id, url: '', body: { params, body } as Json }
  const known = idempotencyOf('request', asked, request_key)
  assert(known !== undefined, 'a key is named')
  return known.request_hash
}

type Shown = Pick<ApprovalRow, 'id' | 'state' | 'reason' | 'execution' | 'expires_at'>

function approvalRequired(request: Shown): ApiError {
  const { id, reason } = request
  const message = `${reason}: approval request ${id} ${standing(request)}`
  return new ApiError('ApprovalRequired', message, [
    { path: '', code: 'APPROVAL_REQUIRED', message, record_id: id },
  ])
}

function standing({ state, execution, expires_at }: Shown): string {
  const until = new Date(expires_at).toISOString()
  if (state === 'APPROVED')
    return execution === 'BY_KONTOR' ? 'is approved, and is being done' : `ended at ${until}`
  const again =
    execution === 'BY_REQUESTER' ? '; once it is approved, send the same request again' : ''
  return `waits until ${until}${again}`
}

async function makeRequest(
  { app, call, endpoint, judged }: Waiting,
  { facts, judgement, policy_version, excluded, params, body }: JudgedRequest,
  request_hash: Buffer,
): Promise<Shown> {
  const { workspace, by: requested_by } = call.caller
  const secrets = (judged.secrets ?? []).filter((field) => field in body)
  const again = secrets.length > 0 || judged.shown_once === true
  const of: AskedOperation = {
    operation: endpoint.operation_id,
    execution: again ? 'BY_REQUESTER' : 'BY_KONTOR',
    request: { params, body: without(body, secrets) },
    request_hash,
  }
  const about = {
    workspace,
    command: facts.command,
    record_id: recordOf(judged, { params, body }),
    requested_by,
    asset: facts.asset ?? null,
    quantity: facts.quantity === undefined ? null : format(facts.quantity),
  }
  const stamp = { by: requested_by, now: app.clock.now() }
  const made = newApproval({ ...about, policy_version, judgement, excluded, of }, stamp)
  const { id, expires_at, ...parts } = made
  const change: Change = { workspace, class: 'command', by: requested_by, ...parts }
  await recordedAs('requestApproval', call, id, () =>
    withFailpoints('approval.ask', id, () => app.lane.commit(change)),
  )
  const { reason } = judgement
  return { id, state: 'PENDING', reason, execution: of.execution, expires_at }
}

function recordOf({ record }: JudgedOperation, { params, body }: Asked): ApprovalRow['record_id'] {
  const named = record === undefined ? body['id'] : params[record]
  return typeof named === 'string' && isId(named) ? (named as ApprovalRow['record_id']) : null
}

const without = (body: Asked['body'], fields: readonly string[]): Json =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field))) as Json

function recordedAs<T>(
  operation: string,
  { principal, source, request_id }: AnyCall,
  record_id: string,
  work: () => Promise<T>,
): Promise<T> {
  const { workspace, user_id: actor, session_id } = principal
  const call = { workspace, operation, request_id, actor, session_id, record_id }
  return servingCall({ ...call, ...placeOf(source), told: false, ended: false }, work)
}

/** By what the work of a request is recognised; no caller can send such a key. */
const keyOf = (id: string): string => `approval ${id}`

const idempotencyFor = ({ id }: ApprovalRow) => ({
  key: keyOf(id),
  request_hash: hash('sha256', id, 'buffer'),
})

/** For who has sent again what was approved. A refusal leaves it approved. */
async function doneNow({ app, call, work }: Waiting, row: ApprovalRow): Promise<Json> {
  const idempotency = idempotencyFor(row)
  const data = await withFailpoints('approval.execute', row.id, async () =>
    work({ ...call, idempotency, caller: { ...call.caller, idempotency } }),
  )
  await end(app, row, { to: 'EXECUTED', result_id: resultOf(data) })
  return data
}

/**
 * Does what was approved, as who asked; subject: the request. `endpoints`: all of the service, made
 * when something is done for the first time.
 */
export function executeApprovalTask(
  app: ApprovalsApp,
  endpoints: () => readonly Endpoint[],
): TaskHandler {
  let operations: ReadonlyMap<string, Endpoint> | undefined
  return async ({ workspace, subject_id }) => {
    const row = await approvalRow(app.db, workspace, subject_id)
    if (row.state !== 'APPROVED' || row.execution !== 'BY_KONTOR') return 'done'
    operations ??= new Map(endpoints().map((one) => [one.operation_id, one]))
    const endpoint = operations.get(row.operation ?? '')
    assert(endpoint !== undefined, `there is an operation ${row.operation}`)
    await execute(app, row, endpoint)
    return 'done'
  }
}

async function execute(app: ApprovalsApp, row: ApprovalRow, endpoint: Endpoint): Promise<void> {
  const { workspace, requested_by } = row
  const by = requested_by as UserId
  const caller = await activeCaller(app.db, workspace, by, app.clock.now())
  if (caller?.permissions.has(endpoint.permission) !== true) {
    await end(app, row, { to: 'FAILED', failure: 'who asked for it may not do it any more' })
    return
  }
  try {
    const data = await withFailpoints('approval.execute', row.id, async () =>
      performerOf(app, endpoint)(callOf(row, caller.permissions)),
    )
    await end(app, row, { to: 'EXECUTED', result_id: resultOf(data) })
  } catch (error) {
    if (!isFinal(error)) throw error
    await end(app, row, { to: 'FAILED', failure: error.message.slice(0, MAXIMUM_FAILURE) })
  }
}

/** As the request was made; no session and no address is behind it. */
function callOf(row: ApprovalRow, permissions: ReadonlySet<string>): AnyCall {
  const { id: request_id, workspace, requested_by: by, request } = row
  assert(request !== null, 'an operation has a request')
  const idempotency = idempotencyFor(row)
  const source = { address: '', agent: undefined }
  return {
    params: request.params,
    query: {},
    body: request.body,
    principal: { workspace, user_id: by as UserId, session_id: '', permissions },
    caller: { workspace, by, idempotency },
    idempotency,
    request_id,
    headers: {},
    source,
    https: false,
    setCookie: () => undefined,
    sent: undefined,
  }
}

/** Whether another try would be refused as well. */
const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError && !PASSING.includes(error.kind)

const PASSING: readonly ApiError['kind'][] = [
  'InternalServerError',
  'VenueUnreachable',
  'Busy',
  'RateLimited',
  'IdempotencyInProgress',
]

const resultOf = (data: Json): ApprovalRequest['result_id'] => {
  const id = typeof data === 'object' && data !== null && 'id' in data ? data['id'] : null
  return typeof id === 'string' && isId(id) ? id : null
}

type Executed =
  | { to: 'EXECUTED'; result_id: ApprovalRequest['result_id'] }
  | { to: 'FAILED'; failure: string }

async function end(app: ApprovalsApp, row: ApprovalRow, executed: Executed): Promise<void> {
  const { workspace } = row
  const moved = approvalMove(row, { ...executed, by: APPROVALS_WORKER, now: app.clock.now() })
  await app.lane.commit({
    workspace,
    class: 'fact',
    by: APPROVALS_WORKER,
    ...moved,
    rows: [...moved.rows, forgetKey(workspace, keyOf(row.id))],
  })
}
