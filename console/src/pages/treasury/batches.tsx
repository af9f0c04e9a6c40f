/**
 * Many withdrawals at once. Somebody enters payments and prepares them. The batch is then a record
 * that everybody finds: it is submitted unchanged within ten minutes, given up, or expires.
 */
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { useMay } from '../../api/query.ts'
import type { Column } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { useShortcut } from '../../parts/shortcuts.ts'
import { Status } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { NewBatch } from './batch-new.tsx'
import { BatchTransactions } from './batch-review.tsx'
import './treasury.css'

type Batch = RowOf<'/treasury/batches'>

const STATES = ['PREPARED', 'SUBMITTED', 'GIVEN_UP', 'EXPIRED'] as const
const NEW = 'new'
const PERMISSION = 'treasury.withdrawals.create'

const SUMS: Column<Batch> = {
  key: 'sums',
  title: 'Amount',
  width: 220,
  render: ({ sums }) => <Sums sums={sums} />,
  text: ({ sums }) => sums.map(({ quantity, asset }) => `${quantity} ${asset}`).join(', '),
}

export function Page(): ReactNode {
  return useParams()['id'] === NEW ? <NewBatch /> : <Batches />
}

function Batches(): ReactNode {
  return (
    <WorkList
      title="Batches"
      path="/treasury/batches"
      live={['batch']}
      columns={[
        { key: 'system_created_at', title: 'Prepared', kind: 'time' },
        { key: 'system_created_by', title: 'By', kind: 'user' },
        { key: 'state', title: 'State', kind: 'status' },
        SUMS,
        { key: 'payments', title: 'Payments', kind: 'number', width: 100 },
        { key: 'transactions', title: 'Transactions', kind: 'number', width: 110 },
        { key: 'submitted', title: 'Submitted', kind: 'number', width: 100 },
        { key: 'expires_at', title: 'Submit until', kind: 'time' },
        { key: 'id', title: 'Id', kind: 'id', extra: true },
      ]}
      filters={[{ name: 'state', label: 'State', kind: 'words', options: STATES, many: true }]}
      empty={{
        title: 'No batches yet',
        text: 'Use New batch to prepare many withdrawals at once.',
      }}
      actions={<NewButton />}
    />
  )
}

function NewButton(): ReactNode {
  const may = useMay(PERMISSION)
  const navigate = useNavigate()
  const open = (): void => {
    navigate(`/treasury/batches/${NEW}`)?.catch(() => undefined)
  }
  useShortcut('n', 'New batch', () => {
    if (may) open()
  })
  return (
    <Button
      size="small"
      type="primary"
      disabled={!may}
      title={may ? undefined : `Your roles do not have the permission ${PERMISSION}`}
      onClick={open}
    >
      New batch
    </Button>
  )
}

function Sums({ sums }: Pick<Batch, 'sums'>): ReactNode {
  return sums.map(({ asset, quantity }) => (
    <span key={asset} className="one-of-sums">
      <Amount value={quantity} asset={asset} />
    </span>
  ))
}

const giveUp: ActionPlan<'post', '/treasury/batches/{batch_id}/give-up', Batch> = {
  label: 'Give up',
  permission: PERMISSION,
  danger: true,
  why: ({ state }) => (state === 'PREPARED' ? undefined : WHY_NOT[state]),
  explain: ({ submitted }) =>
    submitted === 0
      ? 'Nothing of it is sent. What it holds on accounts can be used again at once.'
      : 'What was submitted goes on. The rest is not sent, and what it holds on accounts can be ' +
        'used again at once.',
  method: 'post',
  path: '/treasury/batches/{batch_id}/give-up',
  request: ({ id, version }) => ({ params: { batch_id: id }, body: { version } }),
  confirm: ({ sums, payments }) => [
    { label: 'Amount', value: <Sums sums={sums} /> },
    { label: 'Payments', value: payments },
  ],
  done: () => 'Given up',
}

const WHY_NOT: Readonly<Record<Exclude<Batch['state'], 'PREPARED'>, string>> = {
  SUBMITTED: 'All of it is submitted. Cancel its withdrawals',
  GIVEN_UP: 'It was given up',
  EXPIRED: 'Its ten minutes are over. It holds nothing any more',
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer<'/treasury/batches/{batch_id}'>
      what="Batch"
      path="/treasury/batches/{batch_id}"
      request={{ params: { batch_id: id } }}
      live={['batch', 'withdrawal']}
      title={(row) => (
        <>
          <Sums sums={row.sums} /> <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <>
          {row.state === 'PREPARED' ? (
            <Link to="#transactions" className="link-button">
              Review and submit
            </Link>
          ) : (
            <Link to={`/treasury/batches/${NEW}?from=${row.id}`} className="link-button">
              Prepare again
            </Link>
          )}
          <ActionButton plan={giveUp} row={row} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'state', title: 'State', kind: 'status' },
            SUMS,
            { key: 'payments', title: 'Payments', kind: 'number' },
            { key: 'transactions', title: 'Transactions', kind: 'number' },
            { key: 'submitted', title: 'Of them submitted', kind: 'number' },
            { key: 'expires_at', title: 'Submit until', kind: 'time' },
            { key: 'system_created_by', title: 'Prepared by', kind: 'user' },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        {
          key: 'transactions',
          label: 'Transactions',
          node: (row) => <BatchTransactions key={row.id} batch={row} />,
        },
      ]}
    />
  )
}
