/** Reversing wrong assignments and booking new ones. The user sees the bookings first. */
import { addAmounts } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { Form, Select } from 'antd'
import type { FormInstance } from 'antd'
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { filledTexts } from '../../action/filled.ts'
import type { ActionPlan, Fact, Values } from '../../action/plan.ts'
import { InputItem } from '../../action/inputs.tsx'
import { useNames } from '../../api/names.ts'
import { useGet } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { t } from '../../language/index.ts'
import { amountWords } from '../../parts/amount-words.ts'
import { inWords } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import type { DepositAssignment, Withdrawal, WithdrawalAssignment } from './assign.tsx'
import { NOTHING_LEFT } from './no-money.ts'
import type { Deposit } from './open-rest.ts'
import { ShareRows, sharesOf } from './shares.tsx'
import type { Share } from './shares.tsx'
import { factsOfThirdParty, ThirdPartyInput, thirdPartyOf } from './third-party.tsx'

const REASONS = [
  'WRONG_ACCOUNT',
  'WRONG_QUANTITY',
  'DUPLICATE',
  'MATCHING_ERROR',
  'CUSTOMER_REQUEST',
  'COMPLIANCE',
  'FRAUD',
  'RETURNED',
  'TECHNICAL_ERROR',
  'OTHER',
] as const
type Reason = (typeof REASONS)[number]

type Answer = DataOf<'post', '/treasury/deposits/{deposit_id}/rectifications'>
type Preview = Extract<Answer, { dry_run: boolean }>

const rectifiable = <A extends DepositAssignment | WithdrawalAssignment>(
  assignments: readonly A[] | undefined,
): A[] =>
  (assignments ?? []).filter(
    ({ status, rectification_id }) => status === 'SUCCESSFUL' && rectification_id === null,
  )

function bodyOf({ origins, targets, reason, note }: Values) {
  return {
    origins: origins as string[],
    targets: sharesOf(targets),
    reason: reason as Reason,
    ...filledTexts({ note }),
  }
}

function bodyOfWithdrawal(values: Values) {
  const { targets, ...body } = bodyOf(values)
  return { ...body, targets: targets.map((target) => ({ ...target, ...thirdPartyOf(values) })) }
}

const common = {
  label: t('Rectify'),
  permission: 'rectifications.create' as const,
  explain: () =>
    t(
      'Wrong assignments are reversed and booked to the right accounts. Existing ' +
        'bookings stay. You see the new bookings before you confirm.',
    ),
  initial: () => ({ targets: [{}] }),
  width: 680,
  method: 'post' as const,
  done: () => t('Rectified'),
}

const NOT_BOOKED = t('No assignment of this deposit is booked')
const IN_FLIGHT = t('The withdrawal is in flight. Its assignments are not booked yet.')

/** States in which nothing can be rectified. */
const WHY_NOT_RECTIFY_DEPOSIT: Partial<Readonly<Record<Deposit['state'], string>>> = {
  PENDING: NOT_BOOKED,
  PENDING_REVIEW: NOT_BOOKED,
  FAILED: NOT_BOOKED,
  REVERSED: NOT_BOOKED,
}
const WHY_NOT_RECTIFY_WITHDRAWAL: Readonly<Record<Withdrawal['state'], string | undefined>> = {
  SUCCESS: undefined,
  ...NOTHING_LEFT,
  PENDING_APPROVAL: t('The withdrawal waits for approval. Nothing of it is booked.'),
  UNKNOWN: IN_FLIGHT,
  PENDING: IN_FLIGHT,
  PENDING_REVIEW: IN_FLIGHT,
}

export const rectifyDeposit: ActionPlan<
  'post',
  '/treasury/deposits/{deposit_id}/rectifications',
  Deposit
> = {
  ...common,
  why: ({ state, assigned_quantity }) =>
    WHY_NOT_RECTIFY_DEPOSIT[state] ??
    (assigned_quantity === '0' ? t('The deposit is not assigned') : undefined),
  form: (deposit) => <OfDeposit deposit={deposit} />,
  path: '/treasury/deposits/{deposit_id}/rectifications',
  request: ({ id }, values) => ({ params: { deposit_id: id }, body: bodyOf(values) }),
  confirm: async ({ id }, values) =>
    factsOf(
      await client().post('/treasury/deposits/{deposit_id}/rectifications', {
        params: { deposit_id: id },
        query: { dry_run: 'true' },
        body: bodyOf(values),
      }),
      values,
    ),
}

export const rectifyWithdrawal: ActionPlan<
  'post',
  '/treasury/withdrawals/{withdrawal_id}/rectifications',
  Withdrawal
> = {
  ...common,
  why: ({ state }) => WHY_NOT_RECTIFY_WITHDRAWAL[state],
  form: (withdrawal) => <OfWithdrawal withdrawal={withdrawal} />,
  path: '/treasury/withdrawals/{withdrawal_id}/rectifications',
  request: ({ id }, values) => ({ params: { withdrawal_id: id }, body: bodyOfWithdrawal(values) }),
  confirm: async ({ id }, values) =>
    factsOf(
      (await client().post('/treasury/withdrawals/{withdrawal_id}/rectifications', {
        params: { withdrawal_id: id },
        query: { dry_run: 'true' },
        body: bodyOfWithdrawal(values),
      })) as Preview,
      values,
    ),
}

function OfDeposit({ deposit: { id, asset } }: { deposit: Deposit }): ReactNode {
  const { data } = useGet('/treasury/deposits/{deposit_id}/assignments', {
    params: { deposit_id: id },
  })
  return <RectifyForm assignments={rectifiable(data)} asset={asset} />
}

function OfWithdrawal({ withdrawal: { id, asset } }: { withdrawal: Withdrawal }): ReactNode {
  const { data } = useGet('/treasury/withdrawals/{withdrawal_id}/assignments', {
    params: { withdrawal_id: id },
  })
  return (
    <>
      <RectifyForm assignments={rectifiable(data)} asset={asset} />
      <ThirdPartyInput />
    </>
  )
}

function RectifyForm({
  assignments,
  asset,
}: {
  assignments: readonly (DepositAssignment | WithdrawalAssignment)[]
  asset: string
}): ReactNode {
  const form = Form.useFormInstance()
  const names = useNames('account')
  const chosen = (Form.useWatch('origins', form) as string[] | undefined) ?? []
  const reason = Form.useWatch('reason', form) as Reason | undefined
  const reversed = addAmounts(
    '0',
    ...assignments
      .filter((assignment) => chosen.includes(assignment.id))
      .map((assignment) => assignment.quantity),
  )
  usePrefilled(form, chosen.length === 0 ? undefined : reversed)
  const options = assignments.map(({ id, quantity, account_id }) => ({
    value: id,
    label: t('{{amount}} of {{names}}', {
      amount: amountWords(quantity, asset),
      names: names.get(account_id) ?? account_id,
    }),
  }))
  return (
    <>
      <Form.Item
        name="origins"
        label={t('Assignments to reverse')}
        required
        rules={[{ required: true, message: t('Choose at least one assignment') }]}
        validateTrigger="onSubmit"
      >
        <Select
          mode="multiple"
          options={options}
          placeholder={t('Choose assignments')}
          notFoundContent={t('No booked assignments')}
          showSearch={{ optionFilterProp: 'label' }}
        />
      </Form.Item>
      <ShareRows
        name="targets"
        asset={asset}
        of={chosen.length === 0 ? undefined : reversed}
        whole
        field={{ label: t('Reassign to') }}
      />
      <InputItem
        field={{
          name: 'reason',
          label: t('Reason'),
          kind: 'words',
          options: REASONS,
          required: true,
        }}
      />
      <InputItem
        field={{ name: 'note', label: t('Note'), kind: 'text', required: reason === 'OTHER' }}
      />
    </>
  )
}

/** The only part gets all that is reversed, while nobody has typed another amount. */
function usePrefilled(form: FormInstance, reversed: string | undefined): void {
  const given = useRef<string>(undefined)
  useEffect(() => {
    const [first, ...others] = (form.getFieldValue('targets') as Share[] | undefined) ?? []
    const typed = first?.quantity ?? ''
    if (others.length > 0 || (typed !== '' && typed !== given.current)) return
    given.current = reversed
    form.setFieldValue(['targets', 0, 'quantity'], reversed)
  }, [form, reversed])
}

/** The bookings that would be made, and why. */
function factsOf(answer: Answer | Preview, values: Values): Fact[] {
  const { reason, note } = values
  const { bookings } = answer as Preview
  return [
    {
      label: t('Reason'),
      value: [inWords(String(reason)), ...(note === undefined || note === '' ? [] : [note])].join(
        ': ',
      ),
    },
    ...factsOfThirdParty(values),
    ...bookings.map((booking, index) => ({
      label: `${index + 1}. ${booking.type === 'REVERSAL' ? t('Reversal') : t('New booking')}`,
      value: <Legs booking={booking} />,
    })),
  ]
}

function Legs({ booking: { asset, legs } }: { booking: Preview['bookings'][number] }): ReactNode {
  const names = useNames('account')
  return (
    <table className="legs">
      <tbody>
        {legs.map(({ account_id, account_label, type, quantity }, index) => (
          <tr key={`${account_id} ${index}`}>
            <td>{inWords(type)}</td>
            <td>{names.get(account_id) ?? account_label}</td>
            <td>
              <Amount value={quantity} asset={asset} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
