/** Saying whose a movement is: by hand with suggestions, in parts, and deciding what waits for a decision. */
import type { DataOf } from '@kontor/client'
import { Button, Form } from 'antd'
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan, Fact } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { addAmounts, negated } from '../../parts/decimal.ts'
import { inWords } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { ShareRows, sharesOf } from './shares.tsx'
import type { Share } from './shares.tsx'

export type Deposit = RowOf<'/treasury/deposits'>
export type Withdrawal = DataOf<'get', '/treasury/withdrawals/{withdrawals_id}'>
export type Assignment = RowOf<'/treasury/assignments'>
export type DepositAssignment = RowOf<'/treasury/deposits/{deposit_id}/assignments'>
export type WithdrawalAssignment = RowOf<'/treasury/withdrawals/{withdrawal_id}/assignments'>

export const ASSIGNMENT_STATES = ['PENDING', 'SUCCESSFUL', 'REJECTED'] as const
const SHOWN_SUGGESTIONS = 5

export const openRest = (deposit: Deposit): string =>
  addAmounts(deposit.quantity, negated(deposit.assigned_quantity))

const sharesToConfirm = (
  asset: string,
  shares: readonly { account_id: string; quantity: string }[],
): Fact[] =>
  shares.map(({ account_id, quantity }, index) => ({
    label: shares.length === 1 ? 'To the account' : `Part ${index + 1}`,
    value: (
      <>
        <Amount value={quantity} asset={asset} /> to <Name of="account" id={account_id} />
      </>
    ),
  }))

export const assignDeposit: ActionPlan<
  'post',
  '/treasury/deposits/{deposit_id}/assignments',
  Deposit
> = {
  label: 'Assign',
  permission: 'assignments.create',
  why: ({ state }) =>
    state === 'UNASSIGNED' || state === 'PARTIALLY_ASSIGNED' || state === 'REJECTED'
      ? undefined
      : state === 'PENDING'
        ? 'It is not final at the venue yet'
        : 'All of it is assigned, or it is no money any more',
  explain: (deposit) => (
    <>
      Of this deposit <Amount value={openRest(deposit)} asset={deposit.asset} /> are not assigned
      yet. What it says of itself:{' '}
      {deposit.counterparty?.name ?? deposit.source_address ?? 'no sender'}
      {deposit.reference_text === null ? '' : `, “${deposit.reference_text}”`}.
    </>
  ),
  form: (deposit) => (
    <>
      <Suggestions deposit={deposit} />
      <ShareRows name="shares" asset={deposit.asset} of={openRest(deposit)} />
    </>
  ),
  initial: (deposit) => ({ shares: [{ quantity: openRest(deposit) }] }),
  width: 640,
  method: 'post',
  path: '/treasury/deposits/{deposit_id}/assignments',
  request: (deposit, { shares }) => ({
    params: { deposit_id: deposit.id },
    body: sharesOf(shares),
  }),
  confirm: (deposit, { shares }) => [
    ...sharesToConfirm(deposit.asset, sharesOf(shares)),
    { label: 'From the deposit at', value: <Name of="venue" id={deposit.venue_id} /> },
  ],
  fieldOf: (path) => `shares${path}`,
  done: (data) =>
    ([] as { status: string }[]).concat(data).some((each) => each.status === 'PENDING')
      ? 'Assigned; it waits for a decision'
      : 'Assigned',
}

function Suggestions({ deposit }: { deposit: Deposit }): ReactNode {
  const form = Form.useFormInstance()
  const { data: found = [] } = useGet('/treasury/deposits/{deposit_id}/suggestions', {
    params: { deposit_id: deposit.id },
  })
  if (found.length === 0) return null
  const choose = (account_id: string): void => {
    const shares = (form.getFieldValue('shares') as Share[] | undefined) ?? []
    const empty = shares.findIndex((share) => share.account_id === undefined)
    form.setFieldValue(['shares', Math.max(empty, 0), 'account_id'], account_id)
  }
  return (
    <ol className="suggestions" aria-label="Suggestions">
      {found.slice(0, SHOWN_SUGGESTIONS).map(({ account_id, account_label, reasons }) => (
        <li key={account_id}>
          <span>{account_label}</span>
          <span className="why">{reasons.map(({ explanation }) => explanation).join('; ')}</span>
          <Button
            size="small"
            onClick={() => {
              choose(account_id)
            }}
          >
            Choose
          </Button>
        </li>
      ))}
    </ol>
  )
}

export const assignWithdrawal: ActionPlan<
  'post',
  '/treasury/withdrawals/{withdrawal_id}/assignments',
  Withdrawal
> = {
  label: 'Assign',
  permission: 'assignments.create',
  why: ({ state }) =>
    state === 'FAILED' || state === 'REJECTED' || state === 'CANCELED' ? 'Nothing left' : undefined,
  explain: ({ state }) =>
    state === 'SUCCESS'
      ? 'It has left; the accounts are debited at once.'
      : 'While it is under way the amount is blocked on the accounts; its end decides.',
  form: (withdrawal) => <WithdrawalShares withdrawal={withdrawal} />,
  initial: () => ({ shares: [{}] }),
  width: 640,
  method: 'post',
  path: '/treasury/withdrawals/{withdrawal_id}/assignments',
  request: ({ id }, { shares }) => ({ params: { withdrawal_id: id }, body: sharesOf(shares) }),
  confirm: ({ asset, destination_address }, { shares }) => [
    ...sharesToConfirm(asset, sharesOf(shares)).map((fact) => ({
      ...fact,
      label: fact.label.replace('To', 'From'),
    })),
    { label: 'It goes to', value: destination_address },
  ],
  fieldOf: (path) => `shares${path}`,
  done: () => 'Assigned',
}

/** Not rejected, and not taken back. */
const isLive = (each: { status: string; rectification_id: string | null }): boolean =>
  each.status !== 'REJECTED' && each.rectification_id === null

function WithdrawalShares({ withdrawal }: { withdrawal: Withdrawal }): ReactNode {
  const { data } = useGet('/treasury/withdrawals/{withdrawal_id}/assignments', {
    params: { withdrawal_id: withdrawal.id },
  })
  return (
    <ShareRows
      name="shares"
      asset={withdrawal.asset}
      of={
        data === undefined
          ? undefined
          : addAmounts(
              withdrawal.quantity,
              ...data.filter(isLive).map((each) => negated(each.quantity)),
            )
      }
      field={{ label: 'From the account' }}
    />
  )
}

type Decision = 'SUCCESSFUL' | 'REJECTED'
type Decidable = DepositAssignment | WithdrawalAssignment | Assignment

function decisionPlan(status: Decision) {
  return {
    label: status === 'SUCCESSFUL' ? 'Accept' : 'Reject',
    permission: 'assignments.decide' as const,
    danger: status === 'REJECTED',
    method: 'patch' as const,
    why: (row: Decidable) =>
      row.status === 'PENDING' || (row.status === 'REJECTED' && status === 'SUCCESSFUL')
        ? undefined
        : row.status === 'SUCCESSFUL'
          ? 'It is accepted; what was wrong is rectified'
          : 'It is rejected',
    explain: () =>
      status === 'SUCCESSFUL'
        ? 'It is booked on the account.'
        : "Nothing is booked; that part is nobody's again.",
    confirm: (row: Decidable): Fact[] => [
      { label: 'Amount', value: <Amount value={row.quantity} asset={row.asset} /> },
      { label: 'Account', value: <Name of="account" id={row.account_id} /> },
      { label: 'By', value: inWords(row.source) },
    ],
    done: () => (status === 'SUCCESSFUL' ? 'Accepted' : 'Rejected'),
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
const DECISIONS = ['SUCCESSFUL', 'REJECTED'] as const
const DEPOSIT_PLANS = DECISIONS.map(ofDeposit)
const WITHDRAWAL_PLANS = DECISIONS.map(ofWithdrawal)

/** Accept and reject; nothing where there is nothing to decide. */
export function Decide({ assignment }: { assignment: Decidable }): ReactNode {
  if (assignment.status === 'SUCCESSFUL') return null
  const deposit_id = 'deposit_id' in assignment ? assignment.deposit_id : null
  const withdrawal_id = 'withdrawal_id' in assignment ? assignment.withdrawal_id : null
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
