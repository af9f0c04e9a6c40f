/** Taking back assignments that were wrong and booking others instead, with the bookings shown before they are made. */
import type { DataOf } from '@kontor/client'
import { Form, Select } from 'antd'
import type { ReactNode } from 'react'
import type { ActionPlan, Fact, Values } from '../../action/action.tsx'
import { InputItem } from '../../action/inputs.tsx'
import { useNames } from '../../api/names.ts'
import { useGet } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { Rows } from '../../list/grid.tsx'
import { addAmounts } from '../../parts/decimal.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import type { Deposit, DepositAssignment, Withdrawal, WithdrawalAssignment } from './assign.tsx'
import { ShareRows, sharesOf } from './shares.tsx'

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
  rows: readonly A[] | undefined,
): A[] => (rows ?? []).filter((row) => row.status === 'SUCCESSFUL' && row.rectification_id === null)

function bodyOf({ origins, targets, reason, note }: Values) {
  const text = String(note ?? '').trim()
  return {
    origins: origins as string[],
    targets: sharesOf(targets),
    reason: reason as Reason,
    ...(text === '' ? {} : { note: text }),
  }
}

const common = {
  label: 'Rectify',
  permission: 'rectifications.create' as const,
  explain: () =>
    'What was assigned wrongly is taken back, and booked where it belongs. What was written stays; the bookings are new ones and are shown before.',
  initial: () => ({ targets: [{}] }),
  width: 680,
  method: 'post' as const,
  done: () => 'Rectified',
}

export const rectifyDeposit: ActionPlan<
  'post',
  '/treasury/deposits/{deposit_id}/rectifications',
  Deposit
> = {
  ...common,
  why: ({ state, assigned_quantity }) =>
    state === 'PENDING' || state === 'FAILED' || state === 'REVERSED'
      ? 'Nothing of it is booked for anybody'
      : assigned_quantity === '0'
        ? 'Nothing of it is assigned'
        : undefined,
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
  why: ({ state }) =>
    state === 'SUCCESS'
      ? undefined
      : state === 'FAILED' || state === 'REJECTED' || state === 'CANCELED'
        ? 'Nothing left'
        : 'It is under way: its assignments are not booked yet',
  form: (withdrawal) => <OfWithdrawal withdrawal={withdrawal} />,
  path: '/treasury/withdrawals/{withdrawal_id}/rectifications',
  request: ({ id }, values) => ({ params: { withdrawal_id: id }, body: bodyOf(values) }),
  confirm: async ({ id }, values) =>
    factsOf(
      (await client().post('/treasury/withdrawals/{withdrawal_id}/rectifications', {
        params: { withdrawal_id: id },
        query: { dry_run: 'true' },
        body: bodyOf(values),
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
  return <RectifyForm assignments={rectifiable(data)} asset={asset} />
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
  const taken = addAmounts(
    '0',
    ...assignments
      .filter((assignment) => chosen.includes(assignment.id))
      .map((assignment) => assignment.quantity),
  )
  const options = assignments.map(({ id, quantity, account_id }) => ({
    value: id,
    label: `${quantity} ${asset} of ${names.get(account_id) ?? account_id}`,
  }))
  return (
    <>
      <Form.Item
        name="origins"
        label="Taken back"
        required
        rules={[{ required: true, message: 'Choose at least one assignment' }]}
        validateTrigger="onSubmit"
      >
        <Select
          mode="multiple"
          options={options}
          placeholder="Choose assignments"
          notFoundContent="Nothing of it is booked for anybody"
          showSearch={{ optionFilterProp: 'label' }}
        />
      </Form.Item>
      <ShareRows
        name="targets"
        asset={asset}
        of={chosen.length === 0 ? undefined : taken}
        whole
        field={{ label: 'Booked for instead' }}
      />
      <InputItem
        field={{ name: 'reason', label: 'Reason', kind: 'words', options: REASONS, required: true }}
      />
      <InputItem
        field={{ name: 'note', label: 'Note', kind: 'text', required: reason === 'OTHER' }}
      />
    </>
  )
}

/** The bookings that would be made, and why. */
function factsOf(answer: Answer | Preview, { reason, note }: Values): Fact[] {
  const { bookings } = answer as Preview
  return [
    {
      label: 'Reason',
      value: `${inWords(String(reason))}${note === undefined || note === '' ? '' : `: ${String(note)}`}`,
    },
    ...bookings.map((booking, index) => ({
      label: `${index + 1}. ${booking.type === 'REVERSAL' ? 'Taken back' : 'Booked instead'}`,
      value: <Legs booking={booking} />,
    })),
  ]
}

function Legs({ booking: { asset, legs } }: { booking: Preview['bookings'][number] }): ReactNode {
  return (
    <table className="legs">
      <tbody>
        {legs.map(({ account_id, account_label, type, quantity }, index) => (
          <tr key={`${account_id} ${index}`}>
            <td>{inWords(type)}</td>
            <td>{account_label}</td>
            <td>
              <Amount value={quantity} asset={asset} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function RectificationsOfDeposit({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useGet('/treasury/deposits/{deposit_id}/rectifications', {
    params: { deposit_id: id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  return data === undefined ? <Loading /> : <Rectifications rows={data} />
}

export function RectificationsOfWithdrawal({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useGet('/treasury/withdrawals/{withdrawal_id}/rectifications', {
    params: { withdrawal_id: id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  return data === undefined ? <Loading /> : <Rectifications rows={data} />
}

type Rectification = {
  id: string
  reason: string
  note: string | null
  origins: readonly string[]
  targets: readonly { account_id: string; quantity: string; asset: string }[]
  system_created_at: number
}

function Rectifications({ rows }: { rows: readonly Rectification[] }): ReactNode {
  const names = useNames('account')
  return (
    <Rows
      label="Rectifications"
      rows={rows}
      keyOf={(row) => row.id}
      empty={
        <Empty title="Nothing was rectified">
          What was assigned wrongly is taken back and booked elsewhere with Rectify.
        </Empty>
      }
      columns={[
        { key: 'system_created_at', title: 'When', kind: 'time' },
        {
          key: 'reason',
          title: 'Reason',
          value: (row) => `${inWords(row.reason)}${row.note === null ? '' : `: ${row.note}`}`,
          width: 220,
        },
        {
          key: 'origins',
          title: 'Taken back',
          value: (row) => row.origins.length,
          kind: 'number',
          width: 100,
        },
        {
          key: 'targets',
          title: 'Booked instead',
          value: (row) =>
            row.targets
              .map(
                (target) =>
                  `${target.quantity} ${target.asset} for ${names.get(target.account_id) ?? target.account_id}`,
              )
              .join(', '),
          width: 320,
        },
      ]}
    />
  )
}
