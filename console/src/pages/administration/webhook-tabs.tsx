/** The tabs of a webhook: its deliveries and its secrets. */
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useGet, useMay } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Time } from '../../parts/values.tsx'
import { eventWords } from '../../record/timeline.tsx'
import type { Webhook } from './webhook-actions.tsx'

const EVERY_MILLISECONDS = 5_000

export function Deliveries({ webhook }: { webhook: Webhook }): ReactNode {
  const navigate = useNavigate()
  const { data, error, refetch } = useGet(
    '/webhook-deliveries',
    { query: { webhook_id: webhook.id, limit: '200' } },
    { every: EVERY_MILLISECONDS },
  )
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <Rows
      label={t('Deliveries')}
      rows={data}
      keyOf={(row) => row.id}
      empty={
        <Empty title={t('Nothing was delivered yet')}>
          {t('Send a test to try the receiver.')}
        </Empty>
      }
      open={(row) => {
        navigate(`/administration/webhook-deliveries/${row.id}`)?.catch(() => undefined)
      }}
      columns={[
        { key: 'system_created_at', title: t('Made'), kind: 'time' },
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        {
          key: 'event_type',
          title: t('Event'),
          value: (row) => eventWords(row.event_type),
          width: 190,
        },
        { key: 'attempts', title: t('Attempts'), kind: 'number' },
        { key: 'status', title: t('Answer'), kind: 'number' },
        { key: 'reason', title: t('Why not delivered'), kind: 'said', width: 220 },
      ]}
    />
  )
}

/** Shown to those alone who may change it. */
export function Secrets({ webhook }: { webhook: Webhook }): ReactNode {
  const mayRead = useMay('webhooks.write')
  return mayRead ? (
    <ShownSecrets webhook={webhook} />
  ) : (
    <Empty title={t('Not for you')}>{t('Whoever may change webhooks sees their secrets.')}</Empty>
  )
}

function ShownSecrets({ webhook }: { webhook: Webhook }): ReactNode {
  const { data, error, refetch } = useGet('/webhooks/{webhook_id}/secrets', {
    params: { webhook_id: webhook.id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  if (data.length === 0)
    return (
      <Empty title={t('No secret')}>{t('It cannot be opened any more: make a new one.')}</Empty>
    )
  return (
    <dl aria-label={t('Secrets')}>
      {data.map(({ secret, until }) => (
        <div key={secret}>
          <dt>
            {until === null ? t('Signs now') : t('Signs until ')}
            {until !== null && <Time at={until} />}
          </dt>
          <dd>
            <code>{secret}</code>
          </dd>
        </div>
      ))}
    </dl>
  )
}
