import type { AccountId, CustomerId, PaymentId } from '../../../core/ids.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  quantityConditions,
  queryAssets,
  queryId,
  queryOneOf,
  queryQuantity,
  queryText,
} from '../../../http/index.ts'
import type { Endpoint } from '../../../http/index.ts'
import { columnIn, sql } from '../../../store/sql.ts'
import type { TreasuryApp } from '../../app.ts'
import { ownerOf } from '../../assignments/movement-filters.ts'
import { assertThirdPartyPermitted } from '../third-parties.ts'
import { previewPayment } from './checking.ts'
import { cancelPayment, createPayment, PAYMENT_COLUMNS, retryPayment } from './payments.ts'
import {
  CancelPayment,
  CreatePayment,
  PAYMENT_STATES,
  PaymentPreview,
  PaymentRecord,
  RetryPayment,
} from './payments.schema.ts'

const MAXIMUM_REF = 200
const tag = 'Payments'
const params = closed({ payment_id: id<PaymentId>() })

const EXAMPLE = {
  from_wallet_id: '01a1fc75-ea2a-7589-aa8f-000000000004',
  protocol: 'SEPA',
  payee: {
    label: 'Jonas Keller',
    address: 'AT611904300234573201',
    transfer: { to: { name: 'Jonas Keller' } },
  },
  account_id: '01a1fc75-ea2a-7589-aa8f-000000000001',
  quantity: '250',
  reference: 'Invoice 4711',
  send_at: 1_798_761_600_000,
}

export const paymentsEndpoints = (app: TreasuryApp): Endpoint[] => [
  list(app),
  create(app),
  preview(app),
  cancel(app),
  retry(app),
]

const list = (app: TreasuryApp) =>
  listEndpoint({
    operation_id: 'listPayments',
    personal: true,
    tagged: 'payment',
    path: '/treasury/payments',
    origin: { ours: 'people see what they ordered, what it waits for, and what was refused' },
    tag,
    summary: 'List payments',
    permission: 'treasury.withdrawals.read',
    description: '`quantity_from` and `quantity_to` are both inclusive.',
    data: PaymentRecord,
    query: closed({
      id: queryId(),
      state: queryOneOf(PAYMENT_STATES),
      account_id: queryId<AccountId>(),
      customer_id: queryId<CustomerId>(),
      asset: queryAssets(),
      quantity_from: queryQuantity(),
      quantity_to: queryQuantity(),
      withdrawal_id: queryId(),
      client_ref: queryText(MAXIMUM_REF),
    }),
    list: async ({ query, principal: { workspace } }) => {
      const owner = await ownerOf(app.db, workspace, query)
      return {
        select: sql`
      select ${PAYMENT_COLUMNS}
      from payments`,
        conditions: [
          sql`workspace = ${workspace}`,
          ...(query.id === undefined ? [] : [sql`id = ${query.id}`]),
          ...(query.state === undefined ? [] : [columnIn('state', query.state)]),
          ...(owner === undefined
            ? []
            : [owner === null ? sql`false` : sql`account_id = ${owner}`]),
          ...(query.asset === undefined ? [] : [columnIn('asset', query.asset)]),
          ...(await quantityConditions(
            app.db,
            {
              table: 'payments',
              column: 'quantity',
              of: { id: 'id', quantity: 'quantity' },
              among: [sql`workspace = ${workspace}`],
            },
            { from: query.quantity_from, to: query.quantity_to },
          )),
          ...(query.withdrawal_id === undefined
            ? []
            : [sql`withdrawal_id = ${query.withdrawal_id}`]),
          ...(query.client_ref === undefined ? [] : [sql`client_ref = ${query.client_ref}`]),
        ],
        key: { column: 'id', type: 'uuid' },
      }
    },
  })

const create = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'createPayment',
    path: '/treasury/payments',
    origin: { ours: 'people pay somebody, known or new, with one request' },
    tag,
    summary: 'Pay somebody',
    permission: 'treasury.withdrawals.create',
    effect: 'own',
    description:
      'Over a known route, or to a payee: what is missing of wallet and route is made with the ' +
      'payment, which needs treasury.wallets.write and treasury.routes.write, and ' +
      'treasury.routes.allow where the venue keeps an allow-list. At `send_at`, or at once, the ' +
      'withdrawal is made and the amount blocked; until then nothing is. Refused as wallets, ' +
      'routes and withdrawals are.',
    body: CreatePayment,
    example: EXAMPLE,
    data: PaymentRecord,
    handle: ({ body, caller, principal }) => {
      assertThirdPartyPermitted(principal, [body])
      return createPayment({ ...caller, permissions: principal.permissions }, app, body)
    },
  })

const preview = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'previewPayment',
    path: '/treasury/payments/preview',
    origin: { ours: 'each line of a file is checked before anything is ordered' },
    tag,
    summary: 'Check a payment without ordering it',
    permission: 'treasury.withdrawals.create',
    effect: 'venue',
    description: 'Refused as the payment would be. Nothing is stored.',
    body: CreatePayment,
    example: EXAMPLE,
    data: PaymentPreview,
    handle: ({ body, caller, principal }) => {
      assertThirdPartyPermitted(principal, [body])
      return previewPayment({ ...caller, permissions: principal.permissions }, app, body)
    },
  })

const cancel = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'cancelPayment',
    path: '/treasury/payments/:payment_id/cancel',
    origin: { ours: 'a payment that was not sent can be canceled' },
    tag,
    summary: 'Cancel a payment that was not sent',
    permission: 'treasury.withdrawals.cancel',
    effect: 'lane',
    description: 'Refused: STATE_NOT_ALLOWED once it is SENT: cancel its withdrawal then.',
    params,
    body: CancelPayment,
    example: { reason: 'The invoice was wrong' },
    data: PaymentRecord,
    handle: ({ params: { payment_id }, body, caller }) =>
      cancelPayment(caller, app, payment_id, body),
  })

const retry = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'retryPayment',
    path: '/treasury/payments/:payment_id/retry',
    origin: { ours: 'what a payment was refused for can be mended' },
    tag,
    summary: 'Try a refused payment once more',
    permission: 'treasury.withdrawals.create',
    effect: 'lane',
    description:
      'At once. Refused: STATE_NOT_ALLOWED; 1003 for a third-party payment that the caller may ' +
      'not make.',
    params,
    body: RetryPayment,
    example: { version: 2 },
    data: PaymentRecord,
    handle: ({ params: { payment_id }, body, caller, principal }) =>
      retryPayment({ ...caller, permissions: principal.permissions }, app, payment_id, body),
  })
