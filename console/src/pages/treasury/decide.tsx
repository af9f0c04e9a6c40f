/** Deciding on assignments that wait. */
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan, Fact } from '../../action/plan.ts'
import { sendOnce } from '../../action/steps.ts'
import { t } from '../../language/index.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { inWords } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import type { DepositAssignment, WithdrawalAssignment } from './assign.tsx'
import { NOTHING_ARRIVED, NOTHING_LEFT } from './no-money.ts'

type Assignment = RowOf<'/treasury/assignments'>
export const DECISIONS = ['SUCCESSFUL', 'REJECTED'] as const
export type Decision = (typeof DECISIONS)[number]
/** Of an assignment itself. */
export const DECIDE = { SUCCESSFUL: t('Accept'), REJECTED: t('Reject') } as const
/** `movement_state`: where it is at hand. */
export type Decidable = (DepositAssignment | WithdrawalAssignment | Assignment) & {
  movement_state?: string
}

const ITS_END_DECIDES = t('The withdrawal is under way: its end decides its assignments')
/** Of a movement in one of these states no assignment is decided. */
const UNDECIDED = {
  deposit: NOTHING_ARRIVED,
  withdrawal: {
    PENDING_APPROVAL: t('The withdrawal waits for approval: its assignments wait with it'),
    PENDING: ITS_END_DECIDES,
    PENDING_REVIEW: ITS_END_DECIDES,
    UNKNOWN: ITS_END_DECIDES,
    ...NOTHING_LEFT,
  },
}

function whyUndecided(assignment: Decidable): string | undefined {
  const kind = movementOf(assignment).deposit_id === null ? 'withdrawal' : 'deposit'
  const reasons: Readonly<Record<string, string | undefined>> = UNDECIDED[kind]
  return reasons[assignment.movement_state ?? '']
}

export function whyNotDecide(assignment: Decidable, status: Decision): string | undefined {
  switch (assignment.status) {
    case 'PENDING':
      return whyUndecided(assignment)
    case 'REJECTED':
      return status === 'SUCCESSFUL'
        ? whyUndecided(assignment)
        : t('The assignment is already rejected')
    default:
      return t('The assignment is already accepted. Use Rectify to correct it.')
  }
}

function decisionPlan(status: Decision) {
  return {
    label: DECIDE[status],
    permission: 'assignments.decide' as const,
    danger: status === 'REJECTED',
    method: 'patch' as const,
    why: (assignment: Decidable) => whyNotDecide(assignment, status),
    explain: () =>
      status === 'SUCCESSFUL'
        ? t('The amount is booked to the account.')
        : t('Nothing is booked. The amount becomes unassigned again.'),
    confirm: ({ quantity, asset, account_id, source }: Decidable): Fact[] => [
      { label: t('Amount'), value: <Amount value={quantity} asset={asset} /> },
      { label: t('Account'), value: <Name of="account" id={account_id} /> },
      { label: t('Source'), value: inWords(source) },
    ],
    done: () => (status === 'SUCCESSFUL' ? t('Accepted') : t('Rejected')),
  }
}

const ofDeposit = (
  status: Decision,
): ActionPlan<
  'patch',
  '/treasury/deposits/{deposit_id}/assignments',
  Decidable & { deposit_id: string }
> => ({
  ...decisionPlan(status),
  path: '/treasury/deposits/{deposit_id}/assignments',
  request: ({ id, deposit_id }) => ({ params: { deposit_id }, body: { id, status } }),
})
const ofWithdrawal = (
  status: Decision,
): ActionPlan<
  'patch',
  '/treasury/withdrawals/{withdrawal_id}/assignments',
  Decidable & { withdrawal_id: string }
> => ({
  ...decisionPlan(status),
  path: '/treasury/withdrawals/{withdrawal_id}/assignments',
  request: ({ id, withdrawal_id }) => ({ params: { withdrawal_id }, body: { id, status } }),
})
const DEPOSIT_PLANS = DECISIONS.map(ofDeposit)
const WITHDRAWAL_PLANS = DECISIONS.map(ofWithdrawal)

/** One of many decisions. */
export function decideOn(assignment: Decidable, status: Decision): Promise<unknown> {
  const { deposit_id, withdrawal_id } = movementOf(assignment)
  if (deposit_id !== null) return sendOnce(ofDeposit(status), { ...assignment, deposit_id }, {})
  return sendOnce(ofWithdrawal(status), { ...assignment, withdrawal_id: withdrawal_id ?? '' }, {})
}

const movementOf = (
  assignment: Decidable,
): { deposit_id: string | null; withdrawal_id: string | null } => ({
  deposit_id: 'deposit_id' in assignment ? assignment.deposit_id : null,
  withdrawal_id: 'withdrawal_id' in assignment ? assignment.withdrawal_id : null,
})

/** Accept and reject; nothing for what is accepted already, and of which nothing left. */
export function Decide({ assignment }: { assignment: Decidable }): ReactNode {
  if (assignment.status === 'SUCCESSFUL') return null
  if (DECISIONS.every((status) => whyNotDecide(assignment, status) !== undefined)) return null
  const { deposit_id, withdrawal_id } = movementOf(assignment)
  return (
    <span className="in-row">
      {deposit_id !== null &&
        DEPOSIT_PLANS.map((plan) => (
          <ActionButton key={plan.label} plan={plan} row={{ ...assignment, deposit_id }} />
        ))}
      {withdrawal_id !== null &&
        WITHDRAWAL_PLANS.map((plan) => (
          <ActionButton key={plan.label} plan={plan} row={{ ...assignment, withdrawal_id }} />
        ))}
    </span>
  )
}
