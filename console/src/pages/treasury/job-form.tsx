/** Transfer jobs: what moves over a route by itself, under which conditions, and how often. */
import { MinusCircleOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Form } from 'antd'
import type { ReactNode } from 'react'
import type { ActionPlan, Values } from '../../action/action.tsx'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { inWords } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import type { Route } from './withdraw.tsx'
import './treasury.css'

export type Job = RowOf<'/treasury/jobs'>
type Condition = Job['conditions'][number]
type Type = Job['condition_type']

const TYPES = {
  SWEEPING: 'Sweep: what the source has above a target',
  PROVISION: 'Provide: fill the destination up to a target',
  CONDITIONAL: 'A fixed amount when conditions hold',
} as const satisfies Record<Type, string>
const INTERVALS = [15, 30, 60, 240, 720, 1440] as const
const LEVELS = ['DEFAULT', 'FAST', 'SLOW', 'CUSTOM'] as const

/** Of minutes: `4 hours`. */
export const intervalWords = (minutes: number): string =>
  minutes < 60
    ? `${minutes} minutes`
    : minutes === 60
      ? 'hour'
      : minutes === 1440
        ? 'day'
        : `${minutes / 60} hours`

function conditionWords({ balance_side, predicate, quantity }: Condition, asset: string): string {
  return `the ${balance_side === 'to' ? 'destination' : 'source'} holds ${predicate === 'LT' ? 'less' : 'more'} than ${quantity ?? '0'} ${asset}`
}

/** What it does, in one line. */
export function jobWords(
  { condition_type, conditions, quantity, min_quantity }: Job,
  asset: string,
): string {
  const least = min_quantity === null ? '' : `, at least ${min_quantity} ${asset}`
  switch (condition_type) {
    case 'SWEEPING':
      return `All above ${conditions[0]?.target ?? '0'} ${asset} at the source${least}`
    case 'PROVISION':
      return `Fill the destination up to ${conditions[0]?.target ?? '0'} ${asset}${least}`
    case 'CONDITIONAL':
      return `${quantity ?? '0'} ${asset} when ${conditions.map((condition) => conditionWords(condition, asset)).join(' and ')}`
  }
}

const word = (value: unknown): string | undefined => {
  const trimmed = String(value ?? '').trim()
  return trimmed === '' ? undefined : trimmed
}

function bodyOf({
  route,
  condition_type,
  interval,
  speed_level,
  fee,
  target,
  min_quantity,
  quantity,
  conditions,
  active,
}: Values) {
  const conditional = condition_type === 'CONDITIONAL'
  const least = word(min_quantity)
  return {
    route: String(route),
    condition_type: condition_type as Type,
    interval: Number(interval) as Job['interval'],
    speed_level: speed_level as Job['speed_level'],
    active: active === true,
    ...(speed_level === 'CUSTOM' ? { fee: String(fee) } : {}),
    ...(conditional
      ? { quantity: String(quantity) }
      : least === undefined
        ? {}
        : { min_quantity: least }),
    conditions: conditional ? (conditions as Condition[]) : [{ target: String(target) }],
  }
}

const fieldOf = (path: string): string => path.replace(/^conditions\[0\]\.target$/, 'target')

const facts = (values: Values) => {
  const body = bodyOf(values)
  return [
    { label: 'Over', value: <Name of="route" id={body.route} /> },
    { label: 'Moves', value: TYPES[body.condition_type] },
    ...(body.condition_type === 'CONDITIONAL'
      ? [
          {
            label: 'Amount',
            value: <Amount value={'quantity' in body ? body.quantity : undefined} />,
          },
          {
            label: 'When',
            value: body.conditions.map((condition) => conditionWords(condition, '')).join(' and '),
          },
        ]
      : [
          { label: 'Target', value: <Amount value={body.conditions[0]?.target} /> },
          ...('min_quantity' in body
            ? [{ label: 'At least', value: <Amount value={body.min_quantity} /> }]
            : []),
        ]),
    { label: 'How often', value: `Every ${intervalWords(body.interval)}` },
    {
      label: 'Fee',
      value: body.speed_level === 'CUSTOM' && 'fee' in body ? body.fee : inWords(body.speed_level),
    },
    { label: 'Starts', value: body.active ? 'At once' : 'When it is activated' },
  ]
}

const creating = (route: Route | undefined): ActionPlan<'post', '/treasury/jobs'> => ({
  label: route === undefined ? 'New job' : 'New job on it',
  permission: 'treasury.jobs.write',
  form: () => <JobForm fixed={route} />,
  initial: () => ({
    condition_type: 'SWEEPING',
    interval: '60',
    speed_level: 'DEFAULT',
    active: false,
    conditions: [{ balance_side: 'from', predicate: 'GT' }],
    ...(route === undefined ? {} : { route: route.id }),
  }),
  width: 600,
  method: 'post',
  path: '/treasury/jobs',
  request: (_row, values) => ({ body: bodyOf(values) }),
  confirm: (_row, values) => facts(values),
  fieldOf,
  done: ({ active }) => (active ? 'Job created; it runs now' : 'Job created; it is not active'),
})

export const createJob = creating(undefined)
export const createJobOn = (route: Route): ActionPlan<'post', '/treasury/jobs'> => ({
  ...creating(route),
  why: () =>
    route.from_wallet.access_type === 'EXTERNAL'
      ? 'Nothing can be sent from an external wallet'
      : undefined,
})

/** As the API takes the job back: what it answers, without what it tells. */
const kept = ({
  id,
  version,
  route,
  condition_type,
  active,
  interval,
  speed_level,
  fee,
  min_quantity,
  quantity,
  conditions,
}: Job) => ({
  id,
  version,
  route,
  condition_type,
  active,
  interval,
  speed_level,
  conditions,
  ...(fee === null ? {} : { fee }),
  ...(min_quantity === null ? {} : { min_quantity }),
  ...(quantity === null ? {} : { quantity }),
})

export const changeJob: ActionPlan<'put', '/treasury/jobs', Job> = {
  label: 'Edit',
  permission: 'treasury.jobs.write',
  form: () => <JobForm fixed={undefined} />,
  initial: (job) => ({
    ...kept(job),
    interval: String(job.interval),
    ...(job.condition_type === 'CONDITIONAL'
      ? {}
      : {
          target: job.conditions[0]?.target,
          conditions: [{ balance_side: 'from', predicate: 'GT' }],
        }),
  }),
  width: 600,
  method: 'put',
  path: '/treasury/jobs',
  request: ({ id, version }, values) => ({ body: { id, version, ...bodyOf(values) } }),
  confirm: (_row, values) => facts(values),
  fieldOf,
  done: () => 'Job changed',
}

export const activate: ActionPlan<'put', '/treasury/jobs', Job> = {
  label: 'Activate',
  permission: 'treasury.jobs.write',
  why: ({ active }) => (active ? 'It is active' : undefined),
  explain: () => 'It runs at once, and then by its interval.',
  method: 'put',
  path: '/treasury/jobs',
  request: (job) => ({ body: { ...kept(job), active: true } }),
  confirm: (job) => facts({ ...kept(job), active: true, target: job.conditions[0]?.target }),
  done: () => 'Activated; it runs now',
}

export const stop: ActionPlan<'put', '/treasury/jobs', Job> = {
  label: 'Stop',
  permission: 'treasury.jobs.write',
  why: ({ active }) => (active ? undefined : 'It is not active'),
  explain: () => 'It runs no more until it is activated. What a run has sent goes its way.',
  method: 'put',
  path: '/treasury/jobs',
  request: (job) => ({ body: { ...kept(job), active: false } }),
  done: () => 'Stopped',
}

function JobForm({ fixed }: { fixed: Route | undefined }): ReactNode {
  const form = Form.useFormInstance()
  const routes = useAll('/treasury/wallets/routes') ?? []
  const type = (Form.useWatch('condition_type', form) as Type | undefined) ?? 'SWEEPING'
  const route_id = Form.useWatch('route', form) as string | undefined
  const level = Form.useWatch('speed_level', form) as string | undefined
  const route = fixed ?? routes.find((route) => route.id === route_id)
  const asset = route?.from_wallet.asset
  const sends = new Set(
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
          only: (id) => sends.has(id),
          help:
            route === undefined
              ? undefined
              : `${route.from_wallet.label} → ${route.to_wallet.label}`,
        }}
      />
      <InputItem
        field={{
          name: 'condition_type',
          label: 'What it moves',
          kind: 'words',
          options: Object.entries(TYPES).map(([value, label]) => ({ value, label })),
          required: true,
        }}
      />
      {type !== 'CONDITIONAL' && (
        <InputItem
          field={{
            name: 'target',
            label: type === 'SWEEPING' ? 'Stays at the source' : 'The destination shall have',
            kind: 'amount',
            zero: true,
            asset,
            required: true,
          }}
        />
      )}
      {type !== 'CONDITIONAL' && (
        <InputItem
          field={{
            name: 'min_quantity',
            label: 'Moves at least',
            kind: 'amount',
            zero: true,
            asset,
            help: 'Less is not moved',
          }}
        />
      )}
      {type === 'CONDITIONAL' && (
        <InputItem
          field={{ name: 'quantity', label: 'Amount', kind: 'amount', asset, required: true }}
        />
      )}
      {type === 'CONDITIONAL' && <Conditions asset={asset} />}
      <InputItem
        field={{
          name: 'interval',
          label: 'How often',
          kind: 'words',
          options: INTERVALS.map((value) => ({
            value: String(value),
            label: `Every ${intervalWords(value)}`,
          })),
          required: true,
        }}
      />
      <InputItem
        field={{
          name: 'speed_level',
          label: 'Speed',
          kind: 'words',
          options: LEVELS.map((level) => ({
            value: level,
            label: level === 'CUSTOM' ? 'A fee of your own' : inWords(level),
          })),
          required: true,
        }}
      />
      {level === 'CUSTOM' && (
        <InputItem
          field={{ name: 'fee', label: 'Fee', kind: 'amount', zero: true, required: true }}
        />
      )}
      <InputItem field={{ name: 'active', label: 'Active at once', kind: 'flag' }} />
    </>
  )
}

const SIDES = [
  { value: 'from', label: 'The source' },
  { value: 'to', label: 'The destination' },
]
const PREDICATES = [
  { value: 'GT', label: 'has more than' },
  { value: 'LT', label: 'has less than' },
]

/** All of them must hold. */
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
                  label: 'Is',
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
              Another condition
            </Button>
          </div>
        </>
      )}
    </Form.List>
  )
}
