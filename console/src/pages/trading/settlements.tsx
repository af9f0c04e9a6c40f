import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Amount, Time } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { cancel, claim, cover, coverBy, initiate, undoCover } from './settlement-actions.tsx'
import type { Settlement } from './settlement.ts'
import { SettlementFills } from './settlement-fills.tsx'
import { SettlementParts } from './settlement-parts.tsx'

const STATES = [
  'PREPARING',
  'READY',
  'TRANSFERRING',
  'PARTIALLY_SETTLED',
  'FAILED',
  'SETTLED',
  'CANCELED',
] as const

/** What it comes to, in short: what we owe with a minus. */
function Nets({ nets }: { nets: Settlement['nets'] }): ReactNode {
  return nets.map((net, index) => (
    <span key={`${net.venue_id}${net.asset}`}>
      {index > 0 && ' · '}
      <Amount
        value={net.direction === 'OUTGOING' ? `-${net.quantity}` : net.quantity}
        asset={net.asset}
      />
    </span>
  ))
}

export function Page(): ReactNode {
  return (
    <WorkList
      title="Settlements"
      path="/settlements"
      live={['settlement']}
      columns={[
        { key: 'system_created_at', title: 'Created', kind: 'time' },
        { key: 'state', title: 'State', kind: 'status', width: 140 },
        { key: 'timerange_from', title: 'Trades from', kind: 'time' },
        { key: 'timerange_to', title: 'to', kind: 'time' },
        { key: 'nets', title: 'Comes to', width: 330, render: (row) => <Nets nets={row.nets} /> },
        {
          key: 'parts',
          title: 'Parts moved',
          width: 110,
          value: (row) =>
            row.parts.length === 0
              ? null
              : `${row.parts.filter((part) => part.state === 'SUCCESS' || part.state === 'CONFIRMED_MANUALLY').length} of ${row.parts.length}`,
        },
        { key: 'completed_at', title: 'Ended', kind: 'time' },
        { key: 'reason', title: 'Reason', extra: true },
        { key: 'id', title: 'Id', kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'state', label: 'State', kind: 'words', options: STATES, many: true },
        { name: 'unseen', label: 'Confirmed by hand, not seen', kind: 'flag' },
      ]}
      actions={<ActionButton plan={claim} primary />}
      empty={{
        title: 'Nothing has been settled yet',
        text: 'Venues that settle after the trade are paid by settlements. Make one for a time in which something was traded there.',
      }}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="Settlement"
      path="/settlements/{settlement_id}"
      request={{ params: { settlement_id: id } }}
      live={['settlement', 'deposit', 'withdrawal']}
      title={(row) => (
        <>
          <Nets nets={row.nets} /> <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <>
          {row.state === 'PREPARING' && <ActionButton plan={cover} row={row} primary />}
          {row.state !== 'PREPARING' && (
            <ActionButton
              plan={initiate}
              row={row}
              primary={row.state === 'READY' || row.state === 'FAILED'}
            />
          )}
          <ActionButton plan={coverBy} row={row} />
          <ActionButton plan={undoCover} row={row} />
          <ActionButton plan={cancel} row={row} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'state', title: 'State', kind: 'status' },
            { key: 'reason', title: 'Reason' },
            { key: 'timerange_from', title: 'Trades from', kind: 'time' },
            { key: 'timerange_to', title: 'to', kind: 'time' },
            { key: 'next', title: 'What is next', render: nextOf },
            {
              key: 'completed_at',
              title: 'Ended',
              render: (row) => <Time at={row.completed_at} />,
            },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        { key: 'nets', label: 'Comes to', node: (row) => <NetRows settlement={row} /> },
        { key: 'parts', label: `Parts`, node: (row) => <SettlementParts settlement={row} /> },
        { key: 'fills', label: 'Trades', node: (row) => <SettlementFills settlement={row} /> },
      ]}
    />
  )
}

const NEXT: Readonly<Record<Settlement['state'], string>> = {
  PREPARING: 'Look at its trades, then cover it',
  READY: 'Initiate it: that moves the money',
  TRANSFERRING: 'Its parts are under way; one without a route is confirmed by hand',
  PARTIALLY_SETTLED: 'The other parts are under way; one without a route is confirmed by hand',
  FAILED: 'See which part failed and why; then initiate again',
  SETTLED: 'Nothing',
  CANCELED: 'Nothing; its trades are free again',
}

const nextOf = ({ state, parts }: Settlement): string =>
  state === 'SETTLED' &&
  parts.some((part) => part.state === 'CONFIRMED_MANUALLY' && part.arrival === 'EXPECTED')
    ? 'A deposit that was confirmed by hand is still waited for: see its parts'
    : NEXT[state]

function NetRows({ settlement }: { settlement: Settlement }): ReactNode {
  return (
    <Rows
      label="What it comes to"
      rows={settlement.nets}
      keyOf={(row) => `${row.venue_id} ${row.asset}`}
      empty={<Empty title="It holds no trades">Take some in under Trades.</Empty>}
      columns={[
        { key: 'venue_id', title: 'Venue', kind: 'venue', width: 180 },
        {
          key: 'direction',
          title: 'Who owes',
          width: 160,
          value: (row) => (row.direction === 'OUTGOING' ? 'We owe the venue' : 'The venue owes us'),
        },
        { key: 'quantity', title: 'Amount', kind: 'amount', asset: (row) => row.asset, width: 220 },
      ]}
    />
  )
}
