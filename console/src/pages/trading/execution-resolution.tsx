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
import { Trans, lowered, t } from '../../language/index.ts'
import { Amount } from '../../parts/values.tsx'
import { inWords } from '../../parts/status.tsx'
import { hasEnded } from './execution-columns.tsx'
import type { Execution } from './execution-columns.tsx'

type Outcome = 'FILLED' | 'CANCELED' | 'NEVER_PLACED'
type Trade = { foreign_id: string; price: string; quantity: string; fee: string; volume?: string }

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  FILLED: t('Filled in full'),
  CANCELED: t('Ended early, with these trades or none'),
  NEVER_PLACED: t('Never placed'),
}

export const recheck: ActionPlan<'post', '/executions/{execution_id}/recheck', Execution> = {
  label: t('Check with venue'),
  permission: 'trading.executions.resolve',
  why: (row) => (hasEnded(row) && !row.contradicted ? t('The execution has ended') : undefined),
  explain: ({ contradicted }) =>
    contradicted
      ? t(
          'The venue reports something else than was entered by hand. Kontor asks it ' +
            'again and books its report in place of what was entered.',
        )
      : t('Kontor asks the venue for the current state of the order.'),
  method: 'post',
  path: '/executions/{execution_id}/recheck',
  request: ({ id }) => ({ params: { execution_id: id } }),
  done: ({ state }) => t('Checked with the venue: {{state}}', { state: lowered(inWords(state)) }),
}

const tradesOf = (values: Values): Trade[] => (values['fills'] as Trade[] | undefined) ?? []

export const resolve: ActionPlan<'post', '/executions/{execution_id}/resolve', Execution> = {
  label: t('Resolve'),
  permission: 'trading.executions.resolve',
  danger: true,
  width: 760,
  // Whether an order is in doubt, the service knows.
  why: (row) => (hasEnded(row) ? t('The execution has ended') : undefined),
  explain: () =>
    t(
      'The venue has not confirmed what became of the order. If you have evidence, ' +
        'enter the outcome here. Kontor books the trades as if the venue had reported ' +
        'them, and sends nothing for the rest.',
    ),
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
    { label: t('Outcome'), value: OUTCOMES[values['state'] as Outcome] },
    { label: t('Ordered'), value: <Amount value={amount} asset={base_asset} /> },
    ...(filledText(values['foreign_id']) === undefined
      ? []
      : [{ label: t('Venue reference'), value: String(values['foreign_id']) }]),
    ...tradesOf(values).map(({ foreign_id, price, quantity, fee, volume }) => ({
      label: t('Trade {{foreign_id}}', { foreign_id }),
      value: (
        <Trans
          i18nKey={
            filledText(volume) === undefined
              ? '<amount/> at <price/>, fee <fee/>'
              : '<amount/> at <price/>, fee <fee/>, volume <volume/>'
          }
          components={{
            amount: <Amount value={quantity} asset={base_asset} />,
            price: <Amount value={price} asset={quote_asset} price />,
            fee: <Amount value={fee} asset={quote_asset} />,
            volume: <Amount value={String(volume)} asset={quote_asset} />,
          }}
        />
      ),
    })),
    { label: t('Evidence'), value: String(values['evidence']) },
  ],
  done: () => t('Outcome recorded'),
}

function ResolveForm({ row, form }: { row: Execution; form: FormInstance<Values> }): ReactNode {
  const outcome = Form.useWatch('state', form) as Outcome | undefined
  return (
    <>
      <InputItem
        field={{
          name: 'state',
          label: t('Outcome'),
          kind: 'words',
          required: true,
          options: Object.entries(OUTCOMES).map(([value, label]) => ({ value, label })),
        }}
      />
      {outcome !== undefined && outcome !== 'NEVER_PLACED' && <Trades row={row} />}
      <InputItem field={{ name: 'foreign_id', label: t('Venue reference'), kind: 'text' }} />
      <InputItem
        field={{
          name: 'evidence',
          label: t('Evidence'),
          kind: 'lines',
          required: true,
          help: t('For example a message from the venue, a statement or a contract note'),
        }}
      />
    </>
  )
}

function Trades({ row }: { row: Execution }): ReactNode {
  return (
    <Form.List name="fills">
      {(items, { add, remove }, { errors }) => (
        <div className="legs" role="group" aria-label={t('Trades that are not booked yet')}>
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
              {t('Add trade')}
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
    { field: 'price', label: t('Price'), asked: { asset: quote_asset, price: true } },
    { field: 'quantity', label: t('Amount'), asked: { asset: base_asset } },
    // Below 0 it is a rebate. Venues charge fractions of the smallest unit.
    { field: 'fee', label: t('Fee'), asked: { asset: quote_asset, price: true, negative: true } },
    { field: 'volume', label: t('Volume'), asked: { asset: quote_asset, price: true } },
  ] as const
  return (
    <fieldset className="cover-part">
      <legend>{t('Trade {{number}}', { number })}</legend>
      <Form.Item
        name={[name, 'foreign_id']}
        label={t('Trade id')}
        rules={[{ required: true, whitespace: true, message: t('The trade id is required') }]}
        validateTrigger="onSubmit"
      >
        <Input
          aria-label={t('Id of trade {{number}}', { number })}
          placeholder={t('As the venue names it')}
        />
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
        aria-label={t('Remove trade {{number}}', { number })}
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
      label={optional ? t('{{label}}, if rounded', { label }) : label}
      rules={[{ required: !optional, message: t('{{label}} is required', { label }) }, rule]}
      validateTrigger="onSubmit"
    >
      <AmountInput {...asked} aria-label={t('{{label}} of trade {{number}}', { label, number })} />
    </Form.Item>
  )
}
