import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Amount, Time } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import {
  cancel,
  changeParts,
  claim,
  cover,
  initiate,
  netAgain,
  uncover,
} from './settlement-actions.tsx'
import { SettlementFills } from './settlement-fills.tsx'
import { SettlementParts } from './settlement-parts.tsx'
import { NextStep } from './settlement-arrivals.tsx'
import { hasMoved, SETTLEMENT_STATES } from './settlement-states.ts'
import type { Settlement } from './settlement-states.ts'

/** The nets in short; what we owe has a minus sign. */
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
      title={t('Settlements')}
      help="settlement"
      path="/settlements"
      live={['settlement']}
      columns={[
        { key: 'system_created_at', title: t('Created'), kind: 'time' },
        { key: 'state', title: t('State'), kind: 'status', width: 140 },
        { key: 'timerange_from', title: t('Trades from'), kind: 'time' },
        { key: 'timerange_to', title: t('Until'), kind: 'time' },
        {
          key: 'nets',
          title: t('Net'),
          width: 330,
          text: ({ nets }) =>
            nets
              .map(
                ({ direction, quantity, asset }) =>
                  `${direction === 'OUTGOING' ? '-' : ''}${quantity} ${asset}`,
              )
              .join('; '),
          render: (row) => <Nets nets={row.nets} />,
        },
        {
          key: 'parts',
          title: t('Parts moved'),
          width: 110,
          value: (row) =>
            row.parts.length === 0
              ? null
              : t('{{some}} of {{all}}', {
                  some: row.parts.filter(hasMoved).length,
                  all: row.parts.length,
                }),
        },
        { key: 'completed_at', title: t('Ended'), kind: 'time' },
        { key: 'reason', title: t('Reason'), kind: 'said', extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'state', label: t('State'), kind: 'words', options: SETTLEMENT_STATES, many: true },
        { name: 'unseen', label: t('Confirmed by hand, payment expected'), kind: 'flag' },
        { name: 'uncorrected', label: t('Trade busted, net again'), kind: 'flag' },
      ]}
      actions={<ActionButton plan={claim} primary />}
      empty={{
        title: t('No settlements yet'),
        text: t('Settlements pay for trades at post-trade venues. Create the first one.'),
      }}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Settlement')}
      path="/settlements/{settlement_id}"
      request={{ params: { settlement_id: id } }}
      live={['settlement', 'deposit', 'withdrawal', 'execution', 'fill']}
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
          <ActionButton plan={netAgain} row={row} primary={row.uncorrected_fills > 0} />
          <ActionButton plan={changeParts} row={row} />
          <ActionButton plan={uncover} row={row} />
          <ActionButton plan={cancel} row={row} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'state', title: t('State'), kind: 'status' },
            { key: 'reason', title: t('Reason'), kind: 'said' },
            { key: 'timerange_from', title: t('Trades from'), kind: 'time' },
            { key: 'timerange_to', title: t('Until'), kind: 'time' },
            {
              key: 'next',
              title: t('Next step'),
              render: (row) => <NextStep settlement={row} />,
            },
            {
              key: 'completed_at',
              title: t('Ended'),
              render: (row) => <Time at={row.completed_at} />,
            },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        { key: 'nets', label: t('Nets'), node: (row) => <NetRows settlement={row} /> },
        {
          key: 'corrections',
          label: t('Corrections'),
          node: (row) => <CorrectionRows settlement={row} />,
        },
        { key: 'parts', label: t('Parts'), node: (row) => <SettlementParts settlement={row} /> },
        { key: 'fills', label: t('Trades'), node: (row) => <SettlementFills settlement={row} /> },
      ]}
    />
  )
}

const WHO_OWES = {
  OUTGOING: t('We owe the venue'),
  INCOMING: t('The venue owes us'),
} as const

function CorrectionRows({ settlement }: { settlement: Settlement }): ReactNode {
  return (
    <Rows
      label={t('Corrections')}
      rows={settlement.corrections}
      keyOf={(row) => `${row.fill_id} ${row.asset}`}
      empty={
        <Empty title={t('No corrections')}>
          {t('Lines appear here when a busted trade is taken out of the nets.')}
        </Empty>
      }
      columns={[
        { key: 'corrected_at', title: t('Corrected'), kind: 'time' },
        { key: 'venue_id', title: t('Venue'), kind: 'venue', width: 120 },
        {
          key: 'direction',
          title: t('Correction'),
          width: 140,
          value: (row) => WHO_OWES[row.direction],
        },
        {
          key: 'quantity',
          title: t('Amount'),
          kind: 'amount',
          asset: (row) => row.asset,
          width: 180,
        },
        { key: 'fill_id', title: t('Trade', { context: 'single' }), kind: 'id' },
        { key: 'corrected_by', title: t('Corrected by'), kind: 'user' },
      ]}
    />
  )
}

function NetRows({ settlement }: { settlement: Settlement }): ReactNode {
  return (
    <Rows
      label={t('Nets')}
      rows={settlement.nets}
      keyOf={(row) => `${row.venue_id} ${row.asset}`}
      empty={<Empty title={t('No trades')}>{t('Add some under Trades.')}</Empty>}
      columns={[
        { key: 'venue_id', title: t('Venue'), kind: 'venue', width: 180 },
        {
          key: 'direction',
          title: t('Who owes'),
          width: 160,
          value: (row) => WHO_OWES[row.direction],
        },
        {
          key: 'quantity',
          title: t('Amount'),
          kind: 'amount',
          asset: (row) => row.asset,
          width: 220,
        },
      ]}
    />
  )
}
