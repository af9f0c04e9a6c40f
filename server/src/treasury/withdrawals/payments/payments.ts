/**
 * Payments that people order: to a payee who is known or new, at once or later. Ordering checks the
 * payment, makes what it needs (wallet, route, the request for the allow-list) and stores it, all
 * in one transaction. A task makes its withdrawal when its time has come (sending.ts). Nothing is
 * blocked on the customer's account before that.
 */
import { mustExist } from '../../../core/assert.ts'
import { notFound, refuse } from '../../../core/errors.ts'
import { withFailpoints } from '../../../core/failpoint.ts'
import { newId } from '../../../core/ids.ts'
import type { ApiKeyId, PaymentId, WorkspaceId } from '../../../core/ids.ts'
import { canMove, move } from '../../../core/moves.ts'
import { id, nullable, onceInTransaction, text, withIdempotentReplay } from '../../../http/index.ts'
import type { Caller } from '../../../http/index.ts'
import {
  assertVersion,
  commitWithReply,
  lockLane,
  publishEvents,
  retryOnStale,
} from '../../../ledger/index.ts'
import type { Change, EventOf } from '../../../ledger/index.ts'
import { only } from '../../../store/db.ts'
import type { Reader, Tx } from '../../../store/db.ts'
import { columnsOf, insertRow, shownOf, tableOf, updateGuardedRow } from '../../../store/rows.ts'
import { sql } from '../../../store/sql.ts'
import { stateNotIn } from '../../../store/states.ts'
import type { Query } from '../../../store/sql.ts'
import { putTasks } from '../../../store/tasks.ts'
import type { TreasuryApp } from '../../app.ts'
import { DEPOSIT_MOVES } from '../../deposit-rows/deposits.schema.ts'
import { PAYMENT_TASK } from '../../tasks.ts'
import { assertThirdPartyPermitted } from '../third-parties.ts'
import { checked } from './checking.ts'
import type { Payer } from './checking.ts'
import type { Way } from './known.ts'
import { destinationDigest, madeRoute } from './making.ts'
import { PAYMENT_MOVES, PaymentRecord } from './payments.schema.ts'
import type {
  CancelPaymentBody,
  CreatePaymentBody,
  Payment,
  PaymentState,
} from './payments.schema.ts'

const PAYMENTS = tableOf('payments', PaymentRecord, {
  inside: {
    limited_by: nullable(id<ApiKeyId>()),
    destination_digest: text(64, 'Of where it was ordered to'),
  },
  computed: [
    'withdrawal_state',
    'withdrawal_reason',
    'came_back_as',
    'destination_address',
    'recipient_name',
  ],
})
const ofWithdrawal = (column: Query): Query => sql`(
  select ${column}
  from withdrawals w
  where w.workspace = payments.workspace
    and w.id = payments.withdrawal_id
)`
/** Where it goes is what was sent, and before that what route and wallet say. */
export const PAYMENT_COLUMNS = columnsOf(PaymentRecord, {
  computed: {
    withdrawal_state: ofWithdrawal(sql`w.state`),
    withdrawal_reason: ofWithdrawal(sql`w.reason`),
    came_back_as: sql`(
      select d.id
      from deposits d
      where d.workspace = payments.workspace
        and d.related_withdrawal_id = payments.withdrawal_id
        and not d.own_transfer
        and ${stateNotIn(DEPOSIT_MOVES, ['FAILED', 'REVERSED'], 'd.state')}
      order by d.id desc
      limit 1
    )`,
    destination_address: sql`coalesce(
      ${ofWithdrawal(sql`w.destination_address`)},
      (
        select t.address
        from wallets t
        where t.workspace = payments.workspace
          and t.id = payments.to_wallet_id
      )
    )`,
    recipient_name: sql`coalesce(
      ${ofWithdrawal(sql`w.recipient_name`)},
      (
        select r.transfer -> 'to' ->> 'name'
        from treasury_routes r
        where r.workspace = payments.workspace
          and r.id = payments.route_id
      )
    )`,
  },
})
/** `limited_by`: the program whose limits hold when it is sent. */
export type PaymentRow = Payment & { limited_by: ApiKeyId | null; destination_digest: string }

/** Throws 4004. */
export async function paymentRow(
  reader: Reader,
  workspace: WorkspaceId,
  payment_id: PaymentId,
): Promise<PaymentRow> {
  const rows = await reader.query<PaymentRow>(sql`
    select ${PAYMENT_COLUMNS}, limited_by, destination_digest
    from payments
    where workspace = ${workspace}
      and id = ${payment_id}`)
  const row = only(rows)
  if (row === undefined) throw notFound('payment', payment_id, 'payment_id')
  return row
}

const paymentEvent = (
  type: EventOf<'payment'>,
  { id: resource_id, state, reason, withdrawal_id, account_id, asset, quantity }: Payment,
) => ({
  type: `payment.${type}` as const,
  resource_id,
  data: { state, reason, withdrawal_id, account_id, asset, quantity },
})

/** A repeat under the same key answers the payment as it was made. */
export async function createPayment(
  payer: Payer,
  app: TreasuryApp,
  body: CreatePaymentBody,
): Promise<Payment> {
  const { workspace, idempotency, by } = payer
  return withIdempotentReplay(app, workspace, idempotency, async () => {
    const order = await checked(app, payer, body)
    const store = async (tx: Tx) => {
      await lockLane(tx, workspace)
      const route = await madeRoute(tx, { app, by, transfer: body.payee?.transfer }, order.way)
      return storePayment(tx, app, by, orderedRow(payer, body, order, route))
    }
    return withFailpoints('payment.create', workspace, () =>
      onceInTransaction(app, { workspace, idempotency }, store),
    ) as Promise<Payment>
  })
}

async function storePayment(
  tx: Tx,
  { clock }: TreasuryApp,
  by: string,
  row: ReturnType<typeof orderedRow>,
): Promise<Payment> {
  const { workspace } = row
  const insert = insertRow(PAYMENTS, row, { by, now: clock.now() })
  const rows = await tx.query<Payment>(sql`
    ${insert}
    returning ${PAYMENT_COLUMNS}`)
  const payment = mustExist(only(rows), 'an insert returns its row')
  const task = { workspace, kind: PAYMENT_TASK, subject_id: payment.id, due_at: payment.send_at }
  await putTasks(tx, [task])
  await publishEvents({ workspace }, { tx, clock }, [paymentEvent('created', payment)])
  return payment
}

function orderedRow(
  { workspace, api_key }: Payer,
  body: CreatePaymentBody,
  { way, quantity, send_at }: { way: Way; quantity: string; send_at: number },
  route: Awaited<ReturnType<typeof madeRoute>>,
) {
  return {
    workspace,
    id: newId<PaymentId>(),
    state: 'WAITING' as const,
    route_id: route.id,
    from_wallet_id: way.from.id,
    to_wallet_id: route.to_wallet.id,
    asset: way.from.asset,
    quantity,
    speed_level: body.speed_level ?? 'DEFAULT',
    account_id: body.account_id ?? null,
    reference: body.reference ?? null,
    purpose: body.purpose ?? null,
    note: body.note ?? null,
    client_ref: body.client_ref ?? null,
    third_party: body.third_party === true,
    send_at,
    limited_by: api_key?.id ?? null,
    destination_digest: destinationDigest(route, body.reference ?? null),
  }
}

type Written = Partial<Pick<Payment, 'reason' | 'withdrawal_id'>>

/** The change that moves a payment to another state, and the payment as it is then. */
export function movedPayment(
  row: PaymentRow,
  to: PaymentState,
  { by, now, set, type }: { by: string; now: number; set: Written; type: EventOf<'payment'> },
): { payment: Payment; change: Change } {
  const { workspace, id: payment_id } = row
  const payment = shownOf(PAYMENTS, {
    ...row,
    ...set,
    state: to,
    system_updated_at: now,
    system_updated_by: by,
    version: row.version + 1,
  })
  const change: Change = {
    workspace,
    class: 'command',
    by,
    guards: [
      {
        table: 'payments',
        resource: 'payment',
        id: payment_id,
        version: row.version,
        ...move(PAYMENT_MOVES, row.state, to),
      },
    ],
    rows: [updateGuardedRow(PAYMENTS, { where: { workspace, id: payment_id }, set })],
    events: [paymentEvent(type, payment)],
  }
  return { payment, change }
}

/** Before it was sent. Refused: STATE_NOT_ALLOWED, STALE_VERSION. */
export function cancelPayment(
  caller: Caller,
  app: TreasuryApp,
  payment_id: PaymentId,
  { reason, version }: CancelPaymentBody,
): Promise<Payment> {
  return change(caller, app, { payment_id, version }, (row) => {
    if (!canMove(PAYMENT_MOVES, row.state, 'CANCELED'))
      throw refuse(
        'STATE_NOT_ALLOWED',
        '',
        `payment ${payment_id} is ${row.state}: only one that was not sent can be canceled`,
      )
    const how = { by: caller.by, now: app.clock.now(), type: 'canceled' } as const
    return movedPayment(row, 'CANCELED', { ...how, set: { reason: reason ?? null } })
  })
}

/** Has a refused payment tried once more. Refused: 1003, STATE_NOT_ALLOWED, STALE_VERSION. */
export function retryPayment(
  caller: Payer,
  app: TreasuryApp,
  payment_id: PaymentId,
  { version }: { version?: number },
): Promise<Payment> {
  return change(caller, app, { payment_id, version }, (row) => {
    if (row.state !== 'REFUSED')
      throw refuse('STATE_NOT_ALLOWED', '', `payment ${payment_id} is ${row.state}, not REFUSED`)
    assertThirdPartyPermitted(caller, [row])
    const now = app.clock.now()
    const how = { by: caller.by, now, set: { reason: null }, type: 'retried' } as const
    const moved = movedPayment(row, 'WAITING', how)
    const tasks = [{ kind: PAYMENT_TASK, subject_id: payment_id, due_at: now }]
    return { ...moved, change: { ...moved.change, tasks } }
  })
}

function change(
  caller: Caller,
  app: TreasuryApp,
  { payment_id, version }: { payment_id: PaymentId; version: number | undefined },
  moved: (row: PaymentRow) => { payment: Payment; change: Change },
): Promise<Payment> {
  const { workspace, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await paymentRow(app.db, workspace, payment_id)
      assertVersion('payment', row, version)
      const { payment, change: draft } = moved(row)
      return commitWithReply(app.lane, caller, draft, payment)
    }),
  )
}
