import { closed, endpoint, id, listEndpoint, queryFlag, queryOneOf } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { among, raw, sql } from '../../store/sql.ts'
import type { TreasuryApp } from '../app.ts'
import { cancelWithdrawal, recheckWithdrawal, resolveWithdrawal } from './resolution.ts'
import { createWithdrawal, WITHDRAWAL_COLUMNS, withdrawalById } from './withdrawals.ts'
import {
  CancelWithdrawal,
  CreateWithdrawal,
  LIVE_STATES,
  ResolveWithdrawal,
  STUCK_AFTER_MILLISECONDS,
  WITHDRAWAL_STATES,
  WithdrawalRecord,
} from './withdrawals.schema.ts'

/** Spelled out, so that the index of what has not ended serves it. */
const LIVE = raw(`state in (${LIVE_STATES.map((state) => `'${state}'`).join(', ')})`)

export function withdrawalsEndpoints(app: TreasuryApp): Endpoint[] {
  const tag = 'Withdrawals'
  return [
    listEndpoint({
      path: '/treasury/withdrawals',
      tag,
      summary: 'List withdrawals',
      permission: 'treasury.withdrawals.read',
      data: WithdrawalRecord,
      description:
        '`stuck=true`: only those that have not ended an hour after their sending began (or, not sent yet, after they were made); `stuck=false`: all others.',
      query: closed({ state: queryOneOf(WITHDRAWAL_STATES), stuck: queryFlag() }),
      list: ({ principal, query }) => ({
        select: sql`select ${WITHDRAWAL_COLUMNS} from withdrawals`,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          ...(query.state === undefined ? [] : [among('state', query.state)]),
          ...stuckCondition(app, query.stuck),
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/treasury/withdrawals/:withdrawals_id',
      tag,
      summary: 'One withdrawal',
      permission: 'treasury.withdrawals.read',
      effect: 'read',
      params: closed({ withdrawals_id: id() }),
      data: WithdrawalRecord,
      handle: ({ params, principal }) =>
        withdrawalById(app.db, principal.workspace, params.withdrawals_id),
    }),
    endpoint({
      method: 'POST',
      path: '/treasury/wallets/routes/:treasury_route_id/withdrawals',
      tag,
      summary: 'Withdraw over a route',
      permission: 'treasury.withdrawals.create',
      effect: 'lane',
      description:
        'Blocks the amount on the account, if one is given, until the withdrawal succeeds or ends otherwise. Refused: SCALE, BELOW_MINIMUM, ABOVE_MAXIMUM, FEE_MISMATCH, NOT_ALLOWLISTED, TAG_REQUIRED, INVALID_ADDRESS, UNSUPPORTED_BY_VENUE, INSUFFICIENT_BALANCE, NOT_ACTIVE.',
      params: closed({ treasury_route_id: id() }),
      body: CreateWithdrawal,
      data: WithdrawalRecord,
      handle: ({ params, body, principal, idempotency }) =>
        createWithdrawal(
          app,
          principal.workspace,
          params.treasury_route_id,
          body,
          principal.user_id,
          idempotency,
        ),
    }),
    endpoint({
      method: 'POST',
      path: '/treasury/withdrawals/:withdrawal_id/cancel',
      tag,
      summary: 'Cancel a withdrawal that has not left',
      permission: 'treasury.withdrawals.cancel',
      effect: 'lane',
      description:
        'Only while it is PENDING and its sending has not begun (submitted_at is null); what was blocked is free again. Refused: STATE_NOT_ALLOWED.',
      params: closed({ withdrawal_id: id() }),
      body: CancelWithdrawal,
      data: WithdrawalRecord,
      handle: ({ params, body, principal, idempotency }) =>
        cancelWithdrawal(
          app,
          principal.workspace,
          params.withdrawal_id,
          body,
          principal.user_id,
          idempotency,
        ),
    }),
    endpoint({
      method: 'POST',
      path: '/treasury/withdrawals/:withdrawal_id/resolve',
      tag,
      summary: 'Tell the outcome of an UNKNOWN withdrawal',
      permission: 'treasury.withdrawals.resolve',
      effect: 'lane',
      description:
        'Stores who told it and by what evidence. SUCCESS books it, FAILED releases what was blocked; the venue is not asked any more. Refused: STATE_NOT_ALLOWED, CONFLICT, DUPLICATE.',
      params: closed({ withdrawal_id: id() }),
      body: ResolveWithdrawal,
      data: WithdrawalRecord,
      handle: ({ params, body, principal, idempotency }) =>
        resolveWithdrawal(
          app,
          principal.workspace,
          params.withdrawal_id,
          body,
          principal.user_id,
          idempotency,
        ),
    }),
    endpoint({
      method: 'POST',
      path: '/treasury/withdrawals/:withdrawal_id/recheck',
      tag,
      summary: 'Ask the venue now',
      permission: 'treasury.withdrawals.resolve',
      effect: 'venue',
      description:
        'Answers the withdrawal after the venue was asked. Refused: STATE_NOT_ALLOWED when it has ended; 2003 when the venue does not answer.',
      params: closed({ withdrawal_id: id() }),
      data: WithdrawalRecord,
      handle: ({ params, principal }) =>
        recheckWithdrawal(app, principal.workspace, params.withdrawal_id),
    }),
  ]
}

function stuckCondition(app: TreasuryApp, stuck: boolean | undefined) {
  const since = app.clock.now() - STUCK_AFTER_MILLISECONDS
  const condition = sql`(${LIVE} and coalesce(submitted_at, system_created_at) <= ${since})`
  return stuck === undefined ? [] : [stuck ? condition : sql`not ${condition}`]
}
