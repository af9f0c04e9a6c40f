/** What can be done with an execution whose outcome its venue does not report. */
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Form, Input } from 'antd'
import type { FormInstance } from 'antd'
import type { ReactNode } from 'react'
import { filledText, filledTexts } from '../../action/filled.ts'
import { AmountInput, useAmountRule } from '../../parts/amount-input.tsx'
import type { AmountAsked } from '../../parts/amount-input.tsx'
import { InputItem } from '../../action/inputs.tsx'
import type { ActionPlan, Fact, Values } from '../../action/plan.ts'
import { Amount } from '../../parts/values.tsx'
import { hasEnded } from './execution-columns.tsx'
import type { Execution } from './execution-columns.tsx'

type Outcome = 'FILLED' | 'CANCELED' | 'NEVER_PLACED'
type Trade = { foreign_id: string; price: string; quantity: string; fee: string; volume?: string }

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  FILLED: 'Filled in full',
  CANCELED: 'Ended early, with these trades or none',
  NEVER_PLACED: 'Never placed',
}

export const recheck: ActionPlan<'post', '/executions/{execution_id}/recheck', Execution> = {
  label: 'Check with venue',
  permission: 'trading.executions.resolve',
  why: (row) => (hasEnded(row) && !row.contradicted ? 'The execution has ended' : undefined),
  explain: ({ contradicted }) =>
    contradicted
      ? 'The venue reports something else than was entered by hand. Kontor asks it again and ' +
        'books its report in place of what was entered.'
      : 'Kontor asks the venue for the current state of the order.',
  method: 'post',
  path: '/executions/{execution_id}/recheck',
  request: ({ id }) => ({ params: { execution_id: id } }),
  done: ({ state }) => `Checked with the venue: ${state.toLowerCase().replaceAll('_', ' ')}`,
}

const tradesOf = (values: Values): Trade[] => (values['fills'] as Trade[] | undefined) ?? []

export const resolve: ActionPlan<'post', '/executions/{execution_id}/resolve', Execution> = {
  label: 'Resolve',
  permission: 'trading.executions.resolve',
  danger: true,
  width: 760,
  // Whether an order is in doubt, the service knows.
  why: (row) => (hasEnded(row) ? 'The execution has ended' : undefined),
  explain: () =>
    'The venue has not confirmed what became of the order. If you have evidence, enter the ' +
    'outcome here. Kontor books the trades as if the venue had reported them, and sends nothing ' +
    'for the rest.',
  initial: () => ({ fills: [] }),
  form: (row, form) => <ResolveForm row={row} form={form} />,
  method: 'post',
  path: '/executions/{execution_id}/resolve',
  request: ({ id, version }, values) => ({
    params: { execution_id: id },
    body: {
      version,
      state: values['state'] as Outcome,
      evidence: String(values['evidence']),
      ...filledTexts({ foreign_id: values['foreign_id'] }),
      fills: tradesOf(values).map(({ foreign_id, price, quantity, fee, volume }) => ({
        foreign_id: foreign_id.trim(),
        price,
        quantity,
        fee,
        ...(filledText(volume) === undefined ? {} : { volume: String(volume) }),
      })),
    },
  }),
  confirm: ({ amount, base_asset, quote_asset }, values): Fact[] => [
    { label: 'Outcome', value: OUTCOMES[values['state'] as Outcome] },
    { label: 'Ordered', value: <Amount value={amount} asset={base_asset} /> },
    ...(filledText(values['foreign_id']) === undefined
      ? []
      : [{ label: 'Venue reference', value: String(values['foreign_id']) }]),
    ...tradesOf(values).map(({ foreign_id, price, quantity, fee, volume }) => ({
      label: `Trade ${foreign_id}`,
      value: (
        <>
          <Amount value={quantity} asset={base_asset} /> at{' '}
          <Amount value={price} asset={quote_asset} price />, fee{' '}
          <Amount value={fee} asset={quote_asset} />
          {filledText(volume) !== undefined && (
            <>
              , volume <Amount value={String(volume)} asset={quote_asset} />
            </>
          )}
        </>
      ),
    })),
    { label: 'Evidence', value: String(values['evidence']) },
  ],
  done: () => 'Outcome recorded',
}

function ResolveForm({ row, form }: { row: Execution; form: FormInstance<Values> }): ReactNode {
  const outcome = Form.useWatch('state', form) as Outcome | undefined
  return (
    <>
      <InputItem
        field={{
          name: 'state',
          label: 'Outcome',
          kind: 'words',
          required: true,
          options: Object.entries(OUTCOMES).map(([value, label]) => ({ value, label })),
        }}
      />
      {outcome !== undefined && outcome !== 'NEVER_PLACED' && <Trades row={row} />}
      <InputItem field={{ name: 'foreign_id', label: 'Venue reference', kind: 'text' }} />
      <InputItem
        field={{
          name: 'evidence',
          label: 'Evidence',
          kind: 'lines',
          required: true,
          help: 'For example a message from the venue, a statement or a contract note',
        }}
      />
    </>
  )
}

function Trades({ row }: { row: Execution }): ReactNode {
  return (
    <Form.List name="fills">
      {(items, { add, remove }, { errors }) => (
        <div className="legs" role="group" aria-label="Trades that are not booked yet">
          {items.map((item, index) => (
            <TradeRow
              key={item.key}
              name={item.name}
              number={index + 1}
              row={row}
              remove={() => {
                remove(item.name)
              }}
            />
          ))}
          <div>
            <Button
              size="small"
              icon={<PlusOutlined />}
              onClick={() => {
                add({})
              }}
            >
              Add trade
            </Button>
          </div>
          <Form.ErrorList errors={errors} />
        </div>
      )}
    </Form.List>
  )
}

function TradeRow({
  name,
  number,
  row: { base_asset, quote_asset },
  remove,
}: {
  name: number
  number: number
  row: Execution
  remove(): void
}): ReactNode {
  const amounts = [
    { field: 'price', label: 'Price', asked: { asset: quote_asset, price: true } },
    { field: 'quantity', label: 'Amount', asked: { asset: base_asset } },
    // Below 0 it is a rebate. Venues charge fractions of the smallest unit.
    { field: 'fee', label: 'Fee', asked: { asset: quote_asset, price: true, negative: true } },
    { field: 'volume', label: 'Volume', asked: { asset: quote_asset, price: true } },
  ] as const
  return (
    <fieldset className="cover-part">
      <legend>Trade {number}</legend>
      <Form.Item
        name={[name, 'foreign_id']}
        label="Trade id"
        rules={[{ required: true, whitespace: true, message: 'The trade id is required' }]}
        validateTrigger="onSubmit"
      >
        <Input aria-label={`Id of trade ${number}`} placeholder="As the venue names it" />
      </Form.Item>
      {amounts.map(({ field, label, asked }) => (
        <TradeAmount
          key={field}
          name={[name, field]}
          label={label}
          optional={field === 'volume'}
          number={number}
          asked={asked}
        />
      ))}
      <Button
        type="text"
        aria-label={`Remove trade ${number}`}
        icon={<DeleteOutlined />}
        onClick={remove}
      />
    </fieldset>
  )
}

function TradeAmount({
  name,
  label,
  optional,
  number,
  asked,
}: {
  name: (string | number)[]
  label: string
  optional: boolean
  number: number
  asked: AmountAsked
}): ReactNode {
  const rule = useAmountRule(asked)
  return (
    <Form.Item
      name={name}
      label={optional ? `${label}, if rounded` : label}
      rules={[{ required: !optional, message: `${label} is required` }, rule]}
      validateTrigger="onSubmit"
    >
      <AmountInput {...asked} aria-label={`${label} of trade ${number}`} />
    </Form.Item>
  )
}
