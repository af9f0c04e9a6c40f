/** The form of a transfer job: route, type with its amounts, interval and fee. */
import { MinusCircleOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Form } from 'antd'
import type { ReactNode } from 'react'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { inWords } from '../../parts/status.tsx'
import { intervalWords, TYPE_WORDS } from './job-words.ts'
import type { JobType } from './job-words.ts'
import type { Route } from './route-facts.tsx'
import './treasury.css'

const INTERVALS = [15, 30, 60, 240, 720, 1440] as const
const LEVELS = ['DEFAULT', 'FAST', 'SLOW', 'CUSTOM'] as const

/** `fixed`: the route when the job is created on one. */
export function JobForm({ fixed }: { fixed: Route | undefined }): ReactNode {
  const form = Form.useFormInstance()
  const routes = useAll('/treasury/wallets/routes') ?? []
  const route_id = Form.useWatch('route', form) as string | undefined
  const route = fixed ?? routes.find((route) => route.id === route_id)
  const sendable = new Set(
    routes.filter((route) => route.from_wallet.access_type === 'INTERNAL').map((route) => route.id),
  )
  return (
    <>
      <InputItem
        field={{
          name: 'route',
          label: 'Route',
          kind: 'route',
          required: true,
          disabled: fixed !== undefined,
          only: (id) => sendable.has(id),
          help:
            route === undefined
              ? undefined
              : `${route.from_wallet.label} → ${route.to_wallet.label}`,
        }}
      />
      <InputItem
        field={{
          name: 'condition_type',
          label: 'Type',
          kind: 'words',
          options: Object.entries(TYPE_WORDS).map(([value, label]) => ({ value, label })),
          required: true,
        }}
      />
      <QuantityInputs asset={route?.from_wallet.asset} />
      <InputItem
        field={{
          name: 'interval',
          label: 'Interval',
          kind: 'words',
          options: INTERVALS.map((value) => ({
            value: String(value),
            label: `Every ${intervalWords(value)}`,
          })),
          required: true,
        }}
      />
      <FeeInputs />
      <InputItem field={{ name: 'active', label: 'Activate at once', kind: 'flag' }} />
    </>
  )
}

/** What each type needs: an amount with conditions, or a target with a least amount. */
function QuantityInputs({ asset }: { asset: string | undefined }): ReactNode {
  const form = Form.useFormInstance()
  const type = (Form.useWatch('condition_type', form) as JobType | undefined) ?? 'SWEEPING'
  if (type === 'CONDITIONAL')
    return (
      <>
        <InputItem
          field={{ name: 'quantity', label: 'Amount', kind: 'amount', asset, required: true }}
        />
        <Conditions asset={asset} />
      </>
    )
  return (
    <>
      <InputItem
        field={{
          name: 'target',
          label: type === 'SWEEPING' ? 'Amount left at source' : 'Amount at destination',
          kind: 'amount',
          zero: true,
          asset,
          required: true,
        }}
      />
      <InputItem
        field={{
          name: 'min_quantity',
          label: 'Minimum amount',
          kind: 'amount',
          zero: true,
          asset,
          help: 'Smaller amounts are not moved',
        }}
      />
    </>
  )
}

function FeeInputs(): ReactNode {
  const form = Form.useFormInstance()
  const level = Form.useWatch('speed_level', form) as string | undefined
  return (
    <>
      <InputItem
        field={{
          name: 'speed_level',
          label: 'Speed',
          kind: 'words',
          options: LEVELS.map((level) => ({
            value: level,
            label: level === 'CUSTOM' ? 'Custom fee' : inWords(level),
          })),
          required: true,
        }}
      />
      {level === 'CUSTOM' && (
        <InputItem
          field={{ name: 'fee', label: 'Fee', kind: 'amount', zero: true, required: true }}
        />
      )}
    </>
  )
}

const SIDES = [
  { value: 'from', label: 'The source' },
  { value: 'to', label: 'The destination' },
]
const PREDICATES = [
  { value: 'GT', label: 'more than' },
  { value: 'LT', label: 'less than' },
]

/** All conditions must hold. */
function Conditions({ asset }: { asset: string | undefined }): ReactNode {
  return (
    <Form.List name="conditions">
      {(items, { add, remove }) => (
        <>
          {items.map((item, index) => (
            <div key={item.key} className="share condition">
              <InputItem
                field={{
                  name: [item.name, 'balance_side'],
                  label: index === 0 ? 'When' : 'and',
                  kind: 'words',
                  options: SIDES,
                  required: true,
                }}
              />
              <InputItem
                field={{
                  name: [item.name, 'predicate'],
                  label: 'Holds',
                  kind: 'words',
                  options: PREDICATES,
                  required: true,
                }}
              />
              <InputItem
                field={{
                  name: [item.name, 'quantity'],
                  label: 'Balance',
                  kind: 'amount',
                  zero: true,
                  asset,
                  required: true,
                }}
              />
              {items.length > 1 && (
                <Button
                  type="text"
                  aria-label={`Remove condition ${index + 1}`}
                  icon={<MinusCircleOutlined />}
                  onClick={() => {
                    remove(item.name)
                  }}
                />
              )}
            </div>
          ))}
          <div className="share-foot">
            <Button
              size="small"
              type="dashed"
              icon={<PlusOutlined aria-hidden />}
              onClick={() => {
                add({ balance_side: 'to', predicate: 'LT' })
              }}
            >
              Add condition
            </Button>
          </div>
        </>
      )}
    </Form.List>
  )
}
