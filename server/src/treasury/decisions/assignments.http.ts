import { closed, endpoint, id, listEndpoint, queryId, queryOneOf, Type } from '../../http/index.ts'
import type { Endpoint, TSchema } from '../../http/index.ts'
import { accountById } from '../../ledger/index.ts'
import { among, sql } from '../../store/sql.ts'
import {
  ASSIGNMENT_COLUMNS,
  DEPOSIT_ASSIGNMENT_COLUMNS,
  WITHDRAWAL_ASSIGNMENT_COLUMNS,
} from '../assignments/rows.ts'
import { assign, decide } from './assignments.ts'
import {
  ASSIGNED_MOVEMENTS,
  ASSIGNMENT_STATES,
  AssignmentRecord,
  CreateAssignments,
  DecideAssignment,
  DepositAssignmentRecord,
  WithdrawalAssignmentRecord,
} from '../assignments/assignments.schema.ts'
import type { DepositAssignment, WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import { depositById } from '../deposits/rows.ts'
import type { TreasuryApp } from '../app.ts'
import { withdrawalById } from '../withdrawals/withdrawals.ts'

/** The single record for one item, an array for several. */
const oneOrMany = <T>(record: TSchema) =>
  Type.Unsafe<T | T[]>({ anyOf: [record, Type.Array(record)] })

const CREATE =
  'Answers the single record for one item, an array for several. One request is atomic. Refused: STATE_NOT_ALLOWED, SUM_MISMATCH, SCALE, NOT_ACTIVE.'
const DECIDE = 'PENDING becomes SUCCESSFUL or REJECTED, REJECTED becomes SUCCESSFUL; nothing else.'

export function assignmentsEndpoints(app: TreasuryApp): Endpoint[] {
  return [allAssignments(), ...depositAssignments(app), ...withdrawalAssignments(app)]
}

function allAssignments(): Endpoint {
  return listEndpoint({
    path: '/treasury/assignments',
    tag: 'Assignments',
    summary: 'Assignments of deposits and of withdrawals',
    permission: 'assignments.read',
    data: AssignmentRecord,
    description:
      '`state=PENDING` is what waits: for a decision, or, of a withdrawal in flight, for its end.',
    query: closed({
      state: queryOneOf(ASSIGNMENT_STATES),
      of: queryOneOf(ASSIGNED_MOVEMENTS),
      account_id: queryId(),
    }),
    list: ({ query: { state, of, account_id }, principal: { workspace } }) => ({
      select: sql`select ${ASSIGNMENT_COLUMNS} from assignments`,
      conditions: [
        sql`workspace = ${workspace}`,
        ...(state === undefined ? [] : [among('state', state)]),
        ...(of === undefined || of.length > 1
          ? []
          : [of[0] === 'DEPOSIT' ? sql`deposit_id is not null` : sql`withdrawal_id is not null`]),
        ...(account_id === undefined ? [] : [sql`account_id = ${account_id}`]),
      ],
      key: { column: 'id', type: 'uuid' },
    }),
  })
}

function depositAssignments(app: TreasuryApp): Endpoint[] {
  const tag = 'Deposits'
  const params = closed({ deposit_id: id() })
  const select = sql`select ${DEPOSIT_ASSIGNMENT_COLUMNS} from assignments`
  return [
    listEndpoint({
      path: '/treasury/deposits/:deposit_id/assignments',
      tag,
      summary: 'Assignments of a deposit',
      permission: 'assignments.read',
      params,
      data: DepositAssignmentRecord,
      list: async ({ params: { deposit_id }, principal: { workspace } }) => {
        await depositById(app.db, workspace, deposit_id)
        return {
          select,
          conditions: [sql`workspace = ${workspace}`, sql`deposit_id = ${deposit_id}`],
          key: { column: 'id', type: 'uuid' },
        }
      },
    }),
    listEndpoint({
      path: '/treasury/account/:account_id/deposits/assignments',
      tag,
      summary: 'Assignments of deposits to an account',
      permission: 'assignments.read',
      params: closed({ account_id: id() }),
      data: DepositAssignmentRecord,
      list: async ({ params: { account_id }, principal: { workspace } }) => {
        await accountById(app.db, workspace, account_id)
        return {
          select,
          conditions: [
            sql`workspace = ${workspace}`,
            sql`account_id = ${account_id}`,
            sql`deposit_id is not null`,
          ],
          key: { column: 'id', type: 'uuid' },
        }
      },
    }),
    endpoint({
      method: 'POST',
      path: '/treasury/deposits/:deposit_id/assignments',
      tag,
      summary: 'Assign a deposit',
      permission: 'assignments.create',
      effect: 'lane',
      description: CREATE,
      params,
      body: CreateAssignments,
      data: oneOrMany<DepositAssignment>(DepositAssignmentRecord),
      handle: async ({ params: of, body, principal, idempotency }) =>
        single(
          (await assign(
            app,
            principal.workspace,
            of,
            body,
            principal.user_id,
            idempotency,
          )) as DepositAssignment[],
        ),
    }),
    endpoint({
      method: 'PATCH',
      path: '/treasury/deposits/:deposit_id/assignments',
      tag,
      summary: 'Decide an assignment of a deposit',
      permission: 'assignments.decide',
      effect: 'lane',
      description: DECIDE,
      params,
      body: DecideAssignment,
      data: DepositAssignmentRecord,
      handle: async ({ params: of, body, principal, idempotency }) =>
        (await decide(
          app,
          principal.workspace,
          of,
          body,
          principal.user_id,
          idempotency,
        )) as DepositAssignment,
    }),
  ]
}

function withdrawalAssignments(app: TreasuryApp): Endpoint[] {
  const tag = 'Withdrawals'
  const params = closed({ withdrawal_id: id() })
  const select = sql`select ${WITHDRAWAL_ASSIGNMENT_COLUMNS} from assignments`
  return [
    listEndpoint({
      path: '/treasury/withdrawals/:withdrawal_id/assignments',
      tag,
      summary: 'Assignments of a withdrawal',
      permission: 'assignments.read',
      params,
      data: WithdrawalAssignmentRecord,
      list: async ({ params: { withdrawal_id }, principal: { workspace } }) => {
        await withdrawalById(app.db, workspace, withdrawal_id)
        return {
          select,
          conditions: [sql`workspace = ${workspace}`, sql`withdrawal_id = ${withdrawal_id}`],
          key: { column: 'id', type: 'uuid' },
        }
      },
    }),
    listEndpoint({
      path: '/treasury/account/:account_id/withdrawals/assignments',
      tag,
      summary: 'Assignments of withdrawals to an account',
      permission: 'assignments.read',
      params: closed({ account_id: id() }),
      data: WithdrawalAssignmentRecord,
      list: async ({ params: { account_id }, principal: { workspace } }) => {
        await accountById(app.db, workspace, account_id)
        return {
          select,
          conditions: [
            sql`workspace = ${workspace}`,
            sql`account_id = ${account_id}`,
            sql`withdrawal_id is not null`,
          ],
          key: { column: 'id', type: 'uuid' },
        }
      },
    }),
    endpoint({
      method: 'POST',
      path: '/treasury/withdrawals/:withdrawal_id/assignments',
      tag,
      summary: 'Assign a withdrawal',
      permission: 'assignments.create',
      effect: 'lane',
      description: `${CREATE} In flight the amount is blocked and the end of the withdrawal decides; after it, INSUFFICIENT_BALANCE refuses.`,
      params,
      body: CreateAssignments,
      data: oneOrMany<WithdrawalAssignment>(WithdrawalAssignmentRecord),
      handle: async ({ params: of, body, principal, idempotency }) =>
        single(
          (await assign(
            app,
            principal.workspace,
            of,
            body,
            principal.user_id,
            idempotency,
          )) as unknown as WithdrawalAssignment[],
        ),
    }),
    endpoint({
      method: 'PATCH',
      path: '/treasury/withdrawals/:withdrawal_id/assignments',
      tag,
      summary: 'Decide an assignment of a withdrawal',
      permission: 'assignments.decide',
      effect: 'lane',
      description: `${DECIDE} Not while the withdrawal is in flight.`,
      params,
      body: DecideAssignment,
      data: WithdrawalAssignmentRecord,
      handle: async ({ params: of, body, principal, idempotency }) =>
        (await decide(
          app,
          principal.workspace,
          of,
          body,
          principal.user_id,
          idempotency,
        )) as unknown as WithdrawalAssignment,
    }),
  ]
}

function single<T>(records: T[]): T | T[] {
  const [first] = records
  return records.length === 1 && first !== undefined ? first : records
}
