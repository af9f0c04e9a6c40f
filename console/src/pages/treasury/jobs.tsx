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
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
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

export function Page(): ReactNode {
  const assetOf = useAssetOf()
  return (
    <WorkList
      title="Transfer jobs"
      help="transit"
      path="/treasury/jobs"
      live={['job']}
      columns={[
        { key: 'route', title: 'Route', kind: 'route' },
        {
          key: 'active',
          title: 'State',
          value: (row) => (row.active ? 'ACTIVE' : 'INACTIVE'),
          kind: 'status',
          width: 88,
        },
        { key: 'moves', title: 'Moves', value: (row) => jobWords(row, assetOf(row)), width: 325 },
        {
          key: 'interval',
          title: 'Every',
          value: (row) => row.interval,
          text: (row) => intervalWords(row.interval),
          render: (row) => intervalWords(row.interval),
          width: 95,
        },
        {
          key: 'last',
          title: 'Last run',
          kind: 'status',
          value: (row) => row.last_run?.state,
          width: 95,
        },
        {
          key: 'reason',
          title: 'Reason',
          value: (row) =>
            row.last_run?.reason === null || row.last_run === null
              ? null
              : inWords(row.last_run.reason),
          width: 135,
        },
        { key: 'ran', title: 'Finished', kind: 'time', value: (row) => row.last_run?.finished_at },
        { key: 'next_run_at', title: 'Next run', kind: 'time' },
        {
          key: 'warnings',
          title: 'Warnings',
          kind: 'number',
          value: (row) => row.warnings.length,
          width: 95,
        },
        { key: 'speed_level', title: 'Speed', extra: true },
        { key: 'id', title: 'Id', kind: 'id', extra: true },
      ]}
      filters={[{ name: 'state', label: 'State', kind: 'words', options: ['ACTIVE', 'INACTIVE'] }]}
      empty={{
        title: 'No transfer jobs yet',
        text: 'A job moves money over a route automatically. Create the first one.',
      }}
      actions={<ActionButton plan={createJob} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  const assetOf = useAssetOf()
  return (
    <RecordDrawer
      what="Job"
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
            { key: 'moves', title: 'Moves', value: (row) => jobWords(row, assetOf(row)) },
            { key: 'route', title: 'Route', kind: 'route' },
            { key: 'interval', title: 'Every', value: (row) => intervalWords(row.interval) },
            { key: 'next_run_at', title: 'Next run', kind: 'time' },
            {
              key: 'speed_level',
              title: 'Speed',
              value: (row) => (row.fee === null ? inWords(row.speed_level) : `Fee of ${row.fee}`),
            },
            {
              key: 'warnings',
              title: 'Warnings',
              render: (row) =>
                row.warnings.length === 0 ? (
                  'None'
                ) : (
                  <>
                    {row.warnings.map((warning) => (
                      <Alert key={warning.code} type="warning" title={warning.message} />
                    ))}
                  </>
                ),
            },
          ],
        },
        {
          title: 'Last run',
          fields: [
            { key: 'state', title: 'Result', kind: 'status', value: (row) => row.last_run?.state },
            { key: 'ran', title: 'Ended', kind: 'time', value: (row) => row.last_run?.finished_at },
            { key: 'explanation', title: 'Explanation', value: (row) => row.last_run?.explanation },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        { key: 'runs', label: 'Runs', node: (row) => <Runs job={row} /> },
        { key: 'try', label: 'Dry run', node: (row) => <DryRun job={row} /> },
      ]}
    />
  )
}

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
      label="Runs"
      rows={data}
      keyOf={(row) => row.id}
      empty={
        <Empty title="No runs yet">
          The job runs when it is activated. Use Dry run to see what it would do now.
        </Empty>
      }
      open={(row) => {
        if (row.withdrawal_id !== null)
          navigate(`/treasury/withdrawals/${row.withdrawal_id}`)?.catch(() => undefined)
      }}
      columns={[
        { key: 'started_at', title: 'Started', kind: 'time' },
        { key: 'state', title: 'Result', kind: 'status', width: 105 },
        { key: 'quantity', title: 'Amount', kind: 'amount', asset: (row) => row.asset, width: 120 },
        {
          key: 'explanation',
          title: 'Explanation',
          width: 250,
          render: (row) => <span className="wrap">{row.explanation}</span>,
        },
        { key: 'withdrawal_id', title: 'Withdrawal', kind: 'id' },
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
      <p>A dry run asks the venues like a real run. It sends nothing.</p>
      <Button
        size="small"
        type="primary"
        disabled={!may}
        loading={isPending}
        onClick={() => {
          mutate()
        }}
      >
        {data === undefined ? 'Start dry run' : 'Repeat dry run'}
      </Button>
      {error !== null && <Failure error={error} again={mutate} />}
      {data !== undefined && (
        <dl className="facts" aria-label="Dry run">
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
      label: 'Result',
      value: (
        <>
          <Status state={run.state} /> {run.reason !== null && inWords(run.reason)}
        </>
      ),
    },
    { label: 'Explanation', value: run.explanation },
    { label: 'Amount', value: amount(run.quantity) },
    { label: 'Free at the source', value: amount(run.balance_from) },
    { label: 'In flight from the source', value: amount(run.reserved) },
    { label: 'At the destination', value: amount(run.balance_to) },
    { label: 'In flight to the destination', value: amount(run.in_flight) },
    { label: 'Expected fee', value: <Amount value={run.fee_estimate} asset={run.fee_asset} /> },
  ]
}
