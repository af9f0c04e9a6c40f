import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import { Rows } from '../../list/grid.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { NOTHING } from '../../parts/values.tsx'
import { confirmPart, dropArrival, initiatePart, nameArrival } from './settlement-actions.tsx'
import type { PartRow, Settlement } from './settlement.ts'

export function SettlementParts({ settlement }: { settlement: Settlement }): ReactNode {
  const { data: routes } = useGet('/treasury/wallets/routes')
  const rows: PartRow[] = settlement.parts.map((part) => ({ ...part, settlement }))
  return (
    <Rows<PartRow>
      label="Parts"
      rows={rows}
      keyOf={(row) => row.id}
      empty={<Empty title="It is not covered yet">Cover says over which routes it is paid.</Empty>}
      columns={[
        {
          key: 'direction',
          title: 'Way',
          width: 80,
          value: (row) => (row.direction === 'OUTGOING' ? 'We pay' : 'We get'),
        },
        { key: 'quantity', title: 'Amount', kind: 'amount', asset: (row) => row.asset, width: 150 },
        { key: 'venue_id', title: 'Venue', kind: 'venue', width: 130 },
        {
          key: 'state',
          title: 'State',
          width: 160,
          render: (row) => (
            <Status
              state={row.state}
              {...(row.state === 'OPEN' ? { tone: 'wait' as const } : {})}
            />
          ),
        },
        { key: 'actions', title: 'Actions', width: 240, render: (row) => <Actions part={row} /> },
        {
          key: 'route_id',
          title: 'Route',
          width: 180,
          value: (row) => routes?.find((route) => route.id === row.route_id)?.label ?? row.route_id,
        },
        { key: 'moved', title: 'Moved as', width: 170, render: (row) => <Moved part={row} /> },
        { key: 'reason', title: 'Why', width: 240, value: (row) => row.reason ?? row.note },
        { key: 'confirmed_by', title: 'Confirmed by', kind: 'user', width: 150 },
        { key: 'initiated_at', title: 'Initiated', kind: 'time' },
        { key: 'completed_at', title: 'Moved', kind: 'time' },
      ]}
    />
  )
}

/** What has moved needs none, but for money that somebody says has come. */
function Actions({ part }: { part: PartRow }): ReactNode {
  if (part.completed_at === null)
    return (
      <span className="beside">
        <ActionButton plan={initiatePart} row={part} />
        <ActionButton plan={confirmPart} row={part} />
      </span>
    )
  if (part.direction === 'INCOMING' && part.state === 'CONFIRMED_MANUALLY')
    return (
      <span className="beside">
        <ActionButton plan={nameArrival} row={part} />
        <ActionButton plan={dropArrival} row={part} />
      </span>
    )
  return NOTHING
}

function Moved({ part: { withdrawal_id, deposit_id, arrival } }: { part: PartRow }): ReactNode {
  if (withdrawal_id === null && deposit_id === null)
    return arrival === 'EXPECTED'
      ? 'Deposit waited for'
      : arrival === 'DROPPED'
        ? 'Not waited for'
        : NOTHING
  return (
    <>
      {withdrawal_id !== null && (
        <Link to={`/treasury/withdrawals/${withdrawal_id}`}>Withdrawal</Link>
      )}
      {withdrawal_id !== null && deposit_id !== null && ', '}
      {deposit_id !== null && <Link to={`/treasury/deposits/${deposit_id}`}>Deposit</Link>}
    </>
  )
}
