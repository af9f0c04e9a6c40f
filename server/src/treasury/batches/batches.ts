/**
 * Batches. Preparing checks every payment, blocks what customers pay, and answers which payments go
 * together in one transaction (bundles.ts). Submitting takes what was answered, unchanged, and
 * makes its withdrawals, each once (submission.ts).
 */
import { decimal, format, sum } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { BatchId, BatchRequestId, WorkspaceId } from '../../core/ids.ts'
import { customerOfAccount } from '../../customers/index.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { amountOf, assetByCode, commitWithReply } from '../../ledger/index.ts'
import type { LedgerStep, Moved } from '../../ledger/index.ts'
import { insertRow } from '../../store/rows.ts'
import type { TreasuryApp } from '../app.ts'
import { agreedFee, routeOutput } from '../routes/fees.ts'
import { routeById } from '../routes/routes.ts'
import type { Route } from '../routes/routes.ts'
import { holdsOfOwners } from '../withdrawals/holds.ts'
import type { AgreedFee } from '../withdrawals/holds.ts'
import { assertOwnWallets, walletsOfRoute } from '../withdrawals/third-parties.ts'
import { assertPayable, assertWithinLimits, senderOfRoute } from '../withdrawals/withdrawals.ts'
import type { OwnerShare } from '../withdrawals/withdrawals.ts'
import { stakeDetails } from '../withdrawals/withdrawals.schema.ts'
import type { Stake } from '../withdrawals/withdrawals.schema.ts'
import { BATCH_EXPIRY_TASK, PREPARED_FOR_MILLISECONDS } from './batches.schema.ts'
import type { BatchRequest, PrepareBatchBody } from './batches.schema.ts'
import { bundleFees, bundleKey, bundlePayments, outputGroupOf, totalQuantity } from './bundles.ts'
import type { Bundle, Payment } from './bundles.ts'
import { BATCH_REQUESTS, batchEvent, BATCHES } from './rows.ts'

type PaymentItem = PrepareBatchBody['withdrawals'][number]

/**
 * Refused as a single withdrawal is; the path names the item. Blocks for ten minutes what items
 * with an account pay.
 */
export function prepareBatch(
  caller: Caller,
  app: TreasuryApp,
  body: PrepareBatchBody,
): Promise<BatchRequest[]> {
  const { workspace, by, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, async () => {
    const payments = await checkedPayments(app, workspace, body)
    const prepare_id = newId<BatchId>()
    const now = app.clock.now()
    const expires_at = now + PREPARED_FOR_MILLISECONDS
    const prepared: { request: BatchRequest; bundle: Bundle; holds: LedgerStep[] }[] = []
    for (const bundle of bundlePayments(payments)) {
      const fee = await bundleFee(app, bundle)
      const request = { ...requestOf(bundle, fee), prepare_id, expires_at }
      prepared.push({ request, bundle, holds: await requestHolds(app, request, bundle, fee) })
    }
    const requests = prepared.map(({ request }) => request)
    const stamp = { by, now }
    const batch = batchOf(prepare_id, expires_at, requests)
    const change = {
      workspace,
      class: 'command' as const,
      by,
      moves: prepared.flatMap(({ bundle }) => bundle.map(preparedMove)),
      ledger: prepared.flatMap(({ holds }) => holds),
      rows: [
        insertRow(BATCHES, { workspace, ...batch }, stamp),
        ...prepared.map(({ request, bundle }) =>
          insertRow(BATCH_REQUESTS, requestRow(workspace, request, bundle), stamp),
        ),
      ],
      events: [batchEvent('prepared', batch)],
      tasks: [{ kind: BATCH_EXPIRY_TASK, subject_id: prepare_id, due_at: expires_at }],
    }
    return withFailpoints('batch.prepare', prepare_id, () =>
      commitWithReply(app.lane, caller, { ...change, amount_path: 'withdrawals' }, requests),
    )
  })
}

function batchOf(id: BatchId, expires_at: number, requests: readonly BatchRequest[]) {
  const byAsset = Map.groupBy(requests, (request) => request.asset)
  return {
    id,
    state: 'PREPARED' as const,
    expires_at,
    transactions: requests.length,
    payments: requests.reduce((count, { stakes }) => count + stakes.length, 0),
    submitted: 0,
    sums: [...byAsset].map(([asset, of]) => ({
      asset,
      quantity: format(sum(of.map(({ quantity }) => decimal(quantity)))),
    })),
  }
}

const requestRow = (workspace: WorkspaceId, request: BatchRequest, bundle: Bundle) => ({
  workspace,
  id: request.id,
  prepare_id: request.prepare_id,
  state: 'PREPARED' as const,
  expires_at: request.expires_at,
  request,
  bundle_key: bundleKey(bundle),
})

/** Each destination is a withdrawal once it is submitted. */
const preparedMove = (payments: Bundle[number]): Moved => ({
  asset: senderOfRoute(payments[0].route).asset,
  quantity: totalQuantity(payments),
  route_id: payments[0].route.id,
  prepares: true,
})

async function checkedPayments(
  app: TreasuryApp,
  workspace: WorkspaceId,
  body: PrepareBatchBody,
): Promise<Payment[]> {
  const routes = new Map<string, Route>()
  const payments: Payment[] = []
  for (const [index, item] of body.withdrawals.entries()) {
    const payment = await withItemPath(index, async () => {
      const route = routes.get(item.route_id) ?? (await routeById(app.db, workspace, item.route_id))
      const paid = await checkedPayment(app, route, item)
      if (!routes.has(route.id)) await assertPayable(app, route)
      routes.set(route.id, route)
      return { index, ...paid, group: await outputGroupOf(app, route) }
    })
    payments.push(payment)
  }
  return payments
}

async function checkedPayment(
  app: TreasuryApp,
  route: Route,
  { quantity: text, speed_level, account_id, third_party, ...details }: PaymentItem,
): Promise<Pick<Payment, 'route' | 'speed_level' | 'stake' | 'owner'>> {
  const { workspace } = route
  const asset = await assetByCode(app.db, workspace, senderOfRoute(route).asset)
  const quantity = amountOf(text, asset, 'quantity')
  const stake = {
    route_id: route.id,
    destination: route.to_wallet.address,
    quantity: format(quantity),
    account_id: account_id ?? null,
    ...stakeDetails(details),
    ...(third_party === true ? { third_party } : {}),
  }
  const owner = await ownerOfStake(app, route, stake, {
    account_id: 'account_id',
    route: 'treasury_route_id',
  })
  return { route, speed_level, stake, owner }
}

/**
 * The customer who pays, if the payment names one; `paths` name its fields. Throws
 * WALLET_OF_ANOTHER_CUSTOMER.
 */
export async function ownerOfStake(
  app: TreasuryApp,
  route: Route,
  { account_id, quantity, third_party = false }: Stake,
  paths: { account_id: string; route: string },
): Promise<OwnerShare | undefined> {
  const wallets = walletsOfRoute(route)
  if (account_id === null) {
    assertOwnWallets(wallets, { payer: null, third_party }, paths.route)
    return undefined
  }
  const { customer_id } = await customerOfAccount(
    app.db,
    route.workspace,
    account_id,
    paths.account_id,
  )
  assertOwnWallets(wallets, { payer: customer_id, third_party }, paths.route)
  return { account_id, customer_id, quantity: decimal(quantity) }
}

/** The fee of the transaction; each of its destinations must be within the venue's limits. */
async function bundleFee(app: TreasuryApp, bundle: Bundle): Promise<AgreedFee> {
  for (const payments of bundle)
    await withItemPath(payments[0].index, () =>
      assertWithinLimits(app.db, payments[0].route, totalQuantity(payments)),
    )
  const [payments, ...further] = bundle
  const [{ route, speed_level, index }] = payments
  const outputs = further.map((group) => routeOutput(group[0].route, totalQuantity(group)))
  return withItemPath(index, () =>
    agreedFee(app, route, totalQuantity(payments), { speed_level, further: outputs }),
  )
}

/** What is answered of a bundle, and later submitted. */
function requestOf(bundle: Bundle, fee: AgreedFee) {
  const payments = bundle.flat()
  const [[{ route, speed_level }], ...further] = bundle
  return {
    id: newId<BatchRequestId>(),
    source_wallet_id: route.from_wallet_id,
    destination_wallet_id: further.length === 0 ? route.to_wallet_id : null,
    asset: senderOfRoute(route).asset,
    protocol: route.protocol,
    speed_level,
    quantity: format(totalQuantity(payments)),
    fee_estimate: format(fee.fee),
    fee_asset: fee.asset,
    bundled: payments.length > 1,
    stakes: payments.map((payment) => payment.stake),
  }
}

/** Blocks what customers pay, until the request expires. */
async function requestHolds(
  app: TreasuryApp,
  { id, asset, expires_at }: BatchRequest,
  bundle: Bundle,
  fee: AgreedFee,
): Promise<LedgerStep[]> {
  const { workspace } = bundle[0][0].route
  const cause = { cause_type: 'prepare', cause_id: id, expires_at }
  const steps: LedgerStep[] = []
  for (const part of await bundleFees(app.db, bundle, fee)) {
    const owners = part.payments.flatMap((payment) => payment.owner ?? [])
    const { quantity, fee } = part
    steps.push(...(await holdsOfOwners(app.db, workspace, { quantity, owners, fee, asset, cause })))
  }
  return steps
}

/** A refusal names the item that it is about. */
export async function withItemPath<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const details = error.details.map((detail) => {
      const ofRoute = detail.path === 'treasury_route_id' || detail.path === ''
      return { ...detail, path: `withdrawals[${index}].${ofRoute ? 'route_id' : detail.path}` }
    })
    throw new ApiError(error.kind, error.message, details, error.retryAfter)
  }
}
