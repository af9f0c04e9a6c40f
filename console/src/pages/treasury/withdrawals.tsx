import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { PdfButton } from '../../parts/save-button.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section, Tab } from '../../record/record.tsx'
import { assignWithdrawal, transferPart } from './assign.tsx'
import type { Withdrawal } from './assign.tsx'
import { AssignmentRows } from './assignment-rows.tsx'
import { CHOOSE_WITHDRAWALS } from './chosen.tsx'
import { MOVEMENT_FILTERS, MOVEMENT_TOTALS } from './movement-filters.ts'
import { TEXT_FIELDS } from './payment-texts.tsx'
import { RectificationsOfWithdrawal, rectifyWithdrawal } from './rectify.tsx'
import { THIRD_PARTY_FIELD } from './third-party.tsx'
import { DepositsOf } from './relate.tsx'
import { WithdrawButton } from './withdraw.tsx'
import { OWNER_COLUMNS, WHOSE } from './whose.tsx'
import { cancel, decideReview, recheck, resolve } from './withdrawal-actions.tsx'
import { payeeCheckWords } from './payee-check.ts'

const STATES = [
  'PENDING',
  'PENDING_REVIEW',
  'UNKNOWN',
  'SUCCESS',
  'FAILED',
  'REJECTED',
  'CANCELED',
] as const

const TOTALS = {
  ...MOVEMENT_TOTALS,
  note: 'with own transfers and what is on its way, without failed, rejected and canceled',
  path: '/treasury/withdrawals/totals',
} as const

export function Page(): ReactNode {
  return (
    <WorkList
      title="Withdrawals"
      help="suspense"
      path="/treasury/withdrawals"
      live={['withdrawal']}
      columns={[
        { key: 'system_created_at', title: 'Created', kind: 'time' },
        { key: 'state', title: 'State', kind: 'status' },
        { key: 'quantity', title: 'Amount', kind: 'amount', asset: (row) => row.asset },
        WHOSE,
        { key: 'fee', title: 'Fee', kind: 'amount', asset: (row) => row.fee_asset, width: 140 },
        { key: 'from_wallet_id', title: 'From', kind: 'wallet' },
        { key: 'destination_address', title: 'To address', kind: 'id' },
        { key: 'origin', title: 'Origin', value: (row) => inWords(row.origin), width: 90 },
        { key: 'transaction_hash', title: 'Transaction', kind: 'id' },
        ...OWNER_COLUMNS,
      ]}
      sections={SECTIONS}
      filters={[
        { name: 'state', label: 'State', kind: 'words', options: STATES, many: true },
        ...MOVEMENT_FILTERS,
        { name: 'client_ref', label: 'Your reference', kind: 'text' },
        { name: 'stuck', label: 'Stuck', kind: 'flag' },
        { name: 'unassigned', label: 'Without an owner', kind: 'flag' },
      ]}
      choose={CHOOSE_WITHDRAWALS}
      totals={TOTALS}
      empty={{
        title: 'No withdrawals yet',
        text: 'Use Withdraw to send money. Jobs, batches and settlements create withdrawals too.',
      }}
      actions={<WithdrawButton primary />}
    />
  )
}

const SECTIONS: readonly Section<Withdrawal>[] = [
  {
    fields: [
      { key: 'quantity', title: 'Arrives', kind: 'amount', asset: (row) => row.asset },
      WHOSE,
      {
        key: 'transfer_quantity',
        title: 'Part that is an own transfer',
        kind: 'amount',
        value: transferPart,
        asset: (row) => row.asset,
      },
      { key: 'state', title: 'State', kind: 'status' },
      { key: 'fee', title: 'Fee', kind: 'amount', asset: (row) => row.fee_asset },
      {
        key: 'sub_state',
        title: 'Venue status',
        value: ({ sub_state: term }) => (term === null ? null : payeeCheckWords(term)),
      },
      {
        key: 'fee_estimate',
        title: 'Fee expected',
        kind: 'amount',
        asset: (row) => row.fee_asset,
      },
      { key: 'reason', title: 'Reason' },
      {
        key: 'returns_deposit_id',
        title: 'Returns',
        value: (row) => (row.returns_deposit_id === null ? null : 'A deposit'),
        leads: (row) =>
          row.returns_deposit_id === null ? null : { kind: 'deposit', id: row.returns_deposit_id },
      },
      { key: 'speed_level', title: 'Speed', value: (row) => inWords(row.speed_level) },
      {
        key: 'origin',
        title: 'Origin',
        value: (row) => inWords(row.origin),
        leads: (row) =>
          row.settlement_id === null ? null : { kind: 'settlement', id: row.settlement_id },
      },
    ],
  },
  {
    title: 'From and to',
    fields: [
      { key: 'from_wallet_id', title: 'From', kind: 'wallet' },
      { key: 'to_wallet_id', title: 'To', kind: 'wallet' },
      { key: 'route_id', title: 'Route', kind: 'route' },
      { key: 'venue_id', title: 'Venue', kind: 'venue' },
      { key: 'recipient_name', title: 'Payee' },
      { key: 'destination_address', title: 'To address', kind: 'id' },
      { key: 'account_id', title: 'Account', kind: 'account' },
      { ...THIRD_PARTY_FIELD, kind: 'flag' },
      { key: 'tag', title: 'Tag' },
      { key: 'protocol', title: 'Protocol' },
      { key: 'reference_text', title: 'Reference' },
      ...TEXT_FIELDS,
    ],
  },
  {
    title: 'At the venue',
    fields: [
      { key: 'external_id', title: 'Our reference', kind: 'id' },
      { key: 'foreign_id', title: 'Venue reference', kind: 'id' },
      { key: 'transaction_hash', title: 'Transaction', kind: 'id' },
      {
        key: 'former_transactions',
        title: 'Earlier transactions',
        value: (row) =>
          row.former_transactions.map((former) => former.transaction_hash).join(', ') || null,
      },
      { key: 'confirmations', title: 'Confirmations', kind: 'number' },
      { key: 'execution_date', title: 'Execution expected' },
      { key: 'value_date', title: 'Value date' },
      { key: 'submitted_at', title: 'Sent', kind: 'time' },
      { key: 'completed_at', title: 'Ended', kind: 'time' },
      { key: 'resolved_by', title: 'Resolved by', kind: 'user' },
      { key: 'evidence', title: 'Evidence' },
      {
        key: 'payee_check',
        title: 'Payee check',
        value: ({ payee_check: code }) => (code === null ? null : payeeCheckWords(code)),
      },
      { key: 'payee_name', title: 'Name of the account' },
      {
        key: 'review_decision',
        title: 'Decision on payee',
        value: (row) => (row.review_decision === null ? null : inWords(row.review_decision)),
      },
      { key: 'review_reason', title: 'Why so decided' },
      { key: 'review_decided_by', title: 'Decided by', kind: 'user' },
      { key: 'review_decided_at', title: 'Decided', kind: 'time' },
    ],
  },
  COMMON_FIELDS,
]

/** Of a record alone: it asks for what the row does not have. */
const RECORD_SECTIONS: readonly Section<Withdrawal>[] = [
  ...SECTIONS.slice(0, 1),
  {
    fields: [
      { key: 'deposits', title: 'Deposit', render: (row) => <DepositsOf withdrawal={row} /> },
    ],
  },
  ...SECTIONS.slice(1),
]

const TABS: readonly Tab<Withdrawal>[] = [
  {
    key: 'assignments',
    label: 'Assignments',
    node: (row) => <Assignments withdrawal={row} />,
  },
  { key: 'stakes', label: 'Payments', node: (row) => <Payments withdrawal={row} /> },
  {
    key: 'rectifications',
    label: 'Rectifications',
    node: (row) => <RectificationsOfWithdrawal id={row.id} />,
  },
]

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="Withdrawal"
      path="/treasury/withdrawals/{withdrawals_id}"
      request={{ params: { withdrawals_id: id } }}
      live={['withdrawal', 'deposit']}
      title={(row) => (
        <>
          <Amount value={row.quantity} asset={row.asset} /> <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <>
          <ActionButton plan={recheck} row={row} />
          <ActionButton plan={resolve} row={row} />
          {row.payee_check !== null && <ActionButton plan={decideReview} row={row} />}
          <ActionButton plan={cancel} row={row} />
          <ActionButton
            plan={assignWithdrawal}
            row={row}
            primary={row.nature === 'UNASSIGNED' && assignWithdrawal.why?.(row) === undefined}
          />
          <ActionButton plan={rectifyWithdrawal} row={row} />
          {row.state === 'SUCCESS' && row.customer_id !== null && (
            <PdfButton
              path="/treasury/withdrawals/{withdrawals_id}"
              request={{ params: { withdrawals_id: id } }}
              name="Confirmation of payment"
              label="Confirmation (PDF)"
            />
          )}
        </>
      )}
      sections={RECORD_SECTIONS}
      tabs={TABS}
    />
  )
}

function Assignments({ withdrawal }: { withdrawal: Withdrawal }): ReactNode {
  const { data, error, refetch } = useGet('/treasury/withdrawals/{withdrawal_id}/assignments', {
    params: { withdrawal_id: withdrawal.id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <AssignmentRows
      rows={data}
      empty={
        <Empty title="Not assigned yet">
          A withdrawal with an account is assigned when it succeeds. Any other is booked to suspense
          when it leaves, and stays there until somebody assigns it.
        </Empty>
      }
    />
  )
}

/** The payments that a batch bundled into this withdrawal. */
function Payments({ withdrawal: { stakes, asset } }: { withdrawal: Withdrawal }): ReactNode {
  return (
    <Rows
      label="Payments"
      rows={stakes ?? []}
      keyOf={(row) => `${row.route_id} ${row.account_id} ${row.quantity}`}
      empty={<Empty title="One payment only">Only a batch withdrawal has several payments.</Empty>}
      columns={[
        { key: 'quantity', title: 'Amount', kind: 'amount', asset: () => asset, width: 160 },
        { key: 'destination', title: 'To address', kind: 'id' },
        { key: 'account_id', title: 'Account', kind: 'account' },
        ...TEXT_FIELDS,
      ]}
    />
  )
}
