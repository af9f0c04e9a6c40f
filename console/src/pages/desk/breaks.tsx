import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'

type Break = RowOf<'/desk/breaks'>

const EVERYTHING = { query: { limit: '5000' } }

const close: ActionPlan<'post', '/desk/breaks/{break_id}/close', Break> = {
  label: 'Close with a note',
  permission: 'breaks.close',
  why: ({ state }) => (state === 'OPEN' ? undefined : 'The break is already closed'),
  explain: (row) => (
    <>
      The difference of <Amount value={row.difference} asset={row.asset} /> at{' '}
      <Name of="venue" id={row.venue_id} />
      {row.wallet === null ? '' : `, wallet ${row.wallet},`} is accepted and opens no new break. A
      different difference does.
    </>
  ),
  fields: [{ name: 'note', label: 'Note', kind: 'lines', required: true }],
  method: 'post',
  path: '/desk/breaks/{break_id}/close',
  request: ({ id }, { note }) => ({ params: { break_id: id }, body: { note: String(note) } }),
  done: () => 'Break closed',
}

/** `3 d 4 h`, `12 min`. */
function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  const hours = Math.floor(minutes / 60)
  const days = Math.floor(hours / 24)
  if (days > 0) return `${days} d ${hours % 24} h`
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`
}

const stateOf = (row: Break): ReactNode => (
  <Status state={row.state} {...(row.state === 'OPEN' ? { tone: 'alarm' as const } : {})} />
)

export function Page(): ReactNode {
  return (
    <WorkList
      title="Breaks"
      path="/desk/breaks"
      live={['break']}
      columns={[
        { key: 'state', title: 'State', render: stateOf, width: 100 },
        { key: 'venue_id', title: 'Venue', kind: 'venue' },
        { key: 'wallet', title: 'Wallet', width: 130 },
        { key: 'difference', title: 'Difference', kind: 'amount', asset: (row) => row.asset },
        {
          key: 'age_ms',
          title: 'Age',
          render: (row) => age(row.age_ms),
          text: (row) => age(row.age_ms),
          width: 80,
        },
        { key: 'cause', title: 'Cause', value: (row) => inWords(row.cause), width: 120 },
        { key: 'explanation', title: 'Explanation', width: 265 },
        { key: 'first_seen_at', title: 'First seen', kind: 'time' },
        { key: 'note', title: 'Note', width: 120 },
        { key: 'ledger', title: 'Books', kind: 'amount', extra: true, ...ASSET_BESIDE },
        { key: 'venue', title: 'Venue holds', kind: 'amount', extra: true, ...ASSET_BESIDE },
        { key: 'closed_at', title: 'Closed', kind: 'time', extra: true },
        { key: 'id', title: 'Id', kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'state', label: 'State', kind: 'words', options: ['OPEN', 'CLOSED'], many: true },
        { name: 'venue_id', label: 'Venue', kind: 'venue' },
        {
          name: 'cause',
          label: 'Cause',
          kind: 'words',
          options: ['OPENING', 'TIMING', 'FEE', 'UNMATCHED', 'UNKNOWN'],
          many: true,
        },
        { name: 'asset', label: 'Assets, e.g. EUR,BTC', kind: 'text' },
      ]}
      empty={{
        title: 'No breaks',
        text: 'Venues and books agree, or transfers in flight explain the difference.',
      }}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="Break"
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
            { key: 'venue_id', title: 'Venue', kind: 'venue' },
            { key: 'wallet', title: 'Wallet' },
            { key: 'cause', title: 'Cause', value: (row) => inWords(row.cause) },
            { key: 'ledger', title: 'Books', kind: 'amount', asset: (row) => row.asset },
            { key: 'venue', title: 'Venue holds', kind: 'amount', asset: (row) => row.asset },
            { key: 'on_the_way', title: 'In flight', kind: 'amount', asset: (row) => row.asset },
            { key: 'difference', title: 'Difference', kind: 'amount', asset: (row) => row.asset },
            { key: 'explanation', title: 'Explanation' },
            { key: 'cause_resource_id', title: 'Related record', kind: 'id' },
            { key: 'first_seen_at', title: 'First seen', kind: 'time' },
            { key: 'last_seen_at', title: 'Last seen', kind: 'time' },
          ],
        },
        {
          title: 'Closed',
          fields: [
            { key: 'closed_at', title: 'Closed at', kind: 'time' },
            {
              key: 'closed_reason',
              title: 'Closed because',
              value: (row) => row.closed_reason && inWords(row.closed_reason),
            },
            { key: 'closed_by', title: 'Closed by', kind: 'user' },
            { key: 'note', title: 'Note' },
          ],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}
