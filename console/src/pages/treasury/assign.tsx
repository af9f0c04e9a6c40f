/** Assigning deposits and withdrawals to accounts. */
import { addAmounts, compareAmounts, isZero, negated } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { Button, Form } from 'antd'
import type { ReactNode } from 'react'
import type { ActionPlan, Fact } from '../../action/plan.ts'
import { useGet } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { whyWords } from '../../parts/record-words.ts'
import { RecordLink } from '../../parts/links.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { AssignedMeanwhile, OpenAmount, useDepositNow } from './assigned-meanwhile.tsx'
import { NOTHING_ARRIVED, NOTHING_LEFT } from './no-money.ts'
import { isLive, openRest } from './open-rest.ts'
import type { Deposit } from './open-rest.ts'
import { whyHeld } from './screened.tsx'
import { ShareRows, sharesOf } from './shares.tsx'
import type { Share } from './shares.tsx'
import { factsOfThirdParty, ThirdPartyInput, thirdPartyOf } from './third-party.tsx'

export type Withdrawal = DataOf<'get', '/treasury/withdrawals/{withdrawals_id}'>
export type DepositAssignment = RowOf<'/treasury/deposits/{deposit_id}/assignments'>
export type WithdrawalAssignment = RowOf<'/treasury/withdrawals/{withdrawal_id}/assignments'>

export const ASSIGNMENT_STATES = ['PENDING', 'SUCCESSFUL', 'REJECTED'] as const
const SHOWN_SUGGESTIONS = 5

/** Where only a part of a movement is an own transfer; null elsewhere. */
export const transferPart = ({
  quantity,
  transfer_quantity,
}: Pick<Deposit, 'quantity' | 'transfer_quantity'>): string | null =>
  isZero(transfer_quantity) || compareAmounts(quantity, transfer_quantity) === 0
    ? null
    : transfer_quantity

const ACCOUNT_OF = { to: t('To account'), from: t('From account') } as const

const sharesToConfirm = (
  asset: string,
  shares: readonly { account_id: string; quantity: string }[],
  way: 'to' | 'from' = 'to',
): Fact[] =>
  shares.map(({ account_id, quantity }, index) => ({
    label: shares.length === 1 ? ACCOUNT_OF[way] : t('Part {{number}}', { number: index + 1 }),
    value: (
      <Trans
        i18nKey={way === 'to' ? '<amount/> to <name/>' : '<amount/> from <name/>'}
        components={{
          amount: <Amount value={quantity} asset={asset} />,
          name: <Name of="account" id={account_id} />,
        }}
      />
    ),
  }))

const senderOf = ({ counterparty, source_address }: Deposit): string =>
  counterparty?.name ?? source_address ?? t('unknown')

/** What nobody owns afterwards. */
function leftToAssign(deposit: Deposit, shares: readonly { quantity: string }[]): Fact[] {
  const left = addAmounts(openRest(deposit), ...shares.map(({ quantity }) => negated(quantity)))
  return isZero(left)
    ? []
    : [{ label: t('Stays unassigned'), value: <Amount value={left} asset={deposit.asset} /> }]
}

/** States in which nothing of a deposit can be assigned. */
const WHY_NOT_ASSIGN_DEPOSIT: Partial<Readonly<Record<Deposit['state'], string>>> = {
  ...NOTHING_ARRIVED,
  ASSIGNED: t('Nothing is left to assign'),
  SUCCESSFUL: t('Nothing is left to assign'),
  RETURNED: t('The deposit has gone back to its sender'),
}

export const assignDeposit: ActionPlan<
  'post',
  '/treasury/deposits/{deposit_id}/assignments',
  Deposit
> = {
  label: t('Assign'),
  permission: 'assignments.create',
  why: (deposit) => WHY_NOT_ASSIGN_DEPOSIT[deposit.state] ?? whyHeld(deposit),
  explain: (deposit) => (
    <Trans
      i18nKey={
        deposit.reference_text === null
          ? '<amount/> of this deposit is not assigned yet. From: {{sender}}.'
          : '<amount/> of this deposit is not assigned yet. From: {{sender}}. Reference: ' +
            '“{{reference}}”.'
      }
      components={{ amount: <OpenAmount deposit={deposit} /> }}
      values={{ sender: senderOf(deposit), reference: deposit.reference_text }}
    />
  ),
  form: (deposit) => (
    <>
      <AssignedMeanwhile deposit={deposit} />
      <Suggestions deposit={deposit} />
      <DepositShares deposit={deposit} />
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
    ...leftToAssign(deposit, sharesOf(shares)),
    { label: t('From'), value: senderOf(deposit) },
    ...(deposit.reference_text === null
      ? []
      : [{ label: t('Reference'), value: deposit.reference_text }]),
    { label: t('Deposited at'), value: <Name of="venue" id={deposit.venue_id} /> },
  ],
  fieldOf: (path) => `shares${path}`,
  done: (data) =>
    ([] as { status: string }[]).concat(data).some((assignment) => assignment.status === 'PENDING')
      ? t('Assigned. The assignment waits for a decision.')
      : t('Assigned'),
}

function DepositShares({ deposit }: { deposit: Deposit }): ReactNode {
  const now = useDepositNow(deposit)
  return <ShareRows name="shares" asset={now.asset} of={openRest(now)} />
}

function Suggestions({ deposit }: { deposit: Deposit }): ReactNode {
  const form = Form.useFormInstance()
  const { data: suggestions = [] } = useGet('/treasury/deposits/{deposit_id}/suggestions', {
    params: { deposit_id: deposit.id },
  })
  if (suggestions.length === 0) return null
  const choose = (account_id: string): void => {
    const shares = (form.getFieldValue('shares') as Share[] | undefined) ?? []
    const empty = shares.findIndex((share) => share.account_id === undefined)
    form.setFieldValue(['shares', Math.max(empty, 0), 'account_id'], account_id)
  }
  return (
    <ol className="suggestions" aria-label={t('Suggestions')}>
      {suggestions.slice(0, SHOWN_SUGGESTIONS).map((suggestion) => (
        <li key={suggestion.account_id}>
          <Name of="account" id={suggestion.account_id} />
          <span className="why">
            {suggestion.reasons.map(({ explanation }) => whyWords(explanation)).join('; ')}
            {suggestion.withdrawal_id !== null && (
              <>
                {' '}
                <RecordLink to={{ kind: 'withdrawal', id: suggestion.withdrawal_id }}>
                  {t('Withdrawal')}
                </RecordLink>
              </>
            )}
          </span>
          <Button
            size="small"
            onClick={() => {
              choose(suggestion.account_id)
            }}
          >
            {t('Choose')}
          </Button>
        </li>
      ))}
    </ol>
  )
}

/** States in which a withdrawal cannot be assigned. */
const WHY_NOT_ASSIGN_WITHDRAWAL: Partial<Readonly<Record<Withdrawal['state'], string>>> =
  NOTHING_LEFT

export const assignWithdrawal: ActionPlan<
  'post',
  '/treasury/withdrawals/{withdrawal_id}/assignments',
  Withdrawal
> = {
  label: t('Assign'),
  permission: 'assignments.create',
  why: ({ state, unassigned }) =>
    state === 'SUCCESS' && !unassigned
      ? t('Nothing is left to assign')
      : WHY_NOT_ASSIGN_WITHDRAWAL[state],
  explain: ({ state }) =>
    state === 'SUCCESS'
      ? t('The withdrawal was sent, and is on suspense. The accounts are debited at once.')
      : t('The withdrawal is in flight. The amount is held on the accounts until it ends.'),
  form: (withdrawal) => (
    <>
      <WithdrawalShares withdrawal={withdrawal} />
      <ThirdPartyInput />
    </>
  ),
  initial: () => ({ shares: [{}] }),
  width: 640,
  method: 'post',
  path: '/treasury/withdrawals/{withdrawal_id}/assignments',
  request: ({ id }, values) => ({
    params: { withdrawal_id: id },
    body: sharesOf(values['shares']).map((share) => ({ ...share, ...thirdPartyOf(values) })),
  }),
  confirm: ({ asset, destination_address }, values) => [
    ...sharesToConfirm(asset, sharesOf(values['shares']), 'from'),
    { label: t('To address'), value: destination_address },
    ...factsOfThirdParty(values),
  ],
  fieldOf: (path) => `shares${path}`,
  done: () => t('Assigned'),
}

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
              ...data.filter(isLive).map((assignment) => negated(assignment.quantity)),
            )
      }
      field={{ label: t('From account') }}
    />
  )
}
