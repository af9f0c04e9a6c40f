/**
 * Withdrawals: what is asked for. The amount is blocked and the withdrawal stored in one commit, together with the task that
 * sends it (withdrawal-sending.ts); what the venue says of it becomes bookings in withdrawal-outcome.ts.
 */
import { settingsOf } from '../../access/index.ts'
import { customersOfAccounts } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { mustExist } from '../../core/assert.ts'
import { decimal, format, FRACTION_DIGITS, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Idempotency } from '../../http/index.ts'
import {
  accountById,
  amountOf,
  assertNotHalted,
  assetByCode,
  assetsOf,
  houseAccounts,
  venueAccounts,
} from '../../ledger/index.ts'
import type {
  HaltScope,
  Change,
  EventDraft,
  EventOf,
  HoldDraft,
  LedgerStep,
} from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import { assertOpened, storedProtocols } from '../../venues/index.ts'
import type { TransferDetails } from '../../venues/index.ts'
import { insertAssignment } from '../assignments/rows.ts'
import { feeShares } from '../bookings.ts'
import type { BookingAccounts, Share } from '../bookings.ts'
import { agreedFee } from '../routes/fees.ts'
import { checkRoute, routeById } from '../routes/routes.ts'
import type { Route } from '../routes/routes.ts'
import { WITHDRAWAL_TASK } from '../tasks.ts'
import type { WalletLocation } from '../wallets/positions.ts'
import type { TreasuryApp } from '../app.ts'
import type { CreateWithdrawalBody, Stake, Withdrawal } from './withdrawals.schema.ts'

const SHOWN = `id, workspace, state, sub_state, reason_code, reason, origin, route_id, from_wallet_id, to_wallet_id, service_id, venue_id, asset, protocol, quantity, fee, fee_asset,
  fee_estimate, speed_level, destination_address, tag, reference_text, note, account_id, stakes, job_id, job_run_id, settlement_id, related_withdrawal_id, external_id, foreign_id, transaction_hash, confirmations, submitted_at, completed_at,
  resolved_by, resolved_at, evidence, system_created_at, system_created_by, system_updated_at, system_updated_by, version`
export const WITHDRAWAL_COLUMNS = raw(SHOWN)

/** The row with what only the sending needs. */
export type WithdrawalRow = Withdrawal & {
  own_transfer: boolean
  /** The venue's own price, booked to FEE: nobody's to assign. */
  venue_charge: boolean
  fee_borne_by: 'HOUSE' | 'CUSTOMER'
  source_wallet: string | null
  transfer: TransferDetails
  recipient_name: string | null
  /** Which output of the transaction of this external_id it is, and of how many. */
  output: number
  outputs: number
}

export const WITHDRAWAL_ROW_COLUMNS = raw(
  `${SHOWN}, own_transfer, venue_charge, fee_borne_by, source_wallet, transfer, recipient_name, output, outputs`,
)

/** Throws 4004. */
export async function withdrawalById(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
): Promise<Withdrawal> {
  const withdrawal = only(
    await reader.query<Withdrawal>(
      sql`select ${WITHDRAWAL_COLUMNS} from withdrawals where workspace = ${workspace} and id = ${id}`,
    ),
  )
  if (withdrawal === undefined) throw notFound('withdrawal', id, 'withdrawal_id')
  return withdrawal
}

export async function withdrawalRow(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
): Promise<WithdrawalRow> {
  const row = only(
    await reader.query<WithdrawalRow>(sql`
    select ${WITHDRAWAL_ROW_COLUMNS} from withdrawals where workspace = ${workspace} and id = ${id}`),
  )
  if (row === undefined) throw notFound('withdrawal', id, 'withdrawal_id')
  return row
}

export async function bookingAccounts(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: string,
): Promise<BookingAccounts> {
  const house = await houseAccounts(reader, workspace)
  const { VENUE } = await venueAccounts(reader, workspace, venue_id)
  return { ...house, VENUE: mustExist(VENUE, 'a venue in use has its accounts') }
}

/** Where it leaves from. */
export const sourceSpot = (
  {
    workspace,
    venue_id,
    source_wallet,
  }: Pick<WithdrawalRow, 'workspace' | 'venue_id' | 'source_wallet'>,
  { VENUE }: Pick<BookingAccounts, 'VENUE'>,
): WalletLocation => ({ workspace, venue_id, account_id: VENUE, wallet: source_wallet })

/** What an event tells of a withdrawal. */
export function withdrawalEvent(
  type: EventOf<'withdrawal'>,
  row: Pick<
    Withdrawal,
    | 'id'
    | 'state'
    | 'asset'
    | 'quantity'
    | 'account_id'
    | 'destination_address'
    | 'foreign_id'
    | 'transaction_hash'
    | 'reason'
  >,
  more: Record<string, Json> = {},
): EventDraft {
  const {
    id,
    state,
    asset,
    quantity,
    account_id,
    destination_address,
    foreign_id,
    transaction_hash,
    reason,
  } = row
  return {
    type: `withdrawal.${type}`,
    resource_id: id,
    data: {
      state,
      asset,
      quantity,
      account_id,
      destination_address,
      foreign_id,
      transaction_hash,
      reason,
      ...more,
    },
  }
}

/**
 * Blocks the amount (and the fee, where the customer bears it) and stores the withdrawal. Refused: SCALE, BELOW_MINIMUM,
 * ABOVE_MAXIMUM, FEE_MISMATCH, NOT_ALLOWLISTED, TAG_REQUIRED, INVALID_ADDRESS, UNSUPPORTED_BY_VENUE, INSUFFICIENT_BALANCE,
 * NOT_ACTIVE; 2003 when the venue is needed for the fee and does not answer.
 */
export function createWithdrawal(
  app: TreasuryApp,
  workspace: WorkspaceId,
  route_id: string,
  body: CreateWithdrawalBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Withdrawal> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    makeWithdrawal(app, workspace, route_id, body, by, idempotency),
  )
}

async function makeWithdrawal(
  app: TreasuryApp,
  workspace: WorkspaceId,
  route_id: string,
  body: CreateWithdrawalBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Withdrawal> {
  const route = await routeById(app.db, workspace, route_id, 'treasury_route_id')
  const { withdrawal, change } = await withdrawalDraft(app, route, body, by)
  const committed = await withFailpoints('withdrawal.create', withdrawal.id, () =>
    app.lane.commit({
      ...change,
      ...(idempotency === undefined
        ? {}
        : { idempotency: { ...idempotency, reply: { data: withdrawal } } }),
    }),
  )
  return committed.verdict === 'replayed' && 'data' in committed.reply
    ? (committed.reply.data as Withdrawal)
    : withdrawal
}

/** What asked for a withdrawal, where it was not a person. */
export type AskedBy = Pick<Withdrawal, 'origin' | 'job_id' | 'job_run_id'> & {
  settlement_id?: string
}
const MANUAL: AskedBy = { origin: 'MANUAL', job_id: null, job_run_id: null }

/** Every check of a withdrawal, and the change that makes it; nothing is stored yet. Refused as `createWithdrawal`. */
export async function withdrawalDraft(
  app: TreasuryApp,
  route: Route,
  body: CreateWithdrawalBody,
  by: string,
  asked: AskedBy = MANUAL,
): Promise<Draft> {
  const { asset } = senderOfRoute(route)
  const quantity = amountOf(
    body.quantity,
    await assetByCode(app.db, route.workspace, asset),
    'quantity',
  )
  const owner = await ownerOf(app, route.workspace, body)
  await assertPayable(app, route)
  const agreed = await agreedFor(
    app,
    route,
    quantity,
    body.speed_level,
    body.fee === undefined ? undefined : decimal(body.fee),
  )
  const owners =
    owner === undefined ? [] : [{ account_id: owner.account_id, customer_id: owner.id, quantity }]
  return composeWithdrawal(
    app,
    route,
    {
      quantity,
      speed_level: body.speed_level,
      note: body.note ?? null,
      owners,
      stakes: null,
      agreed,
    },
    by,
    asked,
  )
}

type Draft = { withdrawal: Withdrawal; change: Change }
export type Owned = Share & { customer_id: string }

/** What is sent from where; throws UNSUPPORTED_BY_VENUE when nothing can be. */
export function senderOfRoute({ from_wallet: { venue_id, service_id, asset } }: Route): {
  venue_id: string
  service_id: string
  asset: string
} {
  if (venue_id === null || service_id === null)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'treasury_route_id',
      'the wallet is EXTERNAL: nothing can be sent from it',
    )
  return { venue_id, service_id, asset }
}

const haltScope = ({ venue_id, asset }: { venue_id: string; asset: string }): HaltScope => ({
  action: 'WITHDRAWALS',
  venue_ids: [venue_id],
  assets: [asset],
})

/** Whether anything may be sent over this route now. */
export async function assertPayable(app: TreasuryApp, route: Route): Promise<void> {
  await assertNotHalted(app.db, route.workspace, haltScope(senderOfRoute(route)))
  await checkRoute(app, route.workspace, route)
  await assertAllowlisted(app, route)
}

/** The fee of just this quantity, which the venue must be able to send at once. */
async function agreedFor(
  app: TreasuryApp,
  route: Route,
  quantity: Decimal,
  speed_level: CreateWithdrawalBody['speed_level'],
  named?: Decimal,
): Promise<{ fee: Decimal; asset: string }> {
  await assertWithinLimits(app.db, route, quantity)
  return agreedFee(app, route, quantity, speed_level, named)
}

/** As which output of which transaction a withdrawal leaves; the first one stands for all of them. */
export type OutputPlace = { id: string; external_id: string; output: number; outputs: number }

type Composed = {
  quantity: Decimal
  speed_level: CreateWithdrawalBody['speed_level']
  note: string | null
  owners: readonly Owned[]
  stakes: Stake[] | null
  agreed: { fee: Decimal; asset: string }
  place?: OutputPlace
}

/** The change that makes a withdrawal whose every part was checked: its row, holds, assignments, event, and the task of its transaction. */
export async function composeWithdrawal(
  app: TreasuryApp,
  route: Route,
  { quantity, speed_level, note, owners, stakes, agreed, place }: Composed,
  by: string,
  asked: AskedBy,
): Promise<Draft> {
  const { workspace } = route
  const { venue_id, service_id, asset } = senderOfRoute(route)
  const { fee_borne_by } = await settingsOf(app.db, workspace)
  const own = newId()
  const { id, external_id, output, outputs } = place ?? {
    id: own,
    external_id: own,
    output: 0,
    outputs: 1,
  }
  const now = app.clock.now()
  const [first] = owners
  const account_id =
    first !== undefined &&
    sum(
      owners
        .filter((owner) => owner.account_id === first.account_id)
        .map((owner) => owner.quantity),
    ) === quantity
      ? first.account_id
      : null
  const withdrawal: Withdrawal = {
    id,
    workspace,
    state: 'PENDING',
    sub_state: null,
    reason_code: null,
    reason: null,
    origin: asked.origin,
    route_id: route.id,
    from_wallet_id: route.from_wallet_id,
    to_wallet_id: route.to_wallet_id,
    service_id,
    venue_id,
    asset,
    protocol: route.protocol,
    quantity: format(quantity),
    fee: null,
    fee_asset: agreed.asset,
    fee_estimate: format(agreed.fee),
    speed_level,
    destination_address: route.to_wallet.address,
    tag: route.transfer.to['tag'] ?? null,
    reference_text: route.transfer.to['reference'] ?? null,
    note,
    account_id,
    stakes,
    job_id: asked.job_id,
    job_run_id: asked.job_run_id,
    settlement_id: asked.settlement_id ?? null,
    related_withdrawal_id: null,
    external_id,
    foreign_id: null,
    transaction_hash: null,
    confirmations: null,
    submitted_at: null,
    completed_at: null,
    resolved_by: null,
    resolved_at: null,
    evidence: null,
    system_created_at: now,
    system_created_by: by,
    system_updated_at: now,
    system_updated_by: by,
    version: 1,
  }
  const own_transfer = owners.length === 0 && route.to_wallet.venue_id !== null
  const change: Change = {
    workspace,
    class: 'command',
    by,
    halt: haltScope({ venue_id, asset }),
    ledger: await holdsOfOwners(
      app.db,
      workspace,
      { quantity, asset, owners, agreed },
      { cause_type: 'withdrawal', cause_id: id },
    ),
    rows: [
      insertWithdrawal({
        ...withdrawal,
        own_transfer,
        fee_borne_by,
        source_wallet: route.from_wallet.foreign_id,
        transfer: route.transfer,
        recipient_name: route.transfer.to['name'] ?? null,
        output,
        outputs,
      }),
      ...owners.map((owner) =>
        insertAssignment({
          workspace,
          id: newId(),
          state: 'PENDING',
          deposit_id: null,
          withdrawal_id: id,
          account_id: owner.account_id,
          customer_id: owner.customer_id,
          asset,
          quantity: format(owner.quantity),
          source: 'ROUTE',
          matching_id: null,
          decided_by: null,
          decided_at: null,
          booked_at: null,
          at: now,
          by,
        }),
      ),
    ],
    events: [
      withdrawalEvent('created', withdrawal, {
        customers: owners.map((owner) => ({
          customer_id: owner.customer_id,
          account_id: owner.account_id,
          quantity: format(owner.quantity),
        })),
      }),
    ],
    tasks: output === 0 ? [{ kind: WITHDRAWAL_TASK, subject_id: id, due_at: now }] : [],
  }
  return { withdrawal, change }
}

/** What is blocked on each owner's account: his part, and of the fee what he bears of it. */
export async function holdsOfOwners(
  reader: Reader,
  workspace: WorkspaceId,
  {
    quantity,
    asset,
    owners,
    agreed,
  }: Pick<Composed, 'quantity' | 'owners' | 'agreed'> & { asset: string },
  cause: HoldCause,
): Promise<LedgerStep[]> {
  const { fee_borne_by } = await settingsOf(reader, workspace)
  const scale = (await assetsOf(reader, workspace)).get(agreed.asset)?.scale ?? FRACTION_DIGITS
  const fees = fee_borne_by === 'CUSTOMER' ? feeShares(agreed.fee, quantity, owners, scale) : []
  return [...Map.groupBy(owners, (owner) => owner.account_id)].flatMap(([account_id, parts]) => {
    const fee = fees.find((fee) => fee.account_id === account_id)
    return holdSteps(
      cause,
      asset,
      account_id,
      sum(parts.map((part) => part.quantity)),
      fee === undefined ? undefined : { fee: fee.quantity, asset: agreed.asset },
    )
  })
}

async function ownerOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  body: CreateWithdrawalBody,
): Promise<Customer | undefined> {
  if (
    body.account !== undefined &&
    body.account_id !== undefined &&
    body.account !== body.account_id
  ) {
    throw refuse(
      'CONFLICT',
      'account',
      'account and account_id are the same field and name different accounts',
    )
  }
  const path = body.account_id === undefined ? 'account' : 'account_id'
  const account_id = body.account_id ?? body.account
  if (account_id === undefined) return undefined
  return customerOfAccount(app.db, workspace, account_id, path)
}

/** The active customer behind the account; 4004 for an unknown account, 3001 for one that is no customer's. */
export async function customerOfAccount(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: string,
  path: string,
): Promise<Customer> {
  const account = await accountById(reader, workspace, account_id, path)
  const customer = (await customersOfAccounts(reader, workspace, [account_id])).get(account_id)
  if (customer === undefined)
    throw refuse(
      'RANGE',
      path,
      `account ${account_id} is ${account.type}: only customers' accounts are assigned`,
    )
  if (customer.state !== 'ACTIVE')
    throw refuse('NOT_ACTIVE', path, `customer ${customer.id} was deleted`)
  return customer
}

async function assertAllowlisted(app: TreasuryApp, route: Route): Promise<void> {
  if (route.from_wallet.venue_id === null) return
  const { venue, adapter } = await app.venues.connected(route.workspace, route.from_wallet.venue_id)
  assertOpened(venue)
  if (adapter.allowlist !== undefined && route.allowlist_state !== 'APPROVED') {
    throw refuse(
      'NOT_ALLOWLISTED',
      'treasury_route_id',
      `the destination of route ${route.label} is not on the venue's allow-list: ${route.allowlist_state}`,
    )
  }
}

/** The least and the most that the sending venue sends at once over this route, as far as it has said. */
export async function limitsOf(
  reader: Reader,
  route: Route,
): Promise<{ least: Decimal | null; most: Decimal | null }> {
  const known = await storedProtocols(
    reader,
    route.workspace,
    mustExist(route.from_wallet.venue_id, 'a sending wallet has a venue'),
  )
  const protocol = known
    ?.find((each) => each.asset === route.from_wallet.asset)
    ?.protocols.find((protocol) => protocol.protocol === route.protocol)
  const figure = (text: string | null | undefined) =>
    text === null || text === undefined ? null : decimal(text)
  return { least: figure(protocol?.min_withdrawal), most: figure(protocol?.max_withdrawal) }
}

/** Throws BELOW_MINIMUM or ABOVE_MAXIMUM. */
export async function assertWithinLimits(
  reader: Reader,
  route: Route,
  quantity: Decimal,
): Promise<void> {
  const { least, most } = await limitsOf(reader, route)
  if (least !== null && quantity < least)
    throw refuse(
      'BELOW_MINIMUM',
      'quantity',
      `the venue sends at least ${format(least)} ${route.from_wallet.asset}`,
    )
  if (most !== null && quantity > most)
    throw refuse(
      'ABOVE_MAXIMUM',
      'quantity',
      `the venue sends at most ${format(most)} ${route.from_wallet.asset}`,
    )
}

/** Why something is blocked, and until when at most. */
export type HoldCause = Pick<HoldDraft, 'cause_type' | 'cause_id' | 'expires_at'>

/** Blocks an amount for a withdrawal under way. */
export const holdsFor = (
  withdrawal: Pick<Withdrawal, 'id' | 'asset'>,
  account_id: string,
  quantity: Decimal,
): LedgerStep[] =>
  holdSteps(
    { cause_type: 'withdrawal', cause_id: withdrawal.id },
    withdrawal.asset,
    account_id,
    quantity,
    undefined,
  )

/** One hold per asset: the fee is in the same one, or in a second. */
function holdSteps(
  cause: HoldCause,
  asset: string,
  account_id: string,
  quantity: Decimal,
  fee: { fee: Decimal; asset: string } | undefined,
): LedgerStep[] {
  const together = fee !== undefined && fee.asset === asset ? fee.fee : 0n
  const apart =
    fee !== undefined && fee.asset !== asset && fee.fee > 0n
      ? [{ asset: fee.asset, quantity: fee.fee }]
      : []
  return [{ asset, quantity: quantity + together }, ...apart].map((part): LedgerStep => ({
    step: 'hold',
    hold: { id: newId(), kind: 'WITHDRAWAL', account_id, ...cause, ...part },
  }))
}

function insertWithdrawal(row: Omit<WithdrawalRow, 'venue_charge'>) {
  return sql`
    insert into withdrawals (workspace, id, state, origin, route_id, from_wallet_id, to_wallet_id, service_id, venue_id, asset, protocol, quantity, fee_asset, fee_estimate, fee_borne_by, speed_level,
      destination_address, tag, reference_text, note, account_id, stakes, job_id, job_run_id, settlement_id, own_transfer, external_id, source_wallet, transfer, recipient_name, output, outputs, system_created_at, system_created_by, system_updated_at, system_updated_by)
    values (${row.workspace}, ${row.id}, ${row.state}, ${row.origin}, ${row.route_id}, ${row.from_wallet_id}, ${row.to_wallet_id}, ${row.service_id}, ${row.venue_id}, ${row.asset}, ${row.protocol}, ${row.quantity},
      ${row.fee_asset}, ${row.fee_estimate}, ${row.fee_borne_by}, ${row.speed_level}, ${row.destination_address}, ${row.tag}, ${row.reference_text}, ${row.note}, ${row.account_id}, ${row.stakes === null ? null : JSON.stringify(row.stakes)}::jsonb, ${row.job_id}, ${row.job_run_id}, ${row.settlement_id}, ${row.own_transfer}, ${row.external_id},
      ${row.source_wallet}, ${JSON.stringify(row.transfer)}::jsonb, ${row.recipient_name}, ${row.output}, ${row.outputs}, ${row.system_created_at}, ${row.system_created_by}, ${row.system_updated_at}, ${row.system_updated_by})`
}
