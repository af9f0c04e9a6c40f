import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import type { Column } from '../../list/columns.tsx'
import { Rows } from '../../list/grid.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { NOTHING } from '../../parts/values.tsx'
import { RelateLinks, useArrived } from './settlement-arrivals.tsx'
import type { Arrived } from './settlement-arrivals.tsx'
import {
  confirmPart,
  initiatePart,
  linkDeposit,
  stopExpecting,
} from './settlement-part-actions.tsx'
import { isConfirmedArrival } from './settlement-states.ts'
import type { PartRow, Settlement } from './settlement-states.ts'

const REASON: Column<PartRow> = {
  key: 'reason',
  title: t('Reason'),
  kind: 'said',
  width: 240,
  value: (row) => row.reason ?? row.note,
}

export function SettlementParts({ settlement }: { settlement: Settlement }): ReactNode {
  const { data: routes } = useGet('/treasury/wallets/routes')
  const arrived = useArrived(settlement)
  const rows: PartRow[] = settlement.parts.map((part) => ({ ...part, settlement }))
  return (
    <Rows<PartRow>
      label={t('Parts')}
      rows={rows}
      keyOf={(row) => row.id}
      empty={
        <Empty title={t('Not covered yet')}>
          {t('Use Cover to divide the nets into parts with routes.')}
        </Empty>
      }
      columns={[
        {
          key: 'direction',
          title: t('Direction'),
          width: 80,
          value: (row) => (row.direction === 'OUTGOING' ? t('We pay') : t('We receive')),
        },
        {
          key: 'quantity',
          title: t('Amount'),
          kind: 'amount',
          asset: (row) => row.asset,
          width: 150,
        },
        { key: 'venue_id', title: t('Venue'), kind: 'venue', width: 130 },
        {
          key: 'state',
          title: t('State'),
          width: 160,
          render: (row) => (
            <Status
              state={row.state}
              {...(row.state === 'OPEN' ? { tone: 'wait' as const } : {})}
            />
          ),
        },
        {
          key: 'actions',
          title: t('Actions'),
          width: 240,
          render: (row) => <Actions part={row} />,
        },
        {
          key: 'route_id',
          title: t('Route'),
          width: 180,
          value: (row) => routes?.find((route) => route.id === row.route_id)?.label ?? row.route_id,
        },
        {
          key: 'moved',
          title: t('Transfer'),
          width: 170,
          render: (row) => <Transfer part={row} deposits={arrived.get(row.id) ?? []} />,
        },
        REASON,
        { key: 'confirmed_by', title: t('Confirmed by'), kind: 'user', width: 150 },
        { key: 'initiated_at', title: t('Initiated'), kind: 'time' },
        { key: 'completed_at', title: t('Moved'), kind: 'time' },
      ]}
    />
  )
}

/** A part that has moved needs no action, unless its arrival was confirmed by hand. */
function Actions({ part }: { part: PartRow }): ReactNode {
  if (part.completed_at === null)
    return (
      <span className="beside">
        <ActionButton plan={initiatePart} row={part} />
        <ActionButton plan={confirmPart} row={part} />
      </span>
    )
  if (isConfirmedArrival(part))
    return (
      <span className="beside">
        <ActionButton plan={linkDeposit} row={part} />
        <ActionButton plan={stopExpecting} row={part} />
      </span>
    )
  return NOTHING
}

const ARRIVAL_WORDS: Readonly<Record<string, string>> = {
  EXPECTED: t('Payment expected'),
  DROPPED: t('Payment not expected'),
}

function Transfer({
  part: { withdrawal_id, deposit_id, arrival },
  deposits,
}: {
  part: PartRow
  deposits: readonly Arrived[]
}): ReactNode {
  if (deposit_id === null && deposits.length > 0) return <RelateLinks deposits={deposits} />
  if (withdrawal_id === null && deposit_id === null) return ARRIVAL_WORDS[arrival ?? ''] ?? NOTHING
  return (
    <>
      {withdrawal_id !== null && (
        <Link to={`/treasury/withdrawals/${withdrawal_id}`}>{t('Withdrawal')}</Link>
      )}
      {withdrawal_id !== null && deposit_id !== null && ', '}
      {deposit_id !== null && <Link to={`/treasury/deposits/${deposit_id}`}>{t('Deposit')}</Link>}
    </>
  )
}
