import type { TreasuryRouteId, WithdrawalId } from '../../core/ids.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  TOTALS_COST,
  totalsOf,
  totalsShape,
} from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { listOfWithdrawals, WITHDRAWAL_TOTALS, WithdrawalFilter } from './list.ts'
import { MOVEMENT_FILTERS_TEXT } from '../assignments/movement-filters.ts'
import type { TreasuryApp } from '../app.ts'
import { cancelWithdrawal, recheckWithdrawal, resolveWithdrawal } from './resolution.ts'
import { decideReview } from './review.ts'
import { withdrawalById } from './rows.ts'
import { assertThirdPartyPermitted } from './third-parties.ts'
import { createWithdrawal } from './withdrawals.ts'
import {
  CancelWithdrawal,
  CreateWithdrawal,
  DecideReview,
  ResolveWithdrawal,
  WithdrawalRecord,
} from './withdrawals.schema.ts'

export const withdrawalsEndpoints = (app: TreasuryApp): Endpoint[] => [
  list(app),
  totals(app),
  read(app),
  create(app),
  cancel(app),
  resolve(app),
  recheck(app),
  decide(app),
]

const tag = 'Withdrawals'

const list = (app: TreasuryApp) =>
  listEndpoint({
    operation_id: 'listWithdrawals',
    personal: true,
    path: '/treasury/withdrawals',
    origin: 'SPECIFIED',
    tag,
    summary: 'List withdrawals',
    permission: 'treasury.withdrawals.read',
    data: WithdrawalRecord,
    description:
      '`stuck=true`: only withdrawals that have not ended an hour after their sending began, or, ' +
      'if they are not sent yet, an hour after they were made. `stuck=false`: all others. ' +
      '`unassigned=true`: only those that are not wholly assigned to accounts, and have left or ' +
      'may still leave. ' +
      `\`client_ref\`: those with this name. ` +
      `\`wallet_id\`: those from this wallet and those to it. ${MOVEMENT_FILTERS_TEXT}`,
    query: WithdrawalFilter,
    list: ({ caller, query }) =>
      listOfWithdrawals(app.db, caller.workspace, query, app.clock.now()),
  })

const totals = (app: TreasuryApp) =>
  endpoint({
    method: 'GET',
    operation_id: 'getWithdrawalTotals',
    path: '/treasury/withdrawals/totals',
    origin: { ours: 'a desk wants to know what all withdrawals of a filter amount to' },
    tag,
    summary: 'Sums of withdrawals by asset and state',
    permission: 'treasury.withdrawals.read',
    effect: 'read',
    read_cost: TOTALS_COST,
    description: 'Of the withdrawals that the list has with the same filters, newest first.',
    query: WithdrawalFilter,
    data: totalsShape(WITHDRAWAL_TOTALS),
    handle: async ({ caller: { workspace }, query }) =>
      totalsOf(
        app.db,
        await listOfWithdrawals(app.db, workspace, query, app.clock.now()),
        WITHDRAWAL_TOTALS,
      ),
  })

/** The interface specification names this parameter in the plural. */
const read = (app: TreasuryApp) =>
  endpoint({
    method: 'GET',
    operation_id: 'getWithdrawal',
    personal: true,
    path: '/treasury/withdrawals/:withdrawals_id',
    origin: 'SPECIFIED',
    tag,
    summary: 'One withdrawal',
    permission: 'treasury.withdrawals.read',
    effect: 'read',
    params: closed({ withdrawals_id: id<WithdrawalId>() }),
    data: WithdrawalRecord,
    handle: ({ params, caller }) => withdrawalById(app.db, caller.workspace, params.withdrawals_id),
  })

const create = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'createWithdrawal',
    path: '/treasury/wallets/routes/:treasury_route_id/withdrawals',
    origin: 'SPECIFIED',
    tag,
    summary: 'Withdraw over a route',
    permission: 'treasury.withdrawals.create',
    effect: 'lane',
    description:
      'If an account is given, blocks the amount on it until the withdrawal has ended. ' +
      'Refused: SCALE, BELOW_MINIMUM, ABOVE_MAXIMUM, FEE_MISMATCH, NOT_ALLOWLISTED, ' +
      'TAG_REQUIRED, INVALID_ADDRESS, UNSUPPORTED_BY_VENUE, INSUFFICIENT_BALANCE, NOT_ACTIVE, ' +
      'WALLET_OF_ANOTHER_CUSTOMER.',
    params: closed({ treasury_route_id: id<TreasuryRouteId>() }),
    body: CreateWithdrawal,
    example: {
      quantity: '0.25',
      speed_level: 'DEFAULT',
      purpose: 'Savings',
      account_id: '01a1fc75-ea2a-7589-aa8f-000000000001',
    },
    data: WithdrawalRecord,
    handle: ({ params, body, caller, principal }) => {
      assertThirdPartyPermitted(principal, [body])
      return createWithdrawal(caller, app, params.treasury_route_id, body)
    },
  })

const cancel = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'cancelWithdrawal',
    path: '/treasury/withdrawals/:withdrawal_id/cancel',
    origin: { ours: 'a withdrawal that has not left can be canceled' },
    tag,
    summary: 'Cancel a withdrawal that has not left',
    permission: 'treasury.withdrawals.cancel',
    effect: 'lane',
    description:
      'Only while it is PENDING and its sending has not begun (`submitted_at` is null). ' +
      'Releases what was blocked. Refused: STATE_NOT_ALLOWED.',
    params: closed({ withdrawal_id: id<WithdrawalId>() }),
    body: CancelWithdrawal,
    example: { reason: 'The customer changed their mind' },
    data: WithdrawalRecord,
    handle: ({ params, body, caller }) => cancelWithdrawal(caller, app, params.withdrawal_id, body),
  })

const resolve = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'resolveWithdrawal',
    path: '/treasury/withdrawals/:withdrawal_id/resolve',
    origin: { ours: 'a person enters the outcome that the venue does not report' },
    tag,
    summary: 'Resolve a withdrawal whose outcome is not reported',
    permission: 'treasury.withdrawals.resolve',
    effect: 'lane',
    description:
      'Enters its outcome by hand, and stores who did it and by what evidence. SUCCESS books the ' +
      'withdrawal, FAILED releases what was blocked. The venue is not asked any more. ' +
      'The withdrawal must be UNKNOWN, or PENDING_REVIEW with an `execution_date` that is over. ' +
      'Refused: STATE_NOT_ALLOWED, CONFLICT, DUPLICATE, STALE_VERSION.',
    params: closed({ withdrawal_id: id<WithdrawalId>() }),
    body: ResolveWithdrawal,
    example: {
      state: 'SUCCESS',
      evidence: 'Statement of 3 March, line 12',
      foreign_id: 'P-4711',
      fee: '0.20',
    },
    data: WithdrawalRecord,
    handle: ({ params, body, caller }) =>
      resolveWithdrawal(caller, app, params.withdrawal_id, body),
  })

const recheck = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'recheckWithdrawal',
    path: '/treasury/withdrawals/:withdrawal_id/recheck',
    origin: { ours: 'avoids the wait for the next lookup at the venue' },
    tag,
    summary: 'Ask the venue about a withdrawal now',
    permission: 'treasury.withdrawals.resolve',
    effect: 'venue',
    description:
      'Answers the withdrawal as it is after the venue was asked. Refused: ' +
      'STATE_NOT_ALLOWED when it has ended; 2003 when the venue does not answer.',
    params: closed({ withdrawal_id: id<WithdrawalId>() }),
    data: WithdrawalRecord,
    handle: ({ params, caller }) => recheckWithdrawal(caller, app, params.withdrawal_id),
  })

const decide = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'decideWithdrawalReview',
    path: '/treasury/withdrawals/:withdrawal_id/review-decision',
    origin: { ours: 'a person decides about a payment whose payee the bank does not recognise' },
    tag,
    summary: 'Decide about a payment that a bank holds for its payee',
    permission: 'treasury.withdrawals.resolve',
    effect: 'lane',
    description:
      'Records whether the payment is to be released or withdrawn at the bank, by whom and why. ' +
      'Banks take this at their own desk alone: release or cancel it there too. The withdrawal ' +
      'goes on waiting for what the bank reports, and nothing is sent. It must be PENDING_REVIEW ' +
      'with a `payee_check`. Refused: STATE_NOT_ALLOWED, CONFLICT.',
    params: closed({ withdrawal_id: id<WithdrawalId>() }),
    body: DecideReview,
    example: {
      decision: 'RELEASE',
      payee_check: 'RVMC',
      reason: 'The payee confirmed by phone that the account is in their maiden name',
    },
    data: WithdrawalRecord,
    handle: ({ params, body, caller }) => decideReview(caller, app, params.withdrawal_id, body),
  })
