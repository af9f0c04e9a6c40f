import { useParams } from 'react-router'
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { PdfButton } from '../../parts/save-button.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section, Tab } from '../../record/record.tsx'
import { assignDeposit, transferPart } from './assign.tsx'
import { openRest } from './open-rest.ts'
import type { Deposit } from './open-rest.ts'
import { AssignmentRows } from './assignment-rows.tsx'
import { CHOOSE_DEPOSITS } from './chosen.tsx'
import { MOVEMENT_FILTERS, MOVEMENT_TOTALS } from './movement-filters.ts'
import { RectificationsOfDeposit } from './rectifications.tsx'
import { rectifyDeposit } from './rectify.tsx'
import { TransferSuggestions, unrelateDeposit } from './relate.tsx'
import { returnDeposit, ReturnsOf } from './return.tsx'
import { CasesOf } from './screened.tsx'
import { OWNER_COLUMNS, WHOSE } from './whose.tsx'

const STATES = [
  'PENDING',
  'PENDING_REVIEW',
  'UNASSIGNED',
  'PARTIALLY_ASSIGNED',
  'ASSIGNED',
  'SUCCESSFUL',
  'FAILED',
  'REVERSED',
  'REJECTED',
  'RETURNED',
] as const

/** A transfer between own wallets is never assigned. */
const unassignedOf = (deposit: Deposit): string | null =>
  deposit.state === 'SUCCESSFUL' ? null : openRest(deposit)

const TOTALS = {
  ...MOVEMENT_TOTALS,
  note: t('with own transfers and what was returned, without failed, reversed and rejected'),
  path: '/treasury/deposits/totals',
} as const

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Deposits')}
      help="matching"
      path="/treasury/deposits"
      live={['deposit']}
      columns={[
        { key: 'occurred_at', title: t('Seen'), kind: 'time' },
        { key: 'state', title: t('State'), kind: 'status' },
        { key: 'quantity', title: t('Amount'), kind: 'amount', asset: (row) => row.asset },
        {
          key: 'from',
          title: t('From'),
          value: (row) => row.counterparty?.name ?? row.source_address,
          width: 150,
        },
        { key: 'reference_text', title: t('Reference'), width: 145 },
        { ...WHOSE, width: 200 },
        {
          key: 'open',
          title: t('Not assigned'),
          kind: 'amount',
          value: unassignedOf,
          ...ASSET_BESIDE,
        },
        { key: 'venue_id', title: t('Venue'), kind: 'venue' },
        { key: 'transaction_hash', title: t('Transaction'), kind: 'id' },
        { key: 'protocol', title: t('Protocol'), width: 90 },
        ...OWNER_COLUMNS,
      ]}
      sections={SECTIONS}
      filters={[
        { name: 'state', label: t('State'), kind: 'words', options: STATES, many: true },
        ...MOVEMENT_FILTERS,
        { name: 'gone_twice', label: t('Returned and taken back'), kind: 'flag' },
        { name: 'foreign_id', label: t('Venue reference'), kind: 'text' },
      ]}
      choose={CHOOSE_DEPOSITS}
      totals={TOTALS}
      empty={{
        title: t('No deposits yet'),
        text: t('Deposits appear here when money arrives at a connected venue.'),
      }}
    />
  )
}

const SECTIONS: readonly Section<Deposit>[] = [
  {
    fields: [
      { key: 'quantity', title: t('Amount'), kind: 'amount', asset: (row) => row.asset },
      WHOSE,
      {
        key: 'assigned_quantity',
        title: t('Assigned'),
        kind: 'amount',
        asset: (row) => row.asset,
      },
      { key: 'state', title: t('State'), kind: 'status' },
      {
        key: 'open',
        title: t('Not assigned'),
        kind: 'amount',
        value: unassignedOf,
        asset: (row) => row.asset,
      },
      {
        key: 'transfer_quantity',
        title: t('Part that is an own transfer'),
        kind: 'amount',
        value: transferPart,
        asset: (row) => row.asset,
      },
      { key: 'reason', title: t('Reason'), kind: 'said' },
      { key: 'occurred_at', title: t('Seen'), kind: 'time' },
      { key: 'value_date', title: t('Value date') },
      {
        key: 'related_withdrawal_id',
        title: t('Withdrawal'),
        value: ({ related_withdrawal_id, own_transfer }) => {
          if (related_withdrawal_id === null) return null
          return own_transfer ? t('Own transfer') : t('Came back')
        },
        leads: (row) =>
          row.related_withdrawal_id === null
            ? null
            : { kind: 'withdrawal', id: row.related_withdrawal_id },
      },
      {
        key: 'settlement_id',
        title: t('Pays for'),
        value: (row) => (row.settlement_id === null ? null : t('A settlement')),
        leads: (row) =>
          row.settlement_id === null ? null : { kind: 'settlement', id: row.settlement_id },
      },
    ],
  },
  {
    title: t('Source'),
    fields: [
      { key: 'name', title: t('Name'), value: (row) => row.counterparty?.name },
      { key: 'iban', title: 'IBAN', value: (row) => row.counterparty?.iban },
      { key: 'source_address', title: t('From address'), kind: 'id' },
      { key: 'reference_text', title: t('Reference') },
      { key: 'transaction_hash', title: t('Transaction'), kind: 'id' },
      { key: 'foreign_id', title: t('Venue reference'), kind: 'id' },
    ],
  },
  {
    title: t('Destination'),
    fields: [
      { key: 'venue_id', title: t('Venue'), kind: 'venue' },
      { key: 'wallet_id', title: t('Wallet'), kind: 'wallet' },
      { key: 'protocol', title: t('Protocol') },
      { key: 'destination_address', title: t('To address'), kind: 'id' },
      { key: 'tag', title: t('Tag', { context: 'address' }) },
      {
        key: 'confirmations',
        title: t('Confirmations'),
        value: ({ confirmations, required_confirmations: required }) =>
          confirmations === null || required === null
            ? confirmations
            : t('{{confirmations}} of {{required}}', { confirmations, required }),
      },
    ],
  },
  COMMON_FIELDS,
]

/** Suggestions are asked for by a record alone, not by each row of the list. */
const RECORD_SECTIONS: readonly Section<Deposit>[] = [
  ...SECTIONS.slice(0, 2),
  {
    fields: [
      {
        key: 'transfer',
        title: t('May be the arrival of'),
        render: (row) => <TransferSuggestions deposit={row} />,
      },
      { key: 'cases', title: t('Screening cases'), render: (row) => <CasesOf deposit={row} /> },
      {
        key: 'returned',
        title: t('Returned to sender'),
        render: (row) => <ReturnsOf deposit={row} />,
      },
    ],
  },
  ...SECTIONS.slice(2),
]

const TABS: readonly Tab<Deposit>[] = [
  { key: 'assignments', label: t('Assignments'), node: (row) => <Assignments deposit={row} /> },
  {
    key: 'rectifications',
    label: t('Rectifications'),
    node: (row) => <RectificationsOfDeposit id={row.id} />,
  },
]

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Deposit')}
      path="/treasury/deposits/{deposit_id}"
      request={{ params: { deposit_id: id } }}
      live={['deposit', 'withdrawal', 'screening_case']}
      title={(row) => (
        <>
          <Amount value={row.quantity} asset={row.asset} /> <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <>
          <ActionButton plan={assignDeposit} row={row} primary />
          <ActionButton plan={rectifyDeposit} row={row} />
          <ActionButton plan={returnDeposit} row={row} />
          <ActionButton plan={unrelateDeposit} row={row} />
          {row.customer_id !== null && (
            <PdfButton
              path="/treasury/deposits/{deposit_id}"
              request={{ params: { deposit_id: id } }}
              name="Confirmation of deposit"
              label={t('Confirmation (PDF)')}
            />
          )}
        </>
      )}
      sections={RECORD_SECTIONS}
      tabs={TABS}
    />
  )
}

function Assignments({ deposit }: { deposit: Deposit }): ReactNode {
  const { data, error, refetch } = useGet('/treasury/deposits/{deposit_id}/assignments', {
    params: { deposit_id: deposit.id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <AssignmentRows
      rows={data}
      state={deposit.state}
      empty={
        <Empty title={t('Not assigned yet')}>
          {t(
            'No matching applies, or the deposit is not final yet. Assign it by hand or ' +
              'create a matching.',
          )}
        </Empty>
      }
    />
  )
}
