/** The form of a transfer job: route, type with its amounts, interval and fee. */
import { MinusCircleOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Form } from 'antd'
import type { ReactNode } from 'react'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { t } from '../../language/index.ts'
import { inWords } from '../../parts/status.tsx'
import { everyWords, TYPE_WORDS } from './job-words.ts'
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
          label: t('Route'),
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
          label: t('Type'),
          kind: 'words',
          options: Object.entries(TYPE_WORDS).map(([value, label]) => ({ value, label })),
          required: true,
        }}
      />
      <QuantityInputs asset={route?.from_wallet.asset} />
      <InputItem
        field={{
          name: 'interval',
          label: t('Interval'),
          kind: 'words',
          options: INTERVALS.map((value) => ({
            value: String(value),
            label: everyWords(value),
          })),
          required: true,
        }}
      />
      <FeeInputs />
      <InputItem field={{ name: 'active', label: t('Activate at once'), kind: 'flag' }} />
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
          field={{ name: 'quantity', label: t('Amount'), kind: 'amount', asset, required: true }}
        />
        <Conditions asset={asset} />
      </>
    )
  return (
    <>
      <InputItem
        field={{
          name: 'target',
          label: type === 'SWEEPING' ? t('Amount left at source') : t('Amount at destination'),
          kind: 'amount',
          zero: true,
          asset,
          required: true,
        }}
      />
      <InputItem
        field={{
          name: 'min_quantity',
          label: t('Minimum amount'),
          kind: 'amount',
          zero: true,
          asset,
          help: t('Smaller amounts are not moved'),
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
          label: t('Speed'),
          kind: 'words',
          options: LEVELS.map((level) => ({
            value: level,
            label: level === 'CUSTOM' ? t('Custom fee') : inWords(level),
          })),
          required: true,
        }}
      />
      {level === 'CUSTOM' && (
        <InputItem
          field={{ name: 'fee', label: t('Fee'), kind: 'amount', zero: true, required: true }}
        />
      )}
    </>
  )
}

const SIDES = [
  { value: 'from', label: t('The source') },
  { value: 'to', label: t('The destination') },
]
const PREDICATES = [
  { value: 'GT', label: t('more than') },
  { value: 'LT', label: t('less than') },
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
                  label: index === 0 ? t('When', { context: 'condition' }) : t('and'),
                  kind: 'words',
                  options: SIDES,
                  required: true,
                }}
              />
              <InputItem
                field={{
                  name: [item.name, 'predicate'],
                  label: t('Holds'),
                  kind: 'words',
                  options: PREDICATES,
                  required: true,
                }}
              />
              <InputItem
                field={{
                  name: [item.name, 'quantity'],
                  label: t('Balance'),
                  kind: 'amount',
                  zero: true,
                  asset,
                  required: true,
                }}
              />
              {items.length > 1 && (
                <Button
                  type="text"
                  aria-label={t('Remove condition {{number}}', { number: index + 1 })}
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
              {t('Add condition')}
            </Button>
          </div>
        </>
      )}
    </Form.List>
  )
}
