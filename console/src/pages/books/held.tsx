/** What is held on an account, by what, and until when: why less is available than is booked. */
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { RecordLink } from '../../parts/links.tsx'
import { Failure } from '../../parts/states.tsx'

type Hold = DataOf<'get', '/accounts/{account_id}/holds'>[number]

const SHOWN = '100'

const WHY: Readonly<Record<Hold['cause_type'], string>> = {
  withdrawal: t('Withdrawal'),
  execution: t('Execution'),
  settlement: t('Execution, not settled yet'),
  book_transfer: t('Transfer between customers'),
  prepare: t('Prepared batch'),
}

const KIND_OF_RECORD: Readonly<Partial<Record<Hold['cause_type'], string>>> = {
  withdrawal: 'withdrawal',
  execution: 'execution',
  settlement: 'execution',
  book_transfer: 'book_transfer',
}

export function Held({ account_id }: { account_id: string }): ReactNode {
  const { data, error, refetch } = useGet('/accounts/{account_id}/holds', {
    params: { account_id },
    query: { limit: SHOWN },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined || data.length === 0) return null
  return (
    <>
      <h3>{t('Held now')}</h3>
      <Rows
        label={t('Held now')}
        rows={data}
        keyOf={(row) => row.id}
        columns={[
          { key: 'quantity', title: t('Amount'), kind: 'amount', asset: (row) => row.asset },
          { key: 'cause', title: t('By'), render: (row) => <Cause hold={row} /> },
          { key: 'created_at', title: t('Since'), kind: 'time' },
          { key: 'expires_at', title: t('Free again'), kind: 'time' },
        ]}
      />
    </>
  )
}

function Cause({ hold: { cause_type, cause_id } }: { hold: Hold }): ReactNode {
  if (cause_type === 'prepare') return <BatchOf request_id={cause_id} />
  const kind = KIND_OF_RECORD[cause_type]
  return (
    <RecordLink to={kind === undefined ? undefined : { kind, id: cause_id }}>
      {WHY[cause_type]}
    </RecordLink>
  )
}

/** A hold names the request, and the request its batch. */
function BatchOf({ request_id }: { request_id: string }): ReactNode {
  const { data } = useGet('/treasury/batches', { query: { request_id } })
  const batch = data?.[0]
  if (batch === undefined) return WHY.prepare
  return (
    <Link to={`/treasury/batches/${batch.id}`} className="record-link">
      {WHY.prepare}
    </Link>
  )
}
