/**
 * Submitting a batch. Each prepared request makes its withdrawals, one per destination. What was
 * blocked for the request is released and blocked for the withdrawals in the same change.
 */
import { isDeepStrictEqual } from 'node:util'
import { mustExist } from '../../core/assert.ts'
import { decimal } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { commitWithReply, holdsOf, retryOnStale } from '../../ledger/index.ts'
import type { HaltScope, Change, Guard, LedgerStep, PolicyAsk } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { TreasuryApp } from '../app.ts'
import { routeById } from '../routes/routes.ts'
import { WITHDRAWAL_COLUMNS } from '../withdrawals/rows.ts'
import { mergeChanges } from '../withdrawals/shared-transaction.ts'
import { assertPayable, composeWithdrawal } from '../withdrawals/withdrawals.ts'
import type { TransactionOutput, WithdrawalDraft } from '../withdrawals/withdrawals.ts'
import { sharedDetails } from '../withdrawals/withdrawals.schema.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { ownerOfStake, withItemPath } from './batches.ts'
import { BATCH_REQUEST_MOVES } from './batches.schema.ts'
import type { Batch, BatchRequest, SubmitBatchBody } from './batches.schema.ts'
import {
  bundleFees,
  bundleKey,
  groupByWithdrawal,
  outputGroupOf,
  withdrawalKey,
} from './bundles.ts'
import type { Bundle, BundlePart, Payment } from './bundles.ts'
import { BATCH_COLUMNS, BATCH_REQUESTS, batchEvent, BATCHES } from './rows.ts'
import type { PreparedRequest } from './rows.ts'

/** The withdrawals of one request, and the change that makes them. */
type RequestDraft = { prepared: PreparedRequest; withdrawals: Withdrawal[]; change: Change }

/**
 * Makes the withdrawals of what was prepared, all or none; withdrawals that were made before are
 * answered again. Refused: 4004, DUPLICATE, CONFLICT (changed since it was answered, or its route
 * was), STATE_NOT_ALLOWED (expired), NOT_ALLOWLISTED, INSUFFICIENT_BALANCE and the other refusals
 * of a withdrawal.
 */
export function submitBatch(
  caller: Caller,
  app: TreasuryApp,
  { withdrawals: requests }: SubmitBatchBody,
): Promise<Withdrawal[]> {
  const { workspace, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const prepared = await preparedRequests(app, workspace, requests)
      const made = await existingWithdrawals(app, workspace, prepared)
      const drafts = await requestDrafts(caller, app, prepared)
      for (const draft of drafts) made.set(draft.prepared.id, draft.withdrawals)
      const answer = prepared.flatMap(({ id }) =>
        mustExist(made.get(id), 'every request has its withdrawals'),
      )
      // A repeat changes nothing. With a key its answer is kept, so that no other request uses the
      // key.
      if (drafts.length === 0 && idempotency === undefined) return answer
      const { prepare_id } = mustExist(prepared[0], 'a batch has a request')
      const batches = await batchesOf(app, workspace, drafts)
      return withFailpoints('batch.submit', prepare_id, () =>
        commitWithReply(app.lane, caller, submitChange(caller, drafts, batches), answer),
      )
    }),
  )
}

function submitChange(
  { workspace, by }: Caller,
  drafts: readonly RequestDraft[],
  batches: readonly Batch[],
): Change {
  const [first, ...further] = drafts.map(({ change }) => change)
  if (first === undefined) return { workspace, class: 'command', by }
  const merged = mergeChanges([first, ...further, ...batches.map(batchChange(by))])
  return {
    ...merged,
    halt: haltScope(drafts),
    guards: [...(merged.guards ?? []), ...drafts.map(({ prepared }) => submitGuard(prepared))],
  }
}

/** The batches of these requests, as they are once the requests are submitted. */
async function batchesOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  drafts: readonly RequestDraft[],
): Promise<Batch[]> {
  const counts = Map.groupBy(drafts, ({ prepared }) => prepared.prepare_id)
  const rows = await app.db.query<Batch>(sql`
    select ${BATCH_COLUMNS}
    from withdrawal_batches
    where workspace = ${workspace}
      and id = any(${[...counts.keys()]}::uuid[])
    order by id`)
  return rows.map((batch) => {
    const submitted = batch.submitted + (counts.get(batch.id)?.length ?? 0)
    return { ...batch, submitted, state: submitted < batch.transactions ? 'PREPARED' : 'SUBMITTED' }
  })
}

/** Its version grows also while it stays PREPARED: two that submit parts of it count one by one. */
const batchChange =
  (by: string) =>
  (batch: Batch): Change => {
    const { workspace, id, version, submitted, state } = batch
    const moved =
      state === 'SUBMITTED'
        ? move(BATCH_REQUEST_MOVES, 'PREPARED', state)
        : { from: ['PREPARED'] as const }
    return {
      workspace,
      class: 'command',
      by,
      guards: [{ table: 'withdrawal_batches', resource: 'batch', id, version, ...moved }],
      rows: [updateGuardedRow(BATCHES, { where: { workspace, id }, set: { submitted } })],
      events: [batchEvent('submitted', batch)],
    }
  }

/** A halt of any venue or asset of the batch stops all of it. */
function haltScope(drafts: readonly RequestDraft[]): HaltScope {
  const scopes = drafts.flatMap(({ change }) => change.halt ?? [])
  return {
    action: 'WITHDRAWALS',
    venue_ids: [...new Set(scopes.flatMap((scope) => scope.venue_ids))],
    assets: [...new Set(scopes.flatMap((scope) => scope.assets))],
  }
}

const submitGuard = ({ id, version }: PreparedRequest): Guard => ({
  table: 'batch_requests',
  resource: 'batch request',
  id,
  ...move(BATCH_REQUEST_MOVES, 'PREPARED', 'SUBMITTED'),
  version,
})

/** As they were prepared, in the order in which they are submitted. */
async function preparedRequests(
  app: TreasuryApp,
  workspace: WorkspaceId,
  requests: readonly BatchRequest[],
): Promise<PreparedRequest[]> {
  const ids = requests.map((request) => request.id)
  const rows = await app.db.query<PreparedRequest>(sql`
    select id, prepare_id, state, expires_at, request, bundle_key, withdrawal_id, version
    from batch_requests
    where workspace = ${workspace}
      and id = any(${ids}::uuid[])`)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return requests.map((request, index) => {
    const { id } = request
    const path = `withdrawals[${index}]`
    const row = byId.get(id)
    if (row === undefined) throw notFound('batch request', id, `${path}.id`)
    if (ids.indexOf(id) !== index)
      throw refuse('DUPLICATE', path, `batch request ${id} is named twice`)
    if (!isDeepStrictEqual(row.request, request))
      throw refuse(
        'CONFLICT',
        path,
        `batch request ${id} is not what was prepared: submit it unchanged`,
      )
    assertLive(row, path, app.clock.now())
    return row
  })
}

function assertLive({ id, state, expires_at }: PreparedRequest, path: string, now: number): void {
  if (state === 'GIVEN_UP')
    throw refuse('STATE_NOT_ALLOWED', path, `batch request ${id} was given up: prepare it again`)
  if (state === 'EXPIRED' || (state === 'PREPARED' && now >= expires_at))
    throw refuse(
      'STATE_NOT_ALLOWED',
      `${path}.expires_at`,
      `batch request ${id} has expired: prepare it again`,
    )
}

/** The withdrawals that were made of each request before, in the order of their outputs. */
async function existingWithdrawals(
  app: TreasuryApp,
  workspace: WorkspaceId,
  prepared: readonly PreparedRequest[],
): Promise<Map<string, Withdrawal[]>> {
  const ids = prepared.flatMap((request) => request.withdrawal_id ?? [])
  if (ids.length === 0) return new Map()
  const rows = await app.db.query<Withdrawal>(sql`
    select ${WITHDRAWAL_COLUMNS}
    from withdrawals
    where workspace = ${workspace}
      and (venue_id, external_id) in (
        select venue_id, external_id
        from withdrawals
        where workspace = ${workspace}
          and id = any(${ids}::uuid[])
      )
    order by output`)
  const byTransaction = Map.groupBy(rows, (row) => row.external_id)
  const made = new Map<string, Withdrawal[]>()
  for (const { id, withdrawal_id } of prepared)
    if (withdrawal_id !== null)
      made.set(
        id,
        mustExist(byTransaction.get(withdrawal_id), 'a submitted request has its withdrawals'),
      )
  return made
}

/** Of those that were not submitted before. */
async function requestDrafts(
  caller: Caller,
  app: TreasuryApp,
  prepared: readonly PreparedRequest[],
): Promise<RequestDraft[]> {
  const drafts: RequestDraft[] = []
  for (const [index, request] of prepared.entries())
    if (request.state === 'PREPARED') {
      const earlier = drafts.flatMap(({ change }) => change.policy ?? [])
      drafts.push(await withItemPath(index, () => requestDraft(caller, app, request, earlier)))
    }
  return drafts
}

async function requestDraft(
  caller: Caller,
  app: TreasuryApp,
  prepared: PreparedRequest,
  earlier: readonly PolicyAsk[],
): Promise<RequestDraft> {
  const { workspace } = caller
  const { id, request } = prepared
  const bundle = await preparedBundle(app, workspace, prepared)
  const fee = { fee: decimal(request.fee_estimate), asset: request.fee_asset }
  const parts = await bundleFees(app.db, bundle, fee)
  const ids = parts.map(() => newId())
  const external_id = mustExist(ids[0], 'a request has stakes')
  const drafts: WithdrawalDraft[] = []
  for (const [index, part] of parts.entries()) {
    const id = ids[index] ?? newId()
    const output = { id, external_id, output: index, outputs: parts.length }
    const asked = [...earlier, ...drafts.flatMap(({ change }) => change.policy ?? [])]
    drafts.push(await withdrawalOfPart(caller, app, part, { output, earlier: asked }))
  }
  const [first, ...further] = drafts.map((draft) => draft.change)
  const change = mergeChanges([mustExist(first, 'a request has stakes'), ...further])
  const holds = await holdsOf(app.db, workspace, id)
  const released = holds
    .filter((hold) => hold.state === 'OPEN')
    .map((hold): LedgerStep => ({ step: 'release', hold_id: hold.id }))
  const stored = updateGuardedRow(BATCH_REQUESTS, {
    where: { workspace, id },
    set: { withdrawal_id: external_id },
  })
  return {
    prepared,
    withdrawals: drafts.map((draft) => draft.withdrawal),
    change: {
      ...change,
      ledger: [...released, ...(change.ledger ?? [])],
      rows: [...(change.rows ?? []), stored],
    },
  }
}

function withdrawalOfPart(
  caller: Caller,
  app: TreasuryApp,
  { payments, quantity, fee }: BundlePart,
  more: { output: TransactionOutput; earlier: readonly PolicyAsk[] },
): Promise<WithdrawalDraft> {
  const [{ route, speed_level }] = payments
  return composeWithdrawal(caller, app, route, {
    quantity,
    speed_level,
    details: sharedDetails(payments.map((payment) => payment.stake)),
    owners: payments.flatMap((payment) => payment.owner ?? []),
    stakes: payments.map((payment) => payment.stake),
    third_party: payments[0].stake.third_party === true,
    fee,
    requested_by: { origin: 'BATCH', job_id: null, job_run_id: null },
    ...more,
  })
}

/**
 * The bundle as it was prepared; every destination must still be payable as it was. Throws CONFLICT
 * and what a single withdrawal does.
 */
async function preparedBundle(
  app: TreasuryApp,
  workspace: WorkspaceId,
  { request: { speed_level, stakes }, bundle_key }: PreparedRequest,
): Promise<Bundle> {
  const keys = bundle_key.split('\n')
  const payments: Payment[] = []
  for (const [index, stake] of stakes.entries()) {
    const route = await routeById(app.db, workspace, stake.route_id)
    if (!keys.includes(withdrawalKey({ route, speed_level, stake })))
      throw refuse('CONFLICT', 'route_id', `route ${route.label} has changed: prepare again`)
    await assertPayable(app, route)
    const owner = await ownerOfStake(app, route, stake, {
      account_id: `stakes[${index}].account_id`,
      route: `stakes[${index}].route_id`,
    })
    const group = await outputGroupOf(app, route)
    payments.push({ index, route, speed_level, stake, owner, group })
  }
  const [first, ...further] = groupByWithdrawal(payments)
  const bundle: Bundle = [mustExist(first, 'a request has stakes'), ...further]
  if (bundleKey(bundle) !== bundle_key)
    throw refuse(
      'CONFLICT',
      'route_id',
      'a route has changed, so that these payments cannot share a transaction: prepare again',
    )
  return bundle
}
