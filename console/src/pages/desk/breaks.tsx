import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { Trans, t } from '../../language/index.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'

type Break = RowOf<'/desk/breaks'>

const EVERYTHING = { query: { limit: '5000' } }

const close: ActionPlan<'post', '/desk/breaks/{break_id}/close', Break> = {
  label: t('Close with a note'),
  permission: 'breaks.close',
  why: ({ state }) => (state === 'OPEN' ? undefined : t('The break is already closed')),
  explain: (row) => (
    <Trans
      i18nKey={
        row.wallet === null
          ? 'The difference of <amount/> at <venue/> is accepted and opens no new break. A ' +
            'different difference does.'
          : 'The difference of <amount/> at <venue/>, wallet {{wallet}}, is accepted and ' +
            'opens no new break. A different difference does.'
      }
      components={{
        amount: <Amount value={row.difference} asset={row.asset} />,
        venue: <Name of="venue" id={row.venue_id} />,
      }}
      values={{ wallet: row.wallet }}
    />
  ),
  fields: [{ name: 'note', label: t('Note'), kind: 'lines', required: true }],
  method: 'post',
  path: '/desk/breaks/{break_id}/close',
  request: ({ id }, { note }) => ({ params: { break_id: id }, body: { note: String(note) } }),
  done: () => t('Break closed'),
}

/** `3 d 4 h`, `12 min`. */
function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  const hours = Math.floor(minutes / 60)
  const days = Math.floor(hours / 24)
  if (days > 0) return `${days} d ${hours % 24} h`
  return hours > 0
    ? t('{{hours}} h {{minutes}} min', { hours, minutes: minutes % 60 })
    : t('{{minutes}} min', { minutes })
}

const stateOf = (row: Break): ReactNode => (
  <Status state={row.state} {...(row.state === 'OPEN' ? { tone: 'alarm' as const } : {})} />
)

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Breaks')}
      path="/desk/breaks"
      live={['break']}
      columns={[
        { key: 'state', title: t('State'), render: stateOf, width: 120 },
        { key: 'venue_id', title: t('Venue'), kind: 'venue' },
        { key: 'wallet', title: t('Wallet'), width: 130 },
        {
          key: 'difference',
          title: t('Difference'),
          kind: 'amount',
          asset: (row) => row.asset,
          width: 170,
        },
        {
          key: 'age_ms',
          title: t('Age'),
          render: (row) => age(row.age_ms),
          text: (row) => age(row.age_ms),
          width: 80,
        },
        { key: 'cause', title: t('Cause'), value: (row) => inWords(row.cause), width: 120 },
        { key: 'explanation', title: t('Explanation'), kind: 'said', width: 265 },
        { key: 'first_seen_at', title: t('First seen'), kind: 'time' },
        { key: 'note', title: t('Note'), width: 120 },
        { key: 'ledger', title: t('Books'), kind: 'amount', extra: true, ...ASSET_BESIDE },
        { key: 'venue', title: t('Venue holds'), kind: 'amount', extra: true, ...ASSET_BESIDE },
        { key: 'closed_at', title: t('Closed'), kind: 'time', extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        {
          name: 'state',
          label: t('State'),
          kind: 'words',
          options: ['OPEN', 'CLOSED'],
          many: true,
        },
        { name: 'venue_id', label: t('Venue'), kind: 'venue' },
        {
          name: 'cause',
          label: t('Cause'),
          kind: 'words',
          options: ['OPENING', 'TIMING', 'FEE', 'UNMATCHED', 'UNKNOWN'],
          many: true,
        },
        { name: 'asset', label: t('Assets, e.g. EUR,BTC'), kind: 'text' },
      ]}
      empty={{
        title: t('No breaks'),
        text: t('Venues and books agree, or transfers in flight explain the difference.'),
      }}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Break')}
      path="/desk/breaks"
      request={EVERYTHING}
      pick={(breaks) => breaks.find((row) => row.id === id)}
      live={['break']}
      title={(row) => (
        <>
          <Amount value={row.difference} asset={row.asset} /> {stateOf(row)}
        </>
      )}
      actions={(row) => <ActionButton plan={close} row={row} primary />}
      sections={[
        {
          fields: [
            { key: 'venue_id', title: t('Venue'), kind: 'venue' },
            { key: 'wallet', title: t('Wallet') },
            { key: 'cause', title: t('Cause'), value: (row) => inWords(row.cause) },
            { key: 'ledger', title: t('Books'), kind: 'amount', asset: (row) => row.asset },
            { key: 'venue', title: t('Venue holds'), kind: 'amount', asset: (row) => row.asset },
            { key: 'on_the_way', title: t('In flight'), kind: 'amount', asset: (row) => row.asset },
            {
              key: 'difference',
              title: t('Difference'),
              kind: 'amount',
              asset: (row) => row.asset,
            },
            { key: 'explanation', title: t('Explanation'), kind: 'said' },
            { key: 'cause_resource_id', title: t('Related record'), kind: 'id' },
            { key: 'first_seen_at', title: t('First seen'), kind: 'time' },
            { key: 'last_seen_at', title: t('Last seen'), kind: 'time' },
          ],
        },
        {
          title: t('Closed'),
          fields: [
            { key: 'closed_at', title: t('Closed at'), kind: 'time' },
            {
              key: 'closed_reason',
              title: t('Closed because'),
              value: (row) => row.closed_reason && inWords(row.closed_reason),
            },
            { key: 'closed_by', title: t('Closed by'), kind: 'user' },
            { key: 'note', title: t('Note') },
          ],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}
