import type { DepositId, VenueId } from '../../core/ids.ts'
import { refuse } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import {
  closed,
  endpoint,
  flag,
  id,
  listEndpoint,
  queryFlag,
  TOTALS_COST,
  totalsOf,
  totalsShape,
  Type,
} from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { putTasks } from '../../store/tasks.ts'
import { workspaceOfVenue } from '../../venues/index.ts'
import { MOVEMENT_FILTERS_TEXT } from '../assignments/movement-filters.ts'
import { depositById } from '../deposit-rows/rows.ts'
import { DepositRecord } from '../deposit-rows/deposits.schema.ts'
import { ReturnDeposit, ReturnPreview } from './returns.schema.ts'
import { previewReturn, returnDeposit } from './returns.ts'
import { suggestionsFor } from './suggestions.ts'
import { DepositSuggestion } from './suggestions.schema.ts'
import { POLL_TASK } from '../tasks.ts'
import { assertThirdPartyPermitted } from '../withdrawals/third-parties.ts'
import { WithdrawalRecord } from '../withdrawals/withdrawals.schema.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { DEPOSIT_TOTALS, DepositFilter, listOfDeposits } from './list.ts'
import type { TreasuryApp } from '../app.ts'

/** Per minute and address; more is only told later, by the next reading. */
const PUSHES = 1_200
const PUSH_BYTES = 262_144

const tag = 'Deposits'

export function depositsEndpoints(app: TreasuryApp): Endpoint[] {
  return [...readEndpoints(app), returnEndpoint(app), ...pushEndpoints(app)]
}

const listDeposits = (app: TreasuryApp): Endpoint =>
  listEndpoint({
    operation_id: 'listDeposits',
    personal: true,
    path: '/treasury/deposits',
    origin: 'SPECIFIED',
    tag,
    summary: 'List deposits',
    permission: 'treasury.deposits.read',
    data: DepositRecord,
    query: DepositFilter,
    description:
      '`gone_twice=true`: only those that went back to their sender and that their venue took ' +
      `back too, while somebody must act on it. ${MOVEMENT_FILTERS_TEXT}`,
    list: ({ principal, query }) => listOfDeposits(app.db, principal.workspace, query),
  })

function readEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    listDeposits(app),
    endpoint({
      method: 'GET',
      operation_id: 'getDepositTotals',
      path: '/treasury/deposits/totals',
      origin: { ours: 'a desk wants to know what all deposits of a filter amount to' },
      tag,
      summary: 'Sums of deposits by asset and state',
      permission: 'treasury.deposits.read',
      effect: 'read',
      read_cost: TOTALS_COST,
      description: 'Of the deposits that the list has with the same filters, newest first.',
      query: DepositFilter,
      data: totalsShape(DEPOSIT_TOTALS),
      handle: async ({ principal: { workspace }, query }) =>
        totalsOf(app.db, await listOfDeposits(app.db, workspace, query), DEPOSIT_TOTALS),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getDeposit',
      personal: true,
      path: '/treasury/deposits/:deposit_id',
      origin: 'SPECIFIED',
      tag,
      summary: 'One deposit',
      permission: 'treasury.deposits.read',
      effect: 'read',
      params: closed({ deposit_id: id<DepositId>() }),
      data: DepositRecord,
      handle: ({ params, principal }) =>
        depositById(app.db, principal.workspace, params.deposit_id),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'suggestDepositOwners',
      personal: true,
      path: '/treasury/deposits/:deposit_id/suggestions',
      origin: { ours: 'helps to find the owner of a deposit' },
      tag,
      summary: 'Suggested owners of a deposit',
      permission: 'assignments.create',
      effect: 'read',
      description:
        'Accounts that its source, reference, sender or amount point to, best first, each ' +
        'with the reasons; at most ten. None when nothing of it is left to assign. Nothing ' +
        'is changed.',
      params: closed({ deposit_id: id<DepositId>() }),
      data: Type.Array(DepositSuggestion),
      handle: ({ params, principal }) =>
        suggestionsFor(app.db, principal.workspace, params.deposit_id),
    }),
  ]
}

const returnEndpoint = (app: TreasuryApp): Endpoint =>
  endpoint({
    method: 'POST',
    operation_id: 'returnDeposit',
    path: '/treasury/deposits/:deposit_id/return',
    origin: { ours: 'money that is not for us, or not wanted, goes back to whom it came from' },
    tag,
    summary: 'Return a deposit to its sender',
    permission: 'treasury.deposits.return',
    effect: 'lane',
    description:
      'Makes a withdrawal from the wallet that received the deposit to the account from which it ' +
      'was paid, as the bank named it, and answers the withdrawal. Coins, and money whose payer ' +
      'is not named, go back over the route that is named. Returns what nobody has, or, with ' +
      '`account_id`, what that account got. A REJECTED deposit can be returned too. Refused: ' +
      'STATE_NOT_ALLOWED (not final, reversed, an own transfer, returned already), SUM_MISMATCH ' +
      '(more than is left), REQUIRED (an account or a route), CONFLICT (the route leads ' +
      'elsewhere; the payer is one of ours), and as a withdrawal is. With `dry_run=true` it ' +
      'answers what would be sent, where to and at which fee, and changes nothing; balances, ' +
      'halts and freezes are left to the request itself.',
    params: closed({ deposit_id: id<DepositId>() }),
    query: closed({ dry_run: queryFlag() }),
    body: ReturnDeposit,
    example: { quantity: '250', reason: 'The payer is not a customer' },
    data: Type.Unsafe<Withdrawal | ReturnPreview>({ anyOf: [WithdrawalRecord, ReturnPreview] }),
    handle: ({ params: { deposit_id }, query: { dry_run }, body, caller, principal }) => {
      assertThirdPartyPermitted(principal, [body])
      return dry_run === true
        ? previewReturn(caller, app, deposit_id, body)
        : returnDeposit(caller, app, deposit_id, body)
    },
  })

function pushEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      operation_id: 'announceDeposit',
      errors: ['MissingToken', 'NewResourceNotFound', 'VenueUnreachable'],
      path: '/venues/:venue_id/push',
      origin: { ours: 'a venue announces deposits under its own signature' },
      tag: 'Venues',
      summary: 'Announce a deposit (for venues)',
      permission: 'public',
      rate_limit: PUSHES,
      body_bytes: PUSH_BYTES,
      effect: 'venue',
      description:
        'Called by the venue, which signs it (else 1001). It is a hint to read now ' +
        'what has arrived. Only what is read counts.',
      params: closed({ venue_id: id<VenueId>() }),
      body: Type.Unsafe<Json>({ description: "The venue's own message" }),
      example: { event: 'payment.received', payment: '4711' },
      data: closed({ read: flag('Whether the venue will be read now') }, { title: 'Push' }),
      async handle({ params: { venue_id }, sent, headers }) {
        const workspace = await workspaceOfVenue(app.db, venue_id)
        const { venue, adapter } = await app.venues.connect(workspace, venue_id)
        if (adapter.transfers?.push === undefined)
          throw refuse(
            'UNSUPPORTED_BY_VENUE',
            'venue_id',
            `the venue ${venue.label} pushes nothing`,
          )
        const plain = Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [
            name,
            Array.isArray(value) ? value.join(', ') : value,
          ]),
        )
        const movements = await adapter.transfers.push(sent ?? Buffer.alloc(0), plain)
        if (movements !== undefined && venue.connected_at !== null)
          await putTasks(app.db, [
            { workspace, kind: POLL_TASK, subject_id: venue_id, due_at: app.clock.now() },
          ])
        return { read: movements !== undefined }
      },
    }),
  ]
}
