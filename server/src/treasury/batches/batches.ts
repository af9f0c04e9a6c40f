/**
 * Batches. Preparing checks every payment, blocks what customers pay, and answers what goes together in one transaction
 * (batch-bundles.ts); submitting takes what was answered, unchanged, and makes its withdrawals, one per destination, each once.
 */
import { isDeepStrictEqual } from 'node:util'
import { decimal, format } from '../../core/decimal.ts'
import { ApiError, notFound, refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { mustExist } from '../../core/assert.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Idempotency } from '../../http/index.ts'
import { amountOf, assetByCode, holdsOf, retryOnStale } from '../../ledger/index.ts'
import type { Change, LedgerStep } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import {
  bundleKey,
  bundlesOf,
  feesOf,
  groupOf,
  keyOf,
  quantityOf,
  withdrawalsOf,
} from './bundles.ts'
import type { Bundle, Payment } from './bundles.ts'
import { PREPARED_FOR_MILLISECONDS } from './batches.schema.ts'
import type {
  BatchRequest,
  BatchRequestState,
  PrepareBatchBody,
  SubmitBatchBody,
} from './batches.schema.ts'
import { agreedFee, routeOutput } from '../routes/fees.ts'
import { routeById } from '../routes/routes.ts'
import type { Route } from '../routes/routes.ts'
import type { TreasuryApp } from '../app.ts'
import { allOf } from '../withdrawals/shared-transaction.ts'
import {
  assertPayable,
  assertWithinLimits,
  composeWithdrawal,
  customerOfAccount,
  holdsOfOwners,
  senderOfRoute,
  WITHDRAWAL_COLUMNS,
} from '../withdrawals/withdrawals.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

/** Refused as a single withdrawal is; the path names the item. Blocks for ten minutes what items with an account pay. */
export function prepareBatch(
  app: TreasuryApp,
  workspace: WorkspaceId,
  body: PrepareBatchBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<BatchRequest[]> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    makePrepare(app, workspace, body, by, idempotency),
  )
}

async function makePrepare(
  app: TreasuryApp,
  workspace: WorkspaceId,
  body: PrepareBatchBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<BatchRequest[]> {
  const payments = await paymentsOf(app, workspace, body)
  const prepare_id = newId()
  const now = app.clock.now()
  const expires_at = now + PREPARED_FOR_MILLISECONDS
  const requests: BatchRequest[] = []
  const ledger: LedgerStep[] = []
  const rows: NonNullable<Change['rows']> = []
  for (const bundle of bundlesOf(payments)) {
    const payments_of = bundle.flat()
    const [[{ route, speed_level }], ...further] = bundle
    const agreed = await agreedOf(app, bundle)
    const { asset } = senderOfRoute(route)
    const request: BatchRequest = {
      id: newId(),
      prepare_id,
      expires_at,
      source_wallet_id: route.from_wallet_id,
      destination_wallet_id: further.length === 0 ? route.to_wallet_id : null,
      asset,
      protocol: route.protocol,
      speed_level,
      quantity: format(quantityOf(payments_of)),
      fee_estimate: format(agreed.fee),
      fee_asset: agreed.asset,
      bundled: payments_of.length > 1,
      stakes: payments_of.map((payment) => payment.stake),
    }
    requests.push(request)
    for (const fee of await feesOf(app.db, bundle, agreed)) {
      ledger.push(
        ...(await holdsOfOwners(
          app.db,
          workspace,
          {
            quantity: fee.quantity,
            asset,
            agreed: fee.agreed,
            owners: fee.payments.flatMap((one) => one.owner ?? []),
          },
          { cause_type: 'prepare', cause_id: request.id, expires_at },
        )),
      )
    }
    rows.push(sql`
      insert into batch_requests (workspace, id, prepare_id, state, expires_at, request, bundle_key, system_created_at, system_created_by, system_updated_at, system_updated_by)
      values (${workspace}, ${request.id}, ${prepare_id}, 'PREPARED', ${expires_at}, ${JSON.stringify(request)}::jsonb, ${bundleKey(bundle)}, ${now}, ${by}, ${now}, ${by})`)
  }
  const change: Change = {
    workspace,
    class: 'command',
    by,
    ledger,
    rows,
    ...(idempotency === undefined
      ? {}
      : { idempotency: { ...idempotency, reply: { data: requests } } }),
  }
  const committed = await withFailpoints('batch.prepare', prepare_id, () => app.lane.commit(change))
  return committed.verdict === 'replayed' && 'data' in committed.reply
    ? (committed.reply.data as BatchRequest[])
    : requests
}

/** The fee of the transaction; each of its destinations within the venue's limits. */
async function agreedOf(app: TreasuryApp, bundle: Bundle): Promise<{ fee: bigint; asset: string }> {
  for (const payments of bundle)
    await ofItem(payments[0].index, () =>
      assertWithinLimits(app.db, payments[0].route, quantityOf(payments)),
    )
  const [[{ route, speed_level, index }], ...further] = bundle
  return ofItem(index, () =>
    agreedFee(
      app,
      route,
      quantityOf(bundle[0]),
      speed_level,
      undefined,
      further.map((payments) => routeOutput(payments[0].route, quantityOf(payments))),
    ),
  )
}

async function paymentsOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  body: PrepareBatchBody,
): Promise<Payment[]> {
  const routes = new Map<string, Route>()
  const payments: Payment[] = []
  for (const [index, item] of body.withdrawals.entries()) {
    payments.push(
      await ofItem(index, async () => {
        const known = routes.get(item.route_id)
        const route = known ?? (await routeById(app.db, workspace, item.route_id))
        const quantity = amountOf(
          item.quantity,
          await assetByCode(app.db, workspace, senderOfRoute(route).asset),
          'quantity',
        )
        const customer =
          item.account_id === undefined
            ? undefined
            : await customerOfAccount(app.db, workspace, item.account_id, 'account_id')
        if (known === undefined) await assertPayable(app, route)
        routes.set(route.id, route)
        const stake = {
          route_id: route.id,
          destination: route.to_wallet.address,
          quantity: format(quantity),
          account_id: item.account_id ?? null,
          note: item.note ?? null,
        }
        return {
          index,
          route,
          group: await groupOf(app, route),
          speed_level: item.speed_level,
          stake,
          owner:
            customer === undefined
              ? undefined
              : { account_id: customer.account_id, customer_id: customer.id, quantity },
        }
      }),
    )
  }
  return payments
}

/** A refusal names the item it is about. */
async function ofItem<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new ApiError(
      error.kind,
      error.message,
      error.details.map((errorDetail) => ({
        ...errorDetail,
        path: `withdrawals[${index}].${errorDetail.path === 'treasury_route_id' || errorDetail.path === '' ? 'route_id' : errorDetail.path}`,
      })),
      error.retryAfter,
    )
  }
}

type Prepared = {
  id: string
  state: BatchRequestState
  expires_at: number
  request: BatchRequest
  bundle_key: string
  withdrawal_id: string | null
  version: number
}

/**
 * Makes the withdrawals of what was prepared, all or none; those that were made before are answered again. Refused: 4004,
 * DUPLICATE, CONFLICT (changed since it was answered, or its route was), STATE_NOT_ALLOWED (expired), NOT_ALLOWLISTED,
 * INSUFFICIENT_BALANCE and the other refusals of a withdrawal.
 */
export function submitBatch(
  app: TreasuryApp,
  workspace: WorkspaceId,
  body: SubmitBatchBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Withdrawal[]> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(() => makeSubmit(app, workspace, body, by, idempotency)),
  )
}

async function makeSubmit(
  app: TreasuryApp,
  workspace: WorkspaceId,
  { withdrawals: given }: SubmitBatchBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Withdrawal[]> {
  const prepared = await preparedOf(app, workspace, given)
  const made = await madeBefore(app, workspace, prepared)
  const drafts: { prepared: Prepared; withdrawals: Withdrawal[]; change: Change }[] = []
  for (const [index, each] of prepared.entries())
    if (each.state === 'PREPARED')
      drafts.push({
        prepared: each,
        ...(await ofItem(index, () => draftOf(app, workspace, each, by))),
      })
  for (const { prepared: each, withdrawals } of drafts) made.set(each.id, withdrawals)
  const answer = prepared.flatMap((prepared) =>
    mustExist(made.get(prepared.id), 'every request has its withdrawal'),
  )
  // A repeat changes nothing; with a key it is kept, so that the key stands for this answer and for no other request.
  if (drafts.length === 0 && idempotency === undefined) return answer
  const halts = drafts.flatMap(({ change }) => change.halt ?? [])
  const committed = await withFailpoints(
    'batch.submit',
    mustExist(prepared[0], 'a batch has a request').request.prepare_id,
    () =>
      app.lane.commit({
        workspace,
        class: 'command',
        by,
        ...(drafts.length === 0
          ? {}
          : {
              halt: {
                action: 'WITHDRAWALS',
                venue_ids: [...new Set(halts.flatMap((halt) => halt.venue_ids))],
                assets: [...new Set(halts.flatMap((halt) => halt.assets))],
              },
            }),
        guards: drafts.map(({ prepared: { id, version } }) => ({
          table: 'batch_requests',
          resource: 'batch request',
          id,
          from: ['PREPARED'],
          to: 'SUBMITTED',
          version,
        })),
        ledger: drafts.flatMap(({ change }) => change.ledger ?? []),
        rows: drafts.flatMap(({ change }) => change.rows ?? []),
        events: drafts.flatMap(({ change }) => change.events ?? []),
        tasks: drafts.flatMap(({ change }) => change.tasks ?? []),
        ...(idempotency === undefined
          ? {}
          : { idempotency: { ...idempotency, reply: { data: answer } } }),
      }),
  )
  return committed.verdict === 'replayed' && 'data' in committed.reply
    ? (committed.reply.data as Withdrawal[])
    : answer
}

async function preparedOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  given: readonly BatchRequest[],
): Promise<Prepared[]> {
  const rows = await app.db.query<Prepared>(
    sql`select id, state, expires_at, request, bundle_key, withdrawal_id, version from batch_requests where workspace = ${workspace} and id = any(${given.map((each) => each.id)}::uuid[])`,
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return given.map((each, index) => {
    const path = `withdrawals[${index}]`
    const row = byId.get(each.id)
    if (row === undefined) throw notFound('batch request', each.id, `${path}.id`)
    if (given.findIndex((other) => other.id === each.id) !== index)
      throw refuse('DUPLICATE', path, `batch request ${each.id} is named twice`)
    if (!isDeepStrictEqual(row.request, each))
      throw refuse(
        'CONFLICT',
        path,
        `batch request ${each.id} is not what was prepared: submit it unchanged`,
      )
    if (row.state === 'PREPARED' && app.clock.now() >= row.expires_at)
      throw refuse(
        'STATE_NOT_ALLOWED',
        path,
        `batch request ${each.id} has expired: prepare it again`,
      )
    return row
  })
}

/** The withdrawals that were made of each request before, in their order. */
async function madeBefore(
  app: TreasuryApp,
  workspace: WorkspaceId,
  prepared: readonly Prepared[],
): Promise<Map<string, Withdrawal[]>> {
  const ids = prepared.flatMap((prepared) => prepared.withdrawal_id ?? [])
  if (ids.length === 0) return new Map()
  const rows = await app.db.query<Withdrawal>(sql`
    select ${WITHDRAWAL_COLUMNS} from withdrawals where workspace = ${workspace} and (venue_id, external_id) in (select venue_id, external_id from withdrawals where workspace = ${workspace} and id = any(${ids}::uuid[])) order by output`)
  const byTransaction = Map.groupBy(rows, (row) => row.external_id)
  return new Map(
    prepared.flatMap((prepared) =>
      prepared.withdrawal_id === null
        ? []
        : [
            [
              prepared.id,
              mustExist(
                byTransaction.get(prepared.withdrawal_id),
                'a submitted request has its withdrawals',
              ),
            ] as const,
          ],
    ),
  )
}

/** The withdrawals of one request, one per destination: what was blocked for the request is freed and blocked for them in the same change. */
async function draftOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  { id, request, bundle_key }: Prepared,
  by: string,
): Promise<{ withdrawals: Withdrawal[]; change: Change }> {
  const bundle = await bundleOf(app, workspace, request, bundle_key)
  const agreed = { fee: decimal(request.fee_estimate), asset: request.fee_asset }
  const ids = bundle.map(() => newId())
  const external_id = mustExist(ids[0], 'a request has stakes')
  const withdrawals: Withdrawal[] = []
  const changes: Change[] = []
  for (const [output, each] of (await feesOf(app.db, bundle, agreed)).entries()) {
    const [{ route, stake }] = each.payments
    const drafted = await composeWithdrawal(
      app,
      route,
      {
        quantity: each.quantity,
        speed_level: request.speed_level,
        note: each.payments.length === 1 ? stake.note : null,
        owners: each.payments.flatMap((one) => one.owner ?? []),
        stakes: each.payments.map((one) => one.stake),
        agreed: each.agreed,
        place: {
          id: mustExist(ids[output], 'each has an id'),
          external_id,
          output,
          outputs: bundle.length,
        },
      },
      by,
      { origin: 'BATCH', job_id: null, job_run_id: null },
    )
    withdrawals.push(drafted.withdrawal)
    changes.push(drafted.change)
  }
  const [first, ...further] = changes
  const change = allOf([mustExist(first, 'a request has stakes'), ...further])
  const blocked = (await holdsOf(app.db, workspace, id)).filter((hold) => hold.state === 'OPEN')
  return {
    withdrawals,
    change: {
      ...change,
      ledger: [
        ...blocked.map((hold): LedgerStep => ({ step: 'release', hold_id: hold.id })),
        ...(change.ledger ?? []),
      ],
      rows: [
        ...(change.rows ?? []),
        sql`update batch_requests set withdrawal_id = ${external_id} where workspace = ${workspace} and id = ${id}`,
      ],
    },
  }
}

/** The bundle as it was prepared; every destination must still be payable as it was. Throws CONFLICT and what a single withdrawal does. */
async function bundleOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  { speed_level, stakes }: BatchRequest,
  bundle_key: string,
): Promise<Bundle> {
  const known = bundle_key.split('\n')
  const payments: Payment[] = []
  for (const [index, stake] of stakes.entries()) {
    const route = await routeById(app.db, workspace, stake.route_id)
    const changed = refuse(
      'CONFLICT',
      'route_id',
      `route ${route.label} has changed since: prepare again`,
    )
    if (!known.includes(keyOf({ route, speed_level, stake }))) throw changed
    await assertPayable(app, route)
    const owner =
      stake.account_id === null
        ? undefined
        : {
            account_id: stake.account_id,
            customer_id: (await customerOfAccount(app.db, workspace, stake.account_id, 'stakes'))
              .id,
            quantity: decimal(stake.quantity),
          }
    payments.push({ index, route, speed_level, stake, owner, group: await groupOf(app, route) })
  }
  const [first, ...further] = withdrawalsOf(payments)
  const bundle: Bundle = [mustExist(first, 'a request has stakes'), ...further]
  if (bundleKey(bundle) !== bundle_key)
    throw refuse(
      'CONFLICT',
      'route_id',
      'a route has changed since, so that they cannot share a transaction: prepare again',
    )
  return bundle
}
