import { useMutation } from '@tanstack/react-query'
import { Alert, Button } from 'antd'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useAll } from '../../api/all.ts'
import { useGet, useMay } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { activate, changeJob, createJob, intervalWords, jobWords, stop } from './job-form.tsx'
import type { Job } from './job-form.tsx'

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
      path="/treasury/jobs"
      live={['job']}
      columns={[
        { key: 'route', title: 'Over', kind: 'route' },
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
          title: 'Because',
          value: (row) =>
            row.last_run?.reason === null || row.last_run === null
              ? null
              : inWords(row.last_run.reason),
          width: 135,
        },
        { key: 'ran', title: 'Ran', kind: 'time', value: (row) => row.last_run?.finished_at },
        { key: 'next_run_at', title: 'Next', kind: 'time' },
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
        text: 'A job moves balances over a route by itself: sweeps, fills up, or moves an amount under conditions. Create the first one.',
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
            { key: 'route', title: 'Over', kind: 'route' },
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
            { key: 'state', title: 'Ended', kind: 'status', value: (row) => row.last_run?.state },
            { key: 'ran', title: 'At', kind: 'time', value: (row) => row.last_run?.finished_at },
            { key: 'explanation', title: 'Why', value: (row) => row.last_run?.explanation },
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
        <Empty title="It has not run yet">
          It runs when it is activated. Dry run tells what it would do now.
        </Empty>
      }
      open={(row) => {
        if (row.withdrawal_id !== null)
          navigate(`/treasury/withdrawals/${row.withdrawal_id}`)?.catch(() => undefined)
      }}
      columns={[
        { key: 'started_at', title: 'When', kind: 'time' },
        { key: 'state', title: 'Ended', kind: 'status', width: 105 },
        { key: 'quantity', title: 'Amount', kind: 'amount', asset: (row) => row.asset, width: 120 },
        {
          key: 'explanation',
          title: 'Why',
          width: 250,
          render: (row) => <span className="wrap">{row.explanation}</span>,
        },
        { key: 'withdrawal_id', title: 'Withdrawal', kind: 'id' },
      ]}
    />
  )
}

/** What a run would do now; nothing is sent. */
function DryRun({ job }: { job: Job }): ReactNode {
  const may = useMay('treasury.jobs.read')
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      client().post('/treasury/jobs/{job_id}/dry-run', { params: { job_id: job.id } }),
  })
  return (
    <div className="try">
      <p>The venues are asked as a run does. Nothing is sent.</p>
      <Button
        size="small"
        type="primary"
        disabled={!may}
        loading={isPending}
        onClick={() => {
          mutate()
        }}
      >
        {data === undefined ? 'What would it do now?' : 'Ask again'}
      </Button>
      {error !== null && <Failure error={error} again={mutate} />}
      {data !== undefined && (
        <dl className="facts" aria-label="Dry run">
          <div>
            <dt>It would end as</dt>
            <dd>
              <Status state={data.state} /> {data.reason !== null && inWords(data.reason)}
            </dd>
          </div>
          <div>
            <dt>Why</dt>
            <dd>{data.explanation}</dd>
          </div>
          <div>
            <dt>Amount</dt>
            <dd>
              <Amount value={data.quantity} asset={data.asset} />
            </dd>
          </div>
          <div>
            <dt>Free at the source</dt>
            <dd>
              <Amount value={data.balance_from} asset={data.asset} />
            </dd>
          </div>
          <div>
            <dt>Own, not seen there yet</dt>
            <dd>
              <Amount value={data.reserved} asset={data.asset} />
            </dd>
          </div>
          <div>
            <dt>At the destination</dt>
            <dd>
              <Amount value={data.balance_to} asset={data.asset} />
            </dd>
          </div>
          <div>
            <dt>On the way there</dt>
            <dd>
              <Amount value={data.in_flight} asset={data.asset} />
            </dd>
          </div>
          <div>
            <dt>Fee expected</dt>
            <dd>
              <Amount value={data.fee_estimate} asset={data.fee_asset} />
            </dd>
          </div>
        </dl>
      )}
    </div>
  )
}
