import type { DataOf } from '@kontor/client'
import { useMutation } from '@tanstack/react-query'
import { Alert, Button } from 'antd'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { Fact } from '../../action/plan.ts'
import { useAll } from '../../api/all.ts'
import { useGet, useMay } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { whyWords } from '../../parts/record-words.ts'
import { told } from '../../parts/refusal-words.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { activate, changeJob, createJob, stop } from './job-actions.tsx'
import { intervalWords, jobWords } from './job-words.ts'
import type { Job } from './job-words.ts'

function useAssetOf(): (job: Job) => string {
  const routes = useAll('/treasury/wallets/routes')
  const assets = new Map(routes?.map((route) => [route.id, route.from_wallet.asset]))
  return (job) => assets.get(job.route) ?? job.last_run?.asset ?? ''
}

const STATES = {
  name: 'state',
  label: t('State'),
  kind: 'words',
  options: ['ACTIVE', 'INACTIVE'],
} as const

const NONE = {
  title: t('No transfer jobs yet'),
  text: t('A job moves money over a route automatically. Create the first one.'),
}

export function Page(): ReactNode {
  const assetOf = useAssetOf()
  return (
    <WorkList
      title={t('Transfer jobs')}
      help="transit"
      path="/treasury/jobs"
      live={['job']}
      columns={[
        { key: 'route', title: t('Route'), kind: 'route' },
        {
          key: 'active',
          title: t('State'),
          value: (row) => (row.active ? 'ACTIVE' : 'INACTIVE'),
          kind: 'status',
          width: 88,
        },
        {
          key: 'moves',
          title: t('Moves'),
          value: (row) => jobWords(row, assetOf(row)),
          width: 325,
        },
        {
          key: 'interval',
          title: t('Every'),
          value: (row) => row.interval,
          text: (row) => intervalWords(row.interval),
          render: (row) => intervalWords(row.interval),
          width: 95,
        },
        {
          key: 'last',
          title: t('Last run'),
          kind: 'status',
          value: (row) => row.last_run?.state,
          width: 95,
        },
        {
          key: 'reason',
          title: t('Reason'),
          value: (row) =>
            row.last_run?.reason === null || row.last_run === null
              ? null
              : inWords(row.last_run.reason),
          width: 135,
        },
        {
          key: 'ran',
          title: t('Finished'),
          kind: 'time',
          value: (row) => row.last_run?.finished_at,
        },
        { key: 'next_run_at', title: t('Next run'), kind: 'time' },
        {
          key: 'warnings',
          title: t('Warnings'),
          kind: 'number',
          value: (row) => row.warnings.length,
          width: 95,
        },
        { key: 'speed_level', title: t('Speed'), extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[STATES]}
      empty={NONE}
      actions={<ActionButton plan={createJob} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  const assetOf = useAssetOf()
  return (
    <RecordDrawer
      what={t('Job')}
      path="/treasury/jobs"
      request={{ query: { id } }}
      pick={(data) => data[0]}
      live={['job']}
      title={(row: Job) => (
        <>
          <Name of="route" id={row.route} /> <Status state={row.active ? 'ACTIVE' : 'INACTIVE'} />
        </>
      )}
      actions={(row) => (
        <>
          <ActionButton plan={activate} row={row} />
          <ActionButton plan={stop} row={row} />
          <ActionButton plan={changeJob} row={row} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'moves', title: t('Moves'), value: (row) => jobWords(row, assetOf(row)) },
            { key: 'route', title: t('Route'), kind: 'route' },
            { key: 'interval', title: t('Every'), value: (row) => intervalWords(row.interval) },
            { key: 'next_run_at', title: t('Next run'), kind: 'time' },
            {
              key: 'speed_level',
              title: t('Speed'),
              value: (row) =>
                row.fee === null ? inWords(row.speed_level) : t('Fee of {{fee}}', { fee: row.fee }),
            },
            { key: 'warnings', title: t('Warnings'), render: warningsOf },
          ],
        },
        {
          title: t('Last run'),
          fields: [
            {
              key: 'state',
              title: t('Result'),
              kind: 'status',
              value: (row) => row.last_run?.state,
            },
            {
              key: 'ran',
              title: t('Ended'),
              kind: 'time',
              value: (row) => row.last_run?.finished_at,
            },
            {
              key: 'explanation',
              title: t('Explanation'),
              value: (row) => whyWords(row.last_run?.explanation ?? ''),
            },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        { key: 'runs', label: t('Runs'), node: (row) => <Runs job={row} /> },
        { key: 'try', label: t('Dry run'), node: (row) => <DryRun job={row} /> },
      ]}
    />
  )
}

const warningsOf = ({ warnings }: Job): ReactNode =>
  warnings.length === 0
    ? t('None')
    : warnings.map(({ code, message }) => <Alert key={code} type="warning" title={told(message)} />)

function Runs({ job }: { job: Job }): ReactNode {
  const navigate = useNavigate()
  const { data, error, refetch } = useGet('/treasury/jobs/{job_id}/runs', {
    params: { job_id: job.id },
    query: { limit: '200' },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <Rows
      label={t('Runs')}
      rows={data}
      keyOf={(row) => row.id}
      empty={
        <Empty title={t('No runs yet')}>
          {t('The job runs when it is activated. Use Dry run to see what it would do now.')}
        </Empty>
      }
      open={(row) => {
        if (row.withdrawal_id !== null)
          navigate(`/treasury/withdrawals/${row.withdrawal_id}`)?.catch(() => undefined)
      }}
      columns={[
        { key: 'started_at', title: t('Started'), kind: 'time' },
        { key: 'state', title: t('Result'), kind: 'status', width: 105 },
        {
          key: 'quantity',
          title: t('Amount'),
          kind: 'amount',
          asset: (row) => row.asset,
          width: 120,
        },
        {
          key: 'explanation',
          title: t('Explanation'),
          width: 250,
          render: (row) => <span className="wrap">{whyWords(row.explanation)}</span>,
        },
        { key: 'withdrawal_id', title: t('Withdrawal'), kind: 'id' },
      ]}
    />
  )
}

type Simulation = DataOf<'post', '/treasury/jobs/{job_id}/dry-run'>

/** What a run would do now; nothing is sent. */
function DryRun({ job }: { job: Job }): ReactNode {
  const may = useMay('treasury.jobs.read')
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      client().post('/treasury/jobs/{job_id}/dry-run', { params: { job_id: job.id } }),
  })
  return (
    <div className="try">
      <p>{t('A dry run asks the venues like a real run. It sends nothing.')}</p>
      <Button
        size="small"
        type="primary"
        disabled={!may}
        loading={isPending}
        onClick={() => {
          mutate()
        }}
      >
        {data === undefined ? t('Start dry run') : t('Repeat dry run')}
      </Button>
      {error !== null && <Failure error={error} again={mutate} />}
      {data !== undefined && (
        <dl className="facts" aria-label={t('Dry run')}>
          {factsOf(data).map(({ label, value }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

function factsOf(run: Simulation): Fact[] {
  const amount = (quantity: string | null): ReactNode => (
    <Amount value={quantity} asset={run.asset} />
  )
  return [
    {
      label: t('Result'),
      value: (
        <>
          <Status state={run.state} /> {run.reason !== null && inWords(run.reason)}
        </>
      ),
    },
    { label: t('Explanation'), value: whyWords(run.explanation) },
    { label: t('Amount'), value: amount(run.quantity) },
    { label: t('Free at the source'), value: amount(run.balance_from) },
    { label: t('In flight from the source'), value: amount(run.reserved) },
    { label: t('At the destination'), value: amount(run.balance_to) },
    { label: t('In flight to the destination'), value: amount(run.in_flight) },
    { label: t('Expected fee'), value: <Amount value={run.fee_estimate} asset={run.fee_asset} /> },
  ]
}
