/**
 * Requests for withdrawals. A request is checked; then one change stores the withdrawal, blocks
 * what its owner pays, and makes the task that sends it (sending.ts).
 *
 *   createWithdrawal → withdrawalDraft: the checks → composeWithdrawal: the change → lane
 *
 * Batches, transfer jobs and settlements commit drafts within changes of their own.
 */
import { settingsOf } from '../../access/index.ts'
import { mustExist } from '../../core/assert.ts'
import { decimal, format, scaleOf, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type {
  CustomerId,
  DepositId,
  ServiceId,
  SettlementId,
  TreasuryRouteId,
  VenueId,
} from '../../core/ids.ts'
import { customerOfAccount } from '../../customers/index.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import {
  amountOf,
  assertNotHalted,
  assetByCode,
  commitWithReply,
  retryOnStale,
} from '../../ledger/index.ts'
import type { HaltScope, Change, PolicyAsk } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { createdBy, insertRow } from '../../store/rows.ts'
import { assertOpened, readStoredProtocols } from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { insertAssignment } from '../assignments/rows.ts'
import type { Share } from '../bookings.ts'
import { agreedFee, expectedExecution } from '../routes/fees.ts'
import { assertReference } from '../routes/fields.ts'
import { checkRoute, routeById, senderOf } from '../routes/routes.ts'
import type { PaymentWay, Route } from '../routes/routes.ts'
import { WITHDRAWAL_TASK } from '../tasks.ts'
import { askPolicy } from './asking.ts'
import { holdsOfOwners } from './holds.ts'
import type { AgreedFee } from './holds.ts'
import { customersInEvent, NOT_SENT, withdrawalEvent, withdrawalOf, WITHDRAWALS } from './rows.ts'
import type { WithdrawalRow } from './rows.ts'
import { assertOwnWallets, walletGuards, walletsOfRoute } from './third-parties.ts'
import type { WithdrawalEnds } from './third-parties.ts'
import { detailsOf } from './withdrawals.schema.ts'
import type {
  CreateWithdrawalBody,
  Stake,
  Withdrawal,
  WithdrawalDetails,
} from './withdrawals.schema.ts'

/** Who asked for a withdrawal: a person, a batch, a transfer job or a settlement. */
type WithdrawalOrigin = Pick<Withdrawal, 'origin' | 'job_id' | 'job_run_id'> & {
  settlement_id?: SettlementId
  returns_deposit_id?: DepositId
  /** Who set up what asks for it, and so does not approve it. */
  set_up_by?: readonly (string | null)[]
}
const MANUAL_ORIGIN: WithdrawalOrigin = { origin: 'MANUAL', job_id: null, job_run_id: null }

type WithdrawalRequest = CreateWithdrawalBody & {
  requested_by?: WithdrawalOrigin
  earlier?: readonly PolicyAsk[]
}

/** A withdrawal that is not stored yet, and the change that stores it. */
export type WithdrawalDraft = { withdrawal: Withdrawal; change: Change }

/** A customer's part of a withdrawal. */
export type OwnerShare = Share & { customer_id: CustomerId }

/**
 * Refused: SCALE, BELOW_MINIMUM, ABOVE_MAXIMUM, FEE_MISMATCH, NOT_ALLOWLISTED, TAG_REQUIRED,
 * INVALID_ADDRESS, UNSUPPORTED_BY_VENUE, INSUFFICIENT_BALANCE, NOT_ACTIVE,
 * WALLET_OF_ANOTHER_CUSTOMER; 1003 POLICY_DENIED; 2003 when the venue is needed for the fee and
 * does not answer.
 */
export function createWithdrawal(
  caller: Caller,
  app: TreasuryApp,
  route_id: TreasuryRouteId,
  body: CreateWithdrawalBody,
): Promise<Withdrawal> {
  const { workspace, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const route = await routeById(app.db, workspace, route_id, 'treasury_route_id')
      const { withdrawal, change } = await withdrawalDraft(caller, app, route, body)
      return withFailpoints('withdrawal.create', withdrawal.id, () =>
        commitWithReply(app.lane, caller, { ...change, amount_path: 'quantity' }, withdrawal),
      )
    }),
  )
}

/** Makes every check of a withdrawal, and its change. Refused as `createWithdrawal`. */
export async function withdrawalDraft(
  caller: Pick<Caller, 'by'>,
  app: TreasuryApp,
  way: Route,
  request: WithdrawalRequest,
): Promise<WithdrawalDraft> {
  const { speed_level, requested_by = MANUAL_ORIGIN, earlier = [] } = request
  const route = await withReference(app, way, request.reference)
  const { asset } = senderOfRoute(route)
  const known = await assetByCode(app.db, route.workspace, asset)
  const quantity = amountOf(request.quantity, known, 'quantity')
  const owners = await ownersOf(app.db, route, request, quantity)
  await assertPayable(app, route)
  await assertWithinLimits(app.db, route, quantity)
  const named = request.fee === undefined ? undefined : decimal(request.fee)
  const fee = await agreedFee(app, route, quantity, { speed_level, fee: named })
  return composeWithdrawal(caller, app, route, {
    quantity,
    speed_level,
    details: detailsOf(request),
    third_party: request.third_party === true,
    owners,
    stakes: null,
    fee,
    requested_by,
    earlier,
  })
}

/** The route with the reference of one payment instead of its own. */
async function withReference(
  app: TreasuryApp,
  route: Route,
  reference: string | undefined,
): Promise<Route> {
  if (reference === undefined) return route
  const { transfers } = await senderOf(app, route.from_wallet, 'treasury_route_id')
  assertReference(transfers.fields(route.from_wallet.asset, route.protocol), reference)
  const { from, to } = route.transfer
  return { ...route, transfer: { from, to: { ...to, reference } } }
}

/** The customer who pays, if the request names one. Throws WALLET_OF_ANOTHER_CUSTOMER. */
export async function ownersOf(
  reader: Reader,
  route: Pick<Route, 'workspace'> & WithdrawalEnds,
  body: Pick<CreateWithdrawalBody, 'account' | 'account_id' | 'third_party'>,
  quantity: Decimal,
): Promise<OwnerShare[]> {
  const { account, account_id = account } = body
  const third_party = body.third_party === true
  const wallets = walletsOfRoute(route)
  if (account_id === undefined) {
    assertOwnWallets(wallets, { payer: null, third_party }, 'treasury_route_id')
    return []
  }
  if (account !== undefined && account !== account_id)
    throw refuse(
      'CONFLICT',
      'account',
      'account and account_id are the same field and name different accounts',
    )
  const path = body.account_id === undefined ? 'account' : 'account_id'
  const { customer_id } = await customerOfAccount(reader, route.workspace, account_id, path)
  assertOwnWallets(wallets, { payer: customer_id, third_party }, 'treasury_route_id')
  return [{ account_id, customer_id, quantity }]
}

type Sender = { venue_id: VenueId; service_id: ServiceId; asset: string }

/** What is sent from where; throws UNSUPPORTED_BY_VENUE when nothing can be. */
export function senderOfRoute({
  from_wallet: { venue_id, service_id, asset },
}: Pick<Route, 'from_wallet'>): Sender {
  if (venue_id === null || service_id === null)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'treasury_route_id',
      'the wallet is EXTERNAL: nothing can be sent from it',
    )
  return { venue_id, service_id, asset }
}

const haltScope = ({ venue_id, asset }: Pick<Sender, 'venue_id' | 'asset'>): HaltScope => ({
  action: 'WITHDRAWALS',
  venue_ids: [venue_id],
  assets: [asset],
})

/** Throws when nothing may be sent over this route now. */
export async function assertPayable(app: TreasuryApp, route: Route): Promise<void> {
  await assertSending(app, route)
  await checkRoute(app, route.workspace, route)
  await assertAllowlisted(app, route)
}

/** Throws HALTED while nothing may leave this wallet. */
export const assertSending = (
  app: TreasuryApp,
  way: Pick<PaymentWay, 'workspace' | 'from_wallet'>,
): Promise<void> => assertNotHalted(app.db, way.workspace, haltScope(senderOfRoute(way)))

async function assertAllowlisted(app: TreasuryApp, route: Route): Promise<void> {
  const { venue_id } = senderOfRoute(route)
  const { venue, adapter } = await app.venues.connect(route.workspace, venue_id)
  assertOpened(venue)
  if (adapter.allowlist === undefined || route.allowlist_state === 'APPROVED') return
  throw refuse(
    'NOT_ALLOWLISTED',
    'treasury_route_id',
    `the destination of route ${route.label} is not on the venue's allow-list: ` +
      route.allowlist_state,
  )
}

/**
 * The least and the most that the sending venue sends at once over this route, and with how many
 * decimals; null when unknown.
 */
export async function limitsOf(
  reader: Reader,
  route: Pick<PaymentWay, 'workspace' | 'from_wallet' | 'protocol'>,
): Promise<{ least: Decimal | null; most: Decimal | null; decimals: number | null }> {
  const { asset } = route.from_wallet
  const venue_id = mustExist(route.from_wallet.venue_id, 'a sending wallet has a venue')
  const assets = await readStoredProtocols(reader, route.workspace, venue_id)
  const protocol = assets
    ?.find((known) => known.asset === asset)
    ?.protocols.find((protocol) => protocol.protocol === route.protocol)
  const limit = (text: string | null | undefined) =>
    text === null || text === undefined ? null : decimal(text)
  return {
    least: limit(protocol?.min_withdrawal),
    most: limit(protocol?.max_withdrawal),
    decimals: protocol?.decimals ?? null,
  }
}

/** Throws SCALE, BELOW_MINIMUM or ABOVE_MAXIMUM. */
export async function assertWithinLimits(
  reader: Reader,
  route: Pick<PaymentWay, 'workspace' | 'from_wallet' | 'protocol'>,
  quantity: Decimal,
): Promise<void> {
  const { least, most, decimals } = await limitsOf(reader, route)
  const { asset } = route.from_wallet
  if (decimals !== null && scaleOf(quantity) > decimals)
    throw refuse('SCALE', 'quantity', `the venue sends ${asset} with at most ${decimals} decimals`)
  if (least !== null && quantity < least)
    throw refuse('BELOW_MINIMUM', 'quantity', `the venue sends at least ${format(least)} ${asset}`)
  if (most !== null && quantity > most)
    throw refuse('ABOVE_MAXIMUM', 'quantity', `the venue sends at most ${format(most)} ${asset}`)
}

/**
 * As which output of which transaction a withdrawal leaves; the first one names the transaction.
 */
export type TransactionOutput = Pick<WithdrawalRow, 'id' | 'external_id' | 'output' | 'outputs'>

function outputOfItsOwn(): TransactionOutput {
  const id = newId()
  return { id, external_id: id, output: 0, outputs: 1 }
}

/** A checked withdrawal. */
type WithdrawalParts = Pick<Withdrawal, 'speed_level' | 'third_party'> & {
  quantity: Decimal
  details: WithdrawalDetails
  owners: readonly OwnerShare[]
  stakes: Stake[] | null
  fee: AgreedFee
  requested_by: WithdrawalOrigin
  output?: TransactionOutput
  /** What the same change has asked the policy before. */
  earlier?: readonly PolicyAsk[]
}

/** The change that stores a checked withdrawal: row, holds, assignments, event and sending task. */
export async function composeWithdrawal(
  { by }: Pick<Caller, 'by'>,
  app: TreasuryApp,
  route: PaymentWay,
  parts: WithdrawalParts,
): Promise<WithdrawalDraft> {
  const { workspace } = route
  const { owners } = parts
  const stamp = { by, now: app.clock.now() }
  const { fee_borne_by } = await settingsOf(app.db, workspace)
  const execution_date = await expectedExecution(app, route)
  const requested = { ...requestedRow(route, parts, fee_borne_by), execution_date }
  const asked = await askPolicy({ by }, app, route, { ...parts, id: requested.id })
  const row = { ...requested, ...asked.fields }
  const withdrawal = withdrawalOf({ ...NOT_SENT, ...row, ...createdBy(stamp) }, owners)
  const task = { kind: WITHDRAWAL_TASK, subject_id: row.id, due_at: stamp.now }
  const change: Change = {
    workspace,
    class: 'command',
    by,
    moves: [{ asset: row.asset, quantity: parts.quantity, route_id: route.id }],
    policy: [asked.ask],
    halt: haltScope(row),
    guards: walletGuards(route),
    ledger: await holdsOfOwners(app.db, workspace, {
      ...parts,
      asset: row.asset,
      cause: { cause_type: 'withdrawal', cause_id: row.id },
    }),
    rows: [
      insertRow(WITHDRAWALS, row, stamp),
      ...owners.map((owner) => insertAssignment(requestedAssignment(row, owner), stamp)),
      ...asked.rows,
    ],
    events: [withdrawalEvent('created', withdrawal, customersInEvent(owners)), ...asked.events],
    tasks: row.output === 0 && !asked.waits ? [task, ...asked.tasks] : asked.tasks,
  }
  return { withdrawal, change }
}

/** The row as it is requested. */
function requestedRow(
  route: PaymentWay,
  parts: WithdrawalParts,
  fee_borne_by: WithdrawalRow['fee_borne_by'],
) {
  const { quantity, details, owners, fee, requested_by } = parts
  const { to } = route.transfer
  const transfer = transferPart(route, owners, quantity)
  return {
    ...(parts.output ?? outputOfItsOwn()),
    ...senderOfRoute(route),
    workspace: route.workspace,
    origin: requested_by.origin,
    route_id: route.id,
    from_wallet_id: route.from_wallet.id,
    to_wallet_id: route.to_wallet.id,
    protocol: route.protocol,
    quantity: format(quantity),
    transfer_quantity: format(transfer),
    fee_asset: fee.asset,
    fee_estimate: format(fee.fee),
    fee_borne_by,
    speed_level: parts.speed_level,
    destination_address: route.to_wallet.address,
    tag: to['tag'] ?? null,
    reference_text: to['reference'] ?? null,
    recipient_name: to['name'] ?? null,
    ...details,
    third_party: parts.third_party,
    account_id: soleOwner(owners, quantity),
    stakes: parts.stakes,
    job_id: requested_by.job_id,
    job_run_id: requested_by.job_run_id,
    settlement_id: requested_by.settlement_id ?? null,
    returns_deposit_id: requested_by.returns_deposit_id ?? null,
    own_transfer: transfer > 0n,
    source_wallet: route.from_wallet.foreign_id,
    transfer: route.transfer,
  }
}

/** What nobody owns stays ours, when it goes to a wallet of ours. */
const transferPart = (
  { to_wallet }: Pick<PaymentWay, 'to_wallet'>,
  owners: readonly OwnerShare[],
  quantity: Decimal,
): Decimal =>
  to_wallet.venue_id === null ? 0n : quantity - sum(owners.map((owner) => owner.quantity))

/** The account that all of it belongs to, null when there is none. */
function soleOwner(owners: readonly OwnerShare[], quantity: Decimal): string | null {
  const [first] = owners
  if (first === undefined) return null
  const own = owners.filter((owner) => owner.account_id === first.account_id)
  return sum(own.map((owner) => owner.quantity)) === quantity ? first.account_id : null
}

function requestedAssignment(
  { workspace, id, asset }: Pick<WithdrawalRow, 'workspace' | 'id' | 'asset'>,
  owner: OwnerShare,
) {
  return {
    workspace,
    id: newId(),
    state: 'PENDING',
    withdrawal_id: id,
    account_id: owner.account_id,
    customer_id: owner.customer_id,
    asset,
    quantity: format(owner.quantity),
    source: 'ROUTE',
  } as const
}
