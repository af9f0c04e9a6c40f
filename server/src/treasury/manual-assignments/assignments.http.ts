import type { AccountId, DepositId, WithdrawalId } from '../../core/ids.ts'
import { closed, endpoint, id, listEndpoint, queryId, queryOneOf, Type } from '../../http/index.ts'
import type { Endpoint, TSchema } from '../../http/index.ts'
import { accountById } from '../../ledger/index.ts'
import { columnIn, sql } from '../../store/sql.ts'
import type { TreasuryApp } from '../app.ts'
import {
  ASSIGNED_MOVEMENTS,
  ASSIGNMENT_STATES,
  AssignmentRecord,
  CreateAssignments,
  CreateWithdrawalAssignments,
  DecideAssignment,
  DepositAssignmentRecord,
  WithdrawalAssignmentRecord,
} from '../assignments/assignments.schema.ts'
import type { DepositAssignment, WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import {
  ASSIGNMENT_COLUMNS,
  DEPOSIT_ASSIGNMENT_COLUMNS,
  WITHDRAWAL_ASSIGNMENT_COLUMNS,
} from '../assignments/rows.ts'
import { depositById } from '../deposit-rows/rows.ts'
import { withdrawalById } from '../withdrawals/rows.ts'
import { assertThirdPartyPermitted } from '../withdrawals/third-parties.ts'
import { assign, decideAssignment } from './assignments.ts'

export const assignmentsEndpoints = (app: TreasuryApp): Endpoint[] => [
  listAll(),
  listOfDeposit(app),
  listOfDepositsTo(app),
  assignDeposit(app),
  decideOfDeposit(app),
  listOfWithdrawal(app),
  listOfWithdrawalsTo(app),
  assignWithdrawal(app),
  decideOfWithdrawal(app),
]

const key = { column: 'id', type: 'uuid' } as const
const ofDeposit = closed({ deposit_id: id<DepositId>() })
const ofWithdrawal = closed({ withdrawal_id: id<WithdrawalId>() })
const ofAccount = closed({ account_id: id<AccountId>() })
const depositAssignments = sql`
  select ${DEPOSIT_ASSIGNMENT_COLUMNS}
  from assignments`
const withdrawalAssignments = sql`
  select ${WITHDRAWAL_ASSIGNMENT_COLUMNS}
  from assignments`

const CREATE =
  'Answers the single record for one item, an array for several. One request is atomic. ' +
  'Refused: STATE_NOT_ALLOWED, SUM_MISMATCH, SCALE, NOT_ACTIVE.'
const DECIDE = 'PENDING becomes SUCCESSFUL or REJECTED, REJECTED becomes SUCCESSFUL; nothing else.'

/** The single record for one item, an array for several. */
const oneOrMany = <T>(record: TSchema) =>
  Type.Unsafe<T | T[]>({ anyOf: [record, Type.Array(record)] })

function single<T>(records: T[]): T | T[] {
  const [first] = records
  return records.length === 1 && first !== undefined ? first : records
}

const listAll = () =>
  listEndpoint({
    operation_id: 'listAssignments',
    path: '/treasury/assignments',
    origin: { ours: 'one list shows all assignments, and those that wait for a decision' },
    tag: 'Assignments',
    summary: 'Assignments of deposits and of withdrawals',
    permission: 'assignments.read',
    data: AssignmentRecord,
    description:
      '`state=PENDING` lists what waits for a decision or, of a withdrawal in flight, for its end.',
    query: closed({
      state: queryOneOf(ASSIGNMENT_STATES),
      of: queryOneOf(ASSIGNED_MOVEMENTS),
      account_id: queryId(),
    }),
    list: ({ query: { state, of, account_id }, caller: { workspace } }) => ({
      select: sql`
        select ${ASSIGNMENT_COLUMNS}
        from assignments`,
      conditions: [
        sql`workspace = ${workspace}`,
        ...(state === undefined ? [] : [columnIn('state', state)]),
        ...(of === undefined || of.length > 1
          ? []
          : [of[0] === 'DEPOSIT' ? sql`deposit_id is not null` : sql`withdrawal_id is not null`]),
        ...(account_id === undefined ? [] : [sql`account_id = ${account_id}`]),
      ],
      key,
    }),
  })

const listOfDeposit = (app: TreasuryApp) =>
  listEndpoint({
    operation_id: 'listDepositAssignments',
    path: '/treasury/deposits/:deposit_id/assignments',
    origin: 'SPECIFIED',
    tag: 'Deposits',
    summary: 'Assignments of a deposit',
    permission: 'assignments.read',
    params: ofDeposit,
    data: DepositAssignmentRecord,
    list: async ({ params: { deposit_id }, caller: { workspace } }) => {
      await depositById(app.db, workspace, deposit_id)
      return {
        select: depositAssignments,
        conditions: [sql`workspace = ${workspace}`, sql`deposit_id = ${deposit_id}`],
        key,
      }
    },
  })

const listOfDepositsTo = (app: TreasuryApp) =>
  listEndpoint({
    operation_id: 'listAccountDepositAssignments',
    path: '/treasury/account/:account_id/deposits/assignments',
    origin: 'SPECIFIED',
    tag: 'Deposits',
    summary: 'Assignments of deposits to an account',
    permission: 'assignments.read',
    params: ofAccount,
    data: DepositAssignmentRecord,
    list: async ({ params: { account_id }, caller: { workspace } }) => {
      await accountById(app.db, workspace, account_id)
      return {
        select: depositAssignments,
        conditions: [
          sql`workspace = ${workspace}`,
          sql`account_id = ${account_id}`,
          sql`deposit_id is not null`,
        ],
        key,
      }
    },
  })

const assignDeposit = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'assignDeposit',
    path: '/treasury/deposits/:deposit_id/assignments',
    origin: 'SPECIFIED',
    tag: 'Deposits',
    summary: 'Assign a deposit',
    permission: 'assignments.create',
    effect: 'lane',
    description: CREATE,
    params: ofDeposit,
    body: CreateAssignments,
    example: [{ quantity: '1250.5', account_id: '01a1fc75-ea2a-7589-aa8f-000000000001' }],
    data: oneOrMany<DepositAssignment>(DepositAssignmentRecord),
    handle: async ({ params, body, caller }) =>
      single((await assign(caller, app, params, body)) as DepositAssignment[]),
  })

const decideOfDeposit = (app: TreasuryApp) =>
  endpoint({
    method: 'PATCH',
    operation_id: 'decideDepositAssignment',
    path: '/treasury/deposits/:deposit_id/assignments',
    origin: 'SPECIFIED',
    tag: 'Deposits',
    summary: 'Decide an assignment of a deposit',
    permission: 'assignments.decide',
    effect: 'lane',
    description: DECIDE,
    params: ofDeposit,
    body: DecideAssignment,
    example: { id: '01a1fc75-ea2a-7589-aa8f-000000000010', status: 'SUCCESSFUL' },
    data: DepositAssignmentRecord,
    handle: async ({ params, body, caller }) =>
      (await decideAssignment(caller, app, params, body)) as DepositAssignment,
  })

const listOfWithdrawal = (app: TreasuryApp) =>
  listEndpoint({
    operation_id: 'listWithdrawalAssignments',
    path: '/treasury/withdrawals/:withdrawal_id/assignments',
    origin: 'SPECIFIED',
    tag: 'Withdrawals',
    summary: 'Assignments of a withdrawal',
    permission: 'assignments.read',
    params: ofWithdrawal,
    data: WithdrawalAssignmentRecord,
    list: async ({ params: { withdrawal_id }, caller: { workspace } }) => {
      await withdrawalById(app.db, workspace, withdrawal_id)
      return {
        select: withdrawalAssignments,
        conditions: [sql`workspace = ${workspace}`, sql`withdrawal_id = ${withdrawal_id}`],
        key,
      }
    },
  })

const listOfWithdrawalsTo = (app: TreasuryApp) =>
  listEndpoint({
    operation_id: 'listAccountWithdrawalAssignments',
    path: '/treasury/account/:account_id/withdrawals/assignments',
    origin: 'SPECIFIED',
    tag: 'Withdrawals',
    summary: 'Assignments of withdrawals to an account',
    permission: 'assignments.read',
    params: ofAccount,
    data: WithdrawalAssignmentRecord,
    list: async ({ params: { account_id }, caller: { workspace } }) => {
      await accountById(app.db, workspace, account_id)
      return {
        select: withdrawalAssignments,
        conditions: [
          sql`workspace = ${workspace}`,
          sql`account_id = ${account_id}`,
          sql`withdrawal_id is not null`,
        ],
        key,
      }
    },
  })

const assignWithdrawal = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'assignWithdrawal',
    path: '/treasury/withdrawals/:withdrawal_id/assignments',
    origin: 'SPECIFIED',
    tag: 'Withdrawals',
    summary: 'Assign a withdrawal',
    permission: 'assignments.create',
    effect: 'lane',
    description:
      `${CREATE} In flight the amount is blocked, and the end of the withdrawal decides. ` +
      'After the end, INSUFFICIENT_BALANCE refuses. WALLET_OF_ANOTHER_CUSTOMER refuses a ' +
      "customer when another customer's wallet was paid from, or paid without `third_party`.",
    params: ofWithdrawal,
    body: CreateWithdrawalAssignments,
    example: [{ quantity: '1250.5', account_id: '01a1fc75-ea2a-7589-aa8f-000000000001' }],
    data: oneOrMany<WithdrawalAssignment>(WithdrawalAssignmentRecord),
    handle: async ({ params, body, caller, principal }) => {
      assertThirdPartyPermitted(principal, body)
      return single((await assign(caller, app, params, body)) as unknown as WithdrawalAssignment[])
    },
  })

const decideOfWithdrawal = (app: TreasuryApp) =>
  endpoint({
    method: 'PATCH',
    operation_id: 'decideWithdrawalAssignment',
    path: '/treasury/withdrawals/:withdrawal_id/assignments',
    origin: 'SPECIFIED',
    tag: 'Withdrawals',
    summary: 'Decide an assignment of a withdrawal',
    permission: 'assignments.decide',
    effect: 'lane',
    description: `${DECIDE} Not while the withdrawal is in flight.`,
    params: ofWithdrawal,
    body: DecideAssignment,
    example: { id: '01a1fc75-ea2a-7589-aa8f-000000000010', status: 'SUCCESSFUL' },
    data: WithdrawalAssignmentRecord,
    handle: async ({ params, body, caller }) =>
      (await decideAssignment(caller, app, params, body)) as unknown as WithdrawalAssignment,
  })
