/** Webhooks: where events go, whether they arrive, and what to do when they do not. */
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section } from '../../record/record.tsx'
import {
  change,
  create,
  pause,
  redeliverRange,
  remove,
  resume,
  rotate,
  sendTest,
} from './webhook-actions.tsx'
import type { Webhook } from './webhook-actions.tsx'
import { Deliveries, Secrets } from './webhook-tabs.tsx'

const EVERY_MILLISECONDS = 10_000
const typesOf = ({ types }: Webhook): string =>
  types.length === 0 ? t('all that the owner may read') : types.join(', ')

const SECTIONS: readonly Section<Webhook>[] = [
  {
    fields: [
      { key: 'label', title: t('Name') },
      { key: 'url', title: t('Address') },
      { key: 'state', title: t('State'), kind: 'status' },
      { key: 'pause_cause', title: t('Paused because'), value: causeOf },
      { key: 'pause_reason', title: t('Reason'), kind: 'said' },
      { key: 'paused_at', title: t('Paused'), kind: 'time' },
      { key: 'types', title: t('Events'), value: typesOf },
      { key: 'ordered', title: t('In order per record'), kind: 'flag' },
      { key: 'owner_id', title: t('Owner'), kind: 'user' },
    ],
  },
  COMMON_FIELDS,
]

function causeOf({ pause_cause }: Webhook): string | null {
  return pause_cause === null ? null : inWords(pause_cause)
}

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Webhooks')}
      path="/webhooks"
      every={EVERY_MILLISECONDS}
      columns={[
        { key: 'label', title: t('Name'), width: 180 },
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        { key: 'url', title: t('Address'), width: 300 },
        { key: 'types', title: t('Events'), value: typesOf, width: 240 },
        { key: 'pause_reason', title: t('Why paused'), kind: 'said', width: 260 },
        { key: 'owner_id', title: t('Owner'), kind: 'user', width: 160 },
      ]}
      sections={SECTIONS}
      filters={[
        {
          name: 'state',
          label: t('State'),
          kind: 'words',
          options: ['ACTIVE', 'PAUSED', 'DELETED'],
          many: true,
        },
        {
          name: 'pause_cause',
          label: t('Paused because'),
          kind: 'words',
          options: ['BY_HAND', 'FAILING', 'GONE', 'OWNER', 'SECRET'],
          many: true,
        },
      ]}
      empty={{
        title: t('No webhooks yet'),
        text: t('A webhook posts events to an address of yours, signed.'),
      }}
      actions={<ActionButton plan={create} row={undefined} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Webhook')}
      path="/webhooks/{webhook_id}"
      request={{ params: { webhook_id: id } }}
      timeline={false}
      title={(row) => (
        <>
          {row.label} <Status state={row.state} />
        </>
      )}
      actions={(row) =>
        row.state === 'DELETED' ? null : (
          <>
            <ActionButton plan={change} row={row} />
            <ActionButton plan={sendTest} row={row} />
            <ActionButton plan={row.state === 'PAUSED' ? resume : pause} row={row} />
            <ActionButton plan={redeliverRange} row={row} />
            <ActionButton plan={rotate} row={row} />
            <ActionButton plan={remove} row={row} />
          </>
        )
      }
      sections={SECTIONS}
      tabs={[
        { key: 'deliveries', label: t('Deliveries'), node: (row) => <Deliveries webhook={row} /> },
        { key: 'secrets', label: t('Secret'), node: (row) => <Secrets webhook={row} /> },
      ]}
    />
  )
}
