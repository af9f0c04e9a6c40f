import { Button, Form, Select } from 'antd'
import type { FormInstance } from 'antd'
import type { ReactNode } from 'react'
import type { Values } from '../../action/plan.ts'
import { AmountInput, useAmountRule } from '../../parts/amount-input.tsx'
import { useGet } from '../../api/query.ts'
import { t, Trans } from '../../language/index.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { Name } from '../../parts/values.tsx'
import type { Part } from './settlement-states.ts'

type Route = RowOf<'/treasury/wallets/routes'>
type CoverPart = Pick<Part, 'venue_id' | 'asset' | 'direction' | 'quantity'> & {
  route_id: string | undefined
}
export type CoverValues = { parts: CoverPart[] }

/** One row per part with its amount and its route. A row can be split in two. */
export function CoverForm({ form }: { form: FormInstance<Values> }): ReactNode {
  const parts = (Form.useWatch('parts', { form, preserve: true }) as CoverPart[] | undefined) ?? []
  return (
    <Form.List name="parts">
      {(fields, { add, remove }, { errors }) => [
        ...fields.map(({ key, name }) => {
          const part = parts[name]
          if (part === undefined) return null
          const isSplit = parts.filter((other) => isSameNet(other, part)).length > 1
          return (
            <CoverRow
              key={key}
              name={name}
              part={part}
              isSplit={isSplit}
              remove={() => {
                remove(name)
              }}
              split={() => {
                add({ ...part, quantity: '' }, name + 1)
              }}
            />
          )
        }),
        <Form.ErrorList key="errors" errors={errors} />,
      ]}
    </Form.List>
  )
}

const isSameNet = (one: CoverPart, other: CoverPart): boolean =>
  one.venue_id === other.venue_id && one.asset === other.asset

function CoverRow({
  name,
  part,
  isSplit,
  remove,
  split,
}: {
  name: number
  part: CoverPart
  isSplit: boolean
  remove(): void
  split(): void
}): ReactNode {
  const { data: routes = [] } = useGet('/treasury/wallets/routes')
  const rule = useAmountRule({ asset: part.asset })
  return (
    <fieldset className="cover-part">
      <legend>
        <Trans
          i18nKey={
            part.direction === 'OUTGOING' ? '{{asset}} to <name/>' : '{{asset}} from <name/>'
          }
          components={{ name: <Name of="venue" id={part.venue_id} /> }}
          values={{ asset: part.asset }}
        />
      </legend>
      <Form.Item
        name={[name, 'quantity']}
        rules={[{ required: true, message: t('An amount is required') }, rule]}
        validateTrigger="onSubmit"
      >
        <AmountInput asset={part.asset} aria-label={t('Amount {{name}}', { name: name + 1 })} />
      </Form.Item>
      <Form.Item name={[name, 'route_id']}>
        <Select
          allowClear
          aria-label={t('Route {{name}}', { name: name + 1 })}
          placeholder={t('No route: confirm by hand')}
          options={routes
            .filter((route) => canPay(route, part))
            .map(({ id, label }) => ({ value: id, label }))}
        />
      </Form.Item>
      {(['venue_id', 'asset', 'direction'] as const).map((hidden) => (
        <Form.Item key={hidden} name={[name, hidden]} hidden>
          <input type="hidden" />
        </Form.Item>
      ))}
      {isSplit ? (
        <Button size="small" onClick={remove}>
          {t('Remove')}
        </Button>
      ) : (
        <Button size="small" onClick={split}>
          {t('Split')}
        </Button>
      )}
    </fieldset>
  )
}

/** The routes to choose from. The service decides: `routeFits` in settlements/coverage.ts. */
function canPay(
  { from_wallet, to_wallet, state }: Route,
  { venue_id, asset, direction }: CoverPart,
): boolean {
  const [theirs, ours] =
    direction === 'OUTGOING' ? [to_wallet, from_wallet] : [from_wallet, to_wallet]
  return (
    state === 'ACTIVE' &&
    from_wallet.asset === asset &&
    theirs.venue_id === venue_id &&
    ours.type === 'VENUE' &&
    ours.venue_id !== null &&
    ours.venue_id !== venue_id
  )
}
