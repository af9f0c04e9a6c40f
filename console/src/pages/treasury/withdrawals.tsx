import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { PdfButton } from '../../parts/save-button.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { Amount, NOTHING } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section, Tab } from '../../record/record.tsx'
import { assignWithdrawal, transferPart } from './assign.tsx'
import type { Withdrawal } from './assign.tsx'
import { AssignmentRows } from './assignment-rows.tsx'
import { CHOOSE_WITHDRAWALS } from './chosen.tsx'
import { MOVEMENT_FILTERS, MOVEMENT_TOTALS } from './movement-filters.ts'
import { TEXT_FIELDS } from './payment-texts.tsx'
import { RectificationsOfWithdrawal } from './rectifications.tsx'
import { rectifyWithdrawal } from './rectify.tsx'
import { THIRD_PARTY_FIELD } from './third-party.tsx'
import { giveTravelRule, TravelRule } from './travel-rule.tsx'
import { DepositsOf } from './relate.tsx'
import { WithdrawButton } from './withdraw.tsx'
import { OWNER_COLUMNS, WHOSE } from './whose.tsx'
import { cancel, decideReview, recheck, resolve } from './withdrawal-actions.tsx'
import { payeeCheckWords } from './payee-check.ts'

const STATES = [
  'PENDING_APPROVAL',
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
  note: t('with own transfers and what is on its way, without failed, rejected and canceled'),
  path: '/treasury/withdrawals/totals',
} as const

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Withdrawals')}
      help="suspense"
      path="/treasury/withdrawals"
      live={['withdrawal']}
      columns={[
        { key: 'system_created_at', title: t('Created'), kind: 'time' },
        { key: 'state', title: t('State'), kind: 'status' },
        { key: 'quantity', title: t('Amount'), kind: 'amount', asset: (row) => row.asset },
        WHOSE,
        { key: 'fee', title: t('Fee'), kind: 'amount', asset: (row) => row.fee_asset, width: 140 },
        { key: 'from_wallet_id', title: t('From'), kind: 'wallet' },
        { key: 'destination_address', title: t('To address'), kind: 'id' },
        { key: 'origin', title: t('Origin'), value: (row) => inWords(row.origin), width: 90 },
        { key: 'transaction_hash', title: t('Transaction'), kind: 'id' },
        ...OWNER_COLUMNS,
      ]}
      sections={SECTIONS}
      filters={[
        { name: 'state', label: t('State'), kind: 'words', options: STATES, many: true },
        ...MOVEMENT_FILTERS,
        { name: 'client_ref', label: t('Your reference'), kind: 'text' },
        { name: 'stuck', label: t('Stuck'), kind: 'flag' },
        { name: 'unassigned', label: t('Without an owner'), kind: 'flag' },
      ]}
      choose={CHOOSE_WITHDRAWALS}
      totals={TOTALS}
      empty={{
        title: t('No withdrawals yet'),
        text: t(
          'Use Withdraw to send money. Jobs, batches and settlements create withdrawals too.',
        ),
      }}
      actions={<WithdrawButton primary />}
    />
  )
}

const SECTIONS: readonly Section<Withdrawal>[] = [
  {
    fields: [
      { key: 'quantity', title: t('Arrives'), kind: 'amount', asset: (row) => row.asset },
      WHOSE,
      {
        key: 'transfer_quantity',
        title: t('Part that is an own transfer'),
        kind: 'amount',
        value: transferPart,
        asset: (row) => row.asset,
      },
      { key: 'state', title: t('State'), kind: 'status' },
      { key: 'fee', title: t('Fee'), kind: 'amount', asset: (row) => row.fee_asset },
      {
        key: 'sub_state',
        title: t('Venue status'),
        value: ({ sub_state: term }) => (term === null ? null : payeeCheckWords(term)),
      },
      {
        key: 'fee_estimate',
        title: t('Fee expected'),
        kind: 'amount',
        asset: (row) => row.fee_asset,
      },
      { key: 'reason', title: t('Reason'), kind: 'said' },
      {
        key: 'approval_request_id',
        title: t('Approval'),
        render: (row) =>
          row.approval_request_id === null ? (
            NOTHING
          ) : (
            <Link to={`/desk/approvals/${row.approval_request_id}`}>{t('Who approves it')}</Link>
          ),
      },
      {
        key: 'returns_deposit_id',
        title: t('Returns'),
        value: (row) => (row.returns_deposit_id === null ? null : t('A deposit')),
        leads: (row) =>
          row.returns_deposit_id === null ? null : { kind: 'deposit', id: row.returns_deposit_id },
      },
      { key: 'speed_level', title: t('Speed'), value: (row) => inWords(row.speed_level) },
      {
        key: 'origin',
        title: t('Origin'),
        value: (row) => inWords(row.origin),
        leads: (row) =>
          row.settlement_id === null ? null : { kind: 'settlement', id: row.settlement_id },
      },
    ],
  },
  {
    title: t('From and to'),
    fields: [
      { key: 'from_wallet_id', title: t('From'), kind: 'wallet' },
      { key: 'to_wallet_id', title: t('To'), kind: 'wallet' },
      { key: 'route_id', title: t('Route'), kind: 'route' },
      { key: 'venue_id', title: t('Venue'), kind: 'venue' },
      { key: 'recipient_name', title: t('Payee') },
      { key: 'destination_address', title: t('To address'), kind: 'id' },
      { key: 'account_id', title: t('Account'), kind: 'account' },
      { ...THIRD_PARTY_FIELD, kind: 'flag' },
      { key: 'tag', title: t('Tag', { context: 'address' }) },
      { key: 'protocol', title: t('Protocol') },
      { key: 'reference_text', title: t('Reference') },
      ...TEXT_FIELDS,
    ],
  },
  {
    title: t('At the venue'),
    fields: [
      { key: 'external_id', title: t('Our reference'), kind: 'id' },
      { key: 'foreign_id', title: t('Venue reference'), kind: 'id' },
      { key: 'transaction_hash', title: t('Transaction'), kind: 'id' },
      {
        key: 'former_transactions',
        title: t('Earlier transactions'),
        value: (row) =>
          row.former_transactions.map((former) => former.transaction_hash).join(', ') || null,
      },
      { key: 'confirmations', title: t('Confirmations'), kind: 'number' },
      { key: 'execution_date', title: t('Execution expected') },
      { key: 'value_date', title: t('Value date') },
      { key: 'submitted_at', title: t('Sent'), kind: 'time' },
      { key: 'completed_at', title: t('Ended'), kind: 'time' },
      { key: 'resolved_by', title: t('Resolved by'), kind: 'user' },
      { key: 'evidence', title: t('Evidence') },
      {
        key: 'payee_check',
        title: t('Payee check'),
        value: ({ payee_check: code }) => (code === null ? null : payeeCheckWords(code)),
      },
      { key: 'payee_name', title: t('Name of the account') },
      {
        key: 'review_decision',
        title: t('Decision on payee'),
        value: (row) => (row.review_decision === null ? null : inWords(row.review_decision)),
      },
      { key: 'review_reason', title: t('Why so decided') },
      { key: 'review_decided_by', title: t('Decided by'), kind: 'user' },
      { key: 'review_decided_at', title: t('Decided'), kind: 'time' },
    ],
  },
  COMMON_FIELDS,
]

/** Of a record alone: it asks for what the row does not have. */
const RECORD_SECTIONS: readonly Section<Withdrawal>[] = [
  ...SECTIONS.slice(0, 1),
  {
    fields: [
      { key: 'deposits', title: t('Deposit'), render: (row) => <DepositsOf withdrawal={row} /> },
    ],
  },
  ...SECTIONS.slice(1),
]

const TABS: readonly Tab<Withdrawal>[] = [
  {
    key: 'assignments',
    label: t('Assignments'),
    node: (row) => <Assignments withdrawal={row} />,
  },
  { key: 'stakes', label: t('Payments'), node: (row) => <Payments withdrawal={row} /> },
  {
    key: 'rectifications',
    label: t('Rectifications'),
    node: (row) => <RectificationsOfWithdrawal id={row.id} />,
  },
  {
    key: 'travel-rule',
    label: t('Travel rule'),
    node: (row) => <TravelRule withdrawal={row} />,
  },
]

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Withdrawal')}
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
          {row.reason_code === 'TRAVEL_RULE_DATA' && (
            <ActionButton plan={giveTravelRule} row={row} primary />
          )}
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

function Assignments({ withdrawal }: { withdrawal: Withdrawal }): ReactNode {
  const { data, error, refetch } = useGet('/treasury/withdrawals/{withdrawal_id}/assignments', {
    params: { withdrawal_id: withdrawal.id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <AssignmentRows
      rows={data}
      state={withdrawal.state}
      empty={
        <Empty title={t('Not assigned yet')}>
          {t(
            'A withdrawal with an account is assigned when it succeeds. Any other is booked ' +
              'to suspense when it leaves, and stays there until somebody assigns it.',
          )}
        </Empty>
      }
    />
  )
}

/** The payments that a batch bundled into this withdrawal. */
function Payments({ withdrawal: { stakes, asset } }: { withdrawal: Withdrawal }): ReactNode {
  return (
    <Rows
      label={t('Payments')}
      rows={stakes ?? []}
      keyOf={(row) => `${row.route_id} ${row.account_id} ${row.quantity}`}
      empty={
        <Empty title={t('One payment only')}>
          {t('Only a batch withdrawal has several payments.')}
        </Empty>
      }
      columns={[
        { key: 'quantity', title: t('Amount'), kind: 'amount', asset: () => asset, width: 160 },
        { key: 'destination', title: t('To address'), kind: 'id' },
        { key: 'account_id', title: t('Account'), kind: 'account' },
        ...TEXT_FIELDS,
      ]}
    />
  )
}
