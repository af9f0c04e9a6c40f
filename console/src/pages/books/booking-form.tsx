/** Manual bookings: the form shows the sums of both sides, which must be equal. */
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { addAmounts, compareAmounts, isZero, negated, plainAmount } from '@kontor/client'
import { AutoComplete, Button, Form, Select } from 'antd'
import type { FormInstance } from 'antd'
import type { ReactNode } from 'react'
import { filledTexts } from '../../action/filled.ts'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { AmountInput, useAmountRule } from '../../parts/amount-input.tsx'
import { InputItem, NamePicker } from '../../action/inputs.tsx'
import { useGet } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { Trans, t } from '../../language/index.ts'
import { Amount, Name } from '../../parts/values.tsx'

type LegValue = { account_id?: string; type?: 'DEBIT' | 'CREDIT'; quantity?: string }
type Leg = Required<LegValue>

const legsOf = (values: Values): LegValue[] => (values['legs'] as LegValue[] | undefined) ?? []
const sum = (legs: readonly LegValue[], side: Leg['type']): string =>
  addAmounts(
    ...legs.filter((leg) => leg.type === side).map((leg) => plainAmount(leg.quantity) ?? '0'),
  )

export const createBooking: ActionPlan<'post', '/bookings'> = {
  label: t('Create booking'),
  permission: 'bookings.create',
  width: 760,
  explain: () =>
    t('Debit and credit must have the same sum. A booking cannot be changed, only reversed.'),
  initial: () => ({ legs: [{ type: 'DEBIT' }, { type: 'CREDIT' }] }),
  form: (_row, form) => <BookingForm form={form} />,
  method: 'post',
  path: '/bookings',
  request: (_row, values) => ({
    body: {
      asset: String(values['asset']).trim().toUpperCase(),
      legs: (legsOf(values) as Leg[]).map(({ account_id, type, quantity }) => ({
        account_id,
        type,
        quantity,
      })),
      ...(typeof values['value_date'] === 'number' ? { value_date: values['value_date'] } : {}),
      ...filledTexts({ description: values['description'] }),
    },
  }),
  confirm: async (_row, values) => {
    const asset = String(values['asset']).trim().toUpperCase()
    const legs = legsOf(values) as Leg[]
    const now = new Map(
      await Promise.all(
        [...new Set(legs.map((leg) => leg.account_id))].map(async (account_id) => {
          const balances = await client().get('/bookings/accounts/{account_id}/balance', {
            params: { account_id },
          })
          return [account_id, balances[asset]?.total ?? '0'] as const
        }),
      ),
    )
    return [
      ...legs.map((leg) => ({
        label: leg.type === 'DEBIT' ? t('Debit') : t('Credit'),
        value: (
          <>
            <Amount value={leg.quantity} asset={asset} /> ·{' '}
            <Name of="account" id={leg.account_id} />{' '}
            <span className="soft">
              <Trans
                i18nKey="now <amount/>"
                components={{ amount: <Amount value={now.get(leg.account_id)} asset={asset} /> }}
              />
            </span>
          </>
        ),
      })),
      {
        label: t('Description'),
        value:
          typeof values['description'] === 'string' && values['description'] !== ''
            ? values['description']
            : t('none'),
      },
    ]
  },
  done: (booking) => t('Booking no. {{sequence}} created', { sequence: booking.sequence }),
}

function BookingForm({ form }: { form: FormInstance<Values> }): ReactNode {
  const legs = legsOf({ legs: Form.useWatch('legs', form) as unknown })
  const { data } = useGet('/bookings/trial-balance')
  const asset = Form.useWatch('asset', form) as string | undefined
  return (
    <>
      <Form.Item
        name="asset"
        label={t('Asset')}
        required
        rules={[{ required: true, whitespace: true, message: t('Asset is required') }]}
        validateTrigger="onSubmit"
      >
        <AutoComplete
          options={(data?.assets ?? []).map((asset) => ({ value: asset.asset }))}
          showSearch={{
            filterOption: (typed, option) => String(option?.value).startsWith(typed.toUpperCase()),
          }}
          placeholder="EUR"
        />
      </Form.Item>
      <Form.List
        name="legs"
        rules={[{ validator: (_rule, values: unknown) => checkBalance(values as LegValue[]) }]}
      >
        {(items, { add, remove }, { errors }) => (
          <div className="legs" role="group" aria-label={t('Legs')}>
            {items.map((item, index) => (
              <LegRow
                key={item.key}
                name={item.name}
                number={index + 1}
                asset={asset?.trim().toUpperCase()}
                remove={
                  items.length <= 2
                    ? undefined
                    : () => {
                        remove(item.name)
                      }
                }
              />
            ))}
            <div>
              <Button
                size="small"
                icon={<PlusOutlined />}
                onClick={() => {
                  add(nextLeg(legs))
                }}
              >
                {t('Add leg')}
              </Button>
            </div>
            <Sums legs={legs} asset={asset?.trim().toUpperCase()} />
            <Form.ErrorList errors={errors} />
          </div>
        )}
      </Form.List>
      <InputItem field={{ name: 'description', label: t('Description'), kind: 'text' }} />
      <InputItem
        field={{
          name: 'value_date',
          label: t('Value date'),
          kind: 'time',
          help: t('Empty means today'),
        }}
      />
    </>
  )
}

/** `remove` is undefined where a booking would have fewer than two legs. */
function LegRow({
  name,
  number,
  asset,
  remove,
}: {
  name: number
  number: number
  asset: string | undefined
  remove: (() => void) | undefined
}): ReactNode {
  const rule = useAmountRule({ asset })
  return (
    <div className="leg-row">
      <Form.Item name={[name, 'type']}>
        <Select
          aria-label={t('Side of leg {{number}}', { number })}
          options={[
            { value: 'DEBIT', label: t('Debit') },
            { value: 'CREDIT', label: t('Credit') },
          ]}
        />
      </Form.Item>
      <Form.Item
        name={[name, 'account_id']}
        rules={[{ required: true, message: t('Account is required') }]}
        validateTrigger="onSubmit"
      >
        <NamePicker of="account" aria-label={t('Account of leg {{number}}', { number })} />
      </Form.Item>
      <Form.Item
        name={[name, 'quantity']}
        rules={[{ required: true, message: t('Amount is required') }, rule]}
        validateTrigger="onSubmit"
      >
        <AmountInput aria-label={t('Amount of leg {{number}}', { number })} asset={asset} />
      </Form.Item>
      <Button
        type="text"
        aria-label={t('Remove leg {{number}}', { number })}
        title={remove === undefined ? t('A booking has at least two legs') : t('Remove')}
        disabled={remove === undefined}
        icon={<DeleteOutlined />}
        onClick={remove}
      />
    </div>
  )
}

function Sums({
  legs,
  asset,
}: {
  legs: readonly LegValue[]
  asset: string | undefined
}): ReactNode {
  const [debit, credit] = [sum(legs, 'DEBIT'), sum(legs, 'CREDIT')]
  const open = addAmounts(debit, negated(credit))
  return (
    <div className="legs-sum" role="status">
      <span>
        <Trans
          i18nKey="Debit <amount/>"
          components={{ amount: <Amount value={debit} asset={asset} bare /> }}
        />
      </span>
      <span>
        <Trans
          i18nKey="Credit <amount/>"
          components={{ amount: <Amount value={credit} asset={asset} bare /> }}
        />
      </span>
      {isZero(open) ? (
        !isZero(debit) && <span className="in-balance">{t('In balance')}</span>
      ) : (
        <span className="off-balance">
          <Trans
            i18nKey={
              compareAmounts(open, '0') > 0 ? 'Credit lacks <amount/>' : 'Debit lacks <amount/>'
            }
            components={{ amount: <Amount value={open.replace('-', '')} asset={asset} bare /> }}
          />
        </span>
      )}
    </div>
  )
}

/** The leg that would bring the booking into balance. */
function nextLeg(legs: readonly LegValue[]): LegValue {
  const open = addAmounts(sum(legs, 'DEBIT'), negated(sum(legs, 'CREDIT')))
  return {
    type: compareAmounts(open, '0') > 0 ? 'CREDIT' : 'DEBIT',
    ...(isZero(open) ? {} : { quantity: open.replace('-', '') }),
  }
}

function checkBalance(legs: readonly LegValue[] = []): Promise<void> {
  const filled = legs.every((leg) => plainAmount(leg.quantity) !== undefined)
  return !filled || compareAmounts(sum(legs, 'DEBIT'), sum(legs, 'CREDIT')) === 0
    ? Promise.resolve()
    : Promise.reject(new Error(t('Debit and credit must be equal in sum')))
}
