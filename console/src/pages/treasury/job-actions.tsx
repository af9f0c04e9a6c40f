/** What can be done with a transfer job. Creating and editing share one form. */
import type { ActionPlan, Fact, Values } from '../../action/plan.ts'
import { client } from '../../api/session.ts'
import { Trans, t } from '../../language/index.ts'
import { inWords } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { JobForm } from './job-form.tsx'
import { conditionWords, everyWords, TYPE_WORDS } from './job-words.ts'
import type { Condition, Job, JobType } from './job-words.ts'
import type { Route } from './route-facts.tsx'

/** A fixed amount for a conditional job; for the others the least amount that is worth moving. */
function quantityOf({ condition_type, quantity, min_quantity }: Values) {
  if (condition_type === 'CONDITIONAL') return { quantity: String(quantity) }
  const least = String(min_quantity ?? '').trim()
  return least === '' ? {} : { min_quantity: least }
}

function bodyOf(values: Values) {
  const { route, condition_type, interval, speed_level, fee, target, conditions, active } = values
  return {
    route: String(route),
    condition_type: condition_type as JobType,
    interval: Number(interval) as Job['interval'],
    speed_level: speed_level as Job['speed_level'],
    active: active === true,
    ...(speed_level === 'CUSTOM' ? { fee: String(fee) } : {}),
    ...quantityOf(values),
    conditions:
      condition_type === 'CONDITIONAL' ? (conditions as Condition[]) : [{ target: String(target) }],
  }
}

const fieldOf = (path: string): string => path.replace(/^conditions\[0\]\.target$/, 'target')

async function factsOf(values: Values): Promise<Fact[]> {
  const body = bodyOf(values)
  const [route] = await client().get('/treasury/wallets/routes', { query: { id: body.route } })
  const asset = route?.from_wallet.asset
  const amount = 'quantity' in body ? body.quantity : undefined
  const least = 'min_quantity' in body ? body.min_quantity : undefined
  const conditional = body.condition_type === 'CONDITIONAL'
  return [
    { label: t('Route'), value: <Name of="route" id={body.route} /> },
    { label: t('Type'), value: TYPE_WORDS[body.condition_type] },
    ...(conditional
      ? [
          { label: t('Amount'), value: <Amount value={amount} asset={asset} /> },
          {
            label: t('When', { context: 'condition' }),
            value: conditionWords(body.conditions, asset ?? ''),
          },
        ]
      : [
          {
            label: t('Target'),
            value: <Amount value={body.conditions[0]?.target} asset={asset} />,
          },
        ]),
    ...(least === undefined
      ? []
      : [{ label: t('At least'), value: <Amount value={least} asset={asset} /> }]),
    {
      label: t('Interval'),
      value: everyWords(body.interval),
    },
    {
      label: t('Fee'),
      value: body.speed_level === 'CUSTOM' && 'fee' in body ? body.fee : inWords(body.speed_level),
    },
    { label: t('Starts'), value: body.active ? t('At once') : t('When activated') },
  ]
}

const createOn = (route: Route | undefined): ActionPlan<'post', '/treasury/jobs'> => ({
  label: route === undefined ? t('Create job') : t('Create job on this route'),
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
  confirm: (_row, values) => factsOf(values),
  fieldOf,
  done: ({ active }) =>
    active ? t('Job created. It runs now.') : t('Job created. It is not active.'),
})

export const createJob = createOn(undefined)
export const createJobOn = (route: Route): ActionPlan<'post', '/treasury/jobs'> => ({
  ...createOn(route),
  why: () =>
    route.from_wallet.access_type === 'EXTERNAL'
      ? t('Kontor cannot send from an external wallet')
      : undefined,
})

/** The fields of a job that a request may set; the rest of the answer is reported only. */
const settableFields = ({
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
  label: t('Change'),
  title: ({ route }) => (
    <Trans
      i18nKey="Change transfer job on <name/>"
      components={{ name: <Name of="route" id={route} /> }}
    />
  ),
  permission: 'treasury.jobs.write',
  form: () => <JobForm fixed={undefined} />,
  initial: (job) => ({
    ...settableFields(job),
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
  confirm: (_row, values) => factsOf(values),
  fieldOf,
  done: () => t('Job changed'),
}

export const activate: ActionPlan<'put', '/treasury/jobs', Job> = {
  label: t('Activate'),
  permission: 'treasury.jobs.write',
  why: ({ active }) => (active ? t('The job is already active') : undefined),
  explain: () => t('The job runs at once and then at its interval.'),
  method: 'put',
  path: '/treasury/jobs',
  request: (job) => ({ body: { ...settableFields(job), active: true } }),
  confirm: (job) =>
    factsOf({ ...settableFields(job), active: true, target: job.conditions[0]?.target }),
  done: () => t('Job activated. It runs now.'),
}

export const stop: ActionPlan<'put', '/treasury/jobs', Job> = {
  label: t('Stop', { context: 'verb' }),
  permission: 'treasury.jobs.write',
  why: ({ active }) => (active ? undefined : t('The job is not active')),
  explain: () =>
    t('The job does not run again until it is activated. Transfers in flight continue.'),
  method: 'put',
  path: '/treasury/jobs',
  request: (job) => ({ body: { ...settableFields(job), active: false } }),
  done: () => t('Job stopped'),
}
