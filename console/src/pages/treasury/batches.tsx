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
import { t } from '../../language/index.ts'
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
  title: t('Amount'),
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
      title={t('Batches')}
      path="/treasury/batches"
      live={['batch']}
      columns={[
        { key: 'system_created_at', title: t('Prepared'), kind: 'time' },
        { key: 'system_created_by', title: t('By'), kind: 'user' },
        { key: 'state', title: t('State'), kind: 'status' },
        SUMS,
        { key: 'payments', title: t('Payments'), kind: 'number', width: 100 },
        { key: 'transactions', title: t('Transactions'), kind: 'number', width: 110 },
        { key: 'submitted', title: t('Submitted'), kind: 'number', width: 100 },
        { key: 'expires_at', title: t('Submit until'), kind: 'time' },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[{ name: 'state', label: t('State'), kind: 'words', options: STATES, many: true }]}
      empty={{
        title: t('No batches yet'),
        text: t('Use New batch to prepare many withdrawals at once.'),
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
  useShortcut('n', t('New batch'), () => {
    if (may) open()
  })
  return (
    <Button
      size="small"
      type="primary"
      disabled={!may}
      title={
        may
          ? undefined
          : t('Your roles do not have the permission {{permission}}', { permission: PERMISSION })
      }
      onClick={open}
    >
      {t('New batch')}
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
  label: t('Give up'),
  permission: PERMISSION,
  danger: true,
  why: ({ state }) => (state === 'PREPARED' ? undefined : WHY_NOT[state]),
  explain: ({ submitted }) =>
    submitted === 0
      ? t('Nothing of it is sent. What it holds on accounts can be used again at once.')
      : t(
          'What was submitted goes on. The rest is not sent, and what it holds on ' +
            'accounts can be used again at once.',
        ),
  method: 'post',
  path: '/treasury/batches/{batch_id}/give-up',
  request: ({ id, version }) => ({ params: { batch_id: id }, body: { version } }),
  confirm: ({ sums, payments }) => [
    { label: t('Amount'), value: <Sums sums={sums} /> },
    { label: t('Payments'), value: payments },
  ],
  done: () => t('Given up'),
}

const WHY_NOT: Readonly<Record<Exclude<Batch['state'], 'PREPARED'>, string>> = {
  SUBMITTED: t('All of it is submitted. Cancel its withdrawals'),
  GIVEN_UP: t('It was given up'),
  EXPIRED: t('Its ten minutes are over. It holds nothing any more'),
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer<'/treasury/batches/{batch_id}'>
      what={t('Batch')}
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
              {t('Review and submit')}
            </Link>
          ) : (
            <Link to={`/treasury/batches/${NEW}?from=${row.id}`} className="link-button">
              {t('Prepare again')}
            </Link>
          )}
          <ActionButton plan={giveUp} row={row} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'state', title: t('State'), kind: 'status' },
            SUMS,
            { key: 'payments', title: t('Payments'), kind: 'number' },
            { key: 'transactions', title: t('Transactions'), kind: 'number' },
            { key: 'submitted', title: t('Of them submitted'), kind: 'number' },
            { key: 'expires_at', title: t('Submit until'), kind: 'time' },
            { key: 'system_created_by', title: t('Prepared by'), kind: 'user' },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        {
          key: 'transactions',
          label: t('Transactions'),
          node: (row) => <BatchTransactions key={row.id} batch={row} />,
        },
      ]}
    />
  )
}
