import type {
  AccountId,
  CustomerId,
  DepositId,
  MatchingId,
  RectificationId,
  WithdrawalId,
} from '../../core/ids.ts'
import { sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { Moves } from '../../core/moves.ts'
import {
  asset,
  closed,
  decimalText,
  flag,
  id,
  nullable,
  optional,
  positiveText,
  record,
  text,
  time,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'

export const ASSIGNMENT_STATES = ['PENDING', 'REJECTED', 'SUCCESSFUL'] as const
export type AssignmentState = (typeof ASSIGNMENT_STATES)[number]

/** The interface specification's table, part 3: no other moves exist. */
export const ASSIGNMENT_MOVES: Moves<AssignmentState> = {
  PENDING: ['REJECTED', 'SUCCESSFUL'],
  REJECTED: ['SUCCESSFUL'],
  SUCCESSFUL: [],
}

/** ROUTE: the account given with the withdrawal. */
const ASSIGNMENT_SOURCES = ['MATCHING', 'ROUTE', 'MANUAL', 'RECTIFICATION'] as const
export type AssignmentSource = (typeof ASSIGNMENT_SOURCES)[number]

const fields = {
  account_id: id<AccountId>(),
  customer_id: nullable(id<CustomerId>('Null for an account of the house')),
  asset: asset(),
  quantity: decimalText(),
  status: oneOf(ASSIGNMENT_STATES),
  source: oneOf(ASSIGNMENT_SOURCES),
  matching_id: nullable(id<MatchingId>()),
  rectification_id: nullable(id<RectificationId>()),
  decided_by: nullable(text()),
  decided_at: nullable(time()),
  booked_at: nullable(
    time('When it was booked to the account: it is SUCCESSFUL and the movement final'),
  ),
}

export const DepositAssignmentRecord = record('DepositAssignment', {
  deposit_id: id<DepositId>(),
  ...fields,
})
export type DepositAssignment = Static<typeof DepositAssignmentRecord>

export const WithdrawalAssignmentRecord = record('WithdrawalAssignment', {
  withdrawal_id: id<WithdrawalId>(),
  ...fields,
})
export type WithdrawalAssignment = Static<typeof WithdrawalAssignmentRecord>

export const ASSIGNED_MOVEMENTS = ['DEPOSIT', 'WITHDRAWAL'] as const

/** Of either kind: one of deposit_id and withdrawal_id is null. */
export const AssignmentRecord = record('Assignment', {
  deposit_id: nullable(id<DepositId>()),
  withdrawal_id: nullable(id<WithdrawalId>()),
  ...fields,
  movement_state: text(
    30,
    'The state of its deposit or withdrawal, which says what can be decided',
  ),
})

export const MAXIMUM_ITEMS = 100

const part = {
  quantity: positiveText('The part of the movement that is assigned'),
  account_id: id<AccountId>("A customer's account, or one of type INCOME, EXPENSE or HOUSE"),
}
const items = { minItems: 1, maxItems: MAXIMUM_ITEMS }

export const CreateAssignments = Type.Array(closed(part), { ...items, title: 'CreateAssignments' })

export const CreateWithdrawalAssignments = Type.Array(
  closed({
    ...part,
    third_party: optional(
      flag(
        "True: the withdrawal may have gone to another customer's wallet. Needs the permission " +
          'treasury.withdrawals.third_party',
      ),
    ),
  }),
  { ...items, title: 'CreateWithdrawalAssignments' },
)
/** Of a deposit or a withdrawal. */
export type CreateAssignmentsBody = Static<typeof CreateWithdrawalAssignments>

export const DecideAssignment = closed(
  { id: id('The assignment'), status: oneOf(ASSIGNMENT_STATES) },
  { title: 'DecideAssignment' },
)
export type DecideAssignmentBody = Static<typeof DecideAssignment>

export type AssignedPart = {
  state: AssignmentState
  quantity: Decimal
  rectification_id: RectificationId | null
}

/** PENDING or SUCCESSFUL, and not rectified. */
export const isLive = (assigned: AssignedPart): boolean =>
  assigned.state !== 'REJECTED' && assigned.rectification_id === null

/** What is booked to accounts, once the movement is final. */
export const bookedSum = (assignments: readonly AssignedPart[]): Decimal =>
  liveSum(assignments.filter((assignment) => assignment.state === 'SUCCESSFUL'))

export const liveSum = (assignments: readonly AssignedPart[]): Decimal =>
  sum(assignments.filter(isLive).map((assignment) => assignment.quantity))
