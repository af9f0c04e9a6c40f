import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../action/action.tsx'
import type { ActionPlan } from '../action/action.tsx'
import { useGet } from '../api/query.ts'
import { Rows } from '../list/grid.tsx'
import { WorkList } from '../list/work-list.tsx'
import type { RowOf } from '../list/work-list.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Amount } from '../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../record/record.tsx'

type Withdrawal = RowOf<'/treasury/withdrawals'>

const STATES = ['PENDING', 'PENDING_REVIEW', 'UNKNOWN', 'SUCCESS', 'FAILED', 'REJECTED', 'CANCELED'] as const

const cancel: ActionPlan<'post', '/treasury/withdrawals/{withdrawal_id}/cancel', Withdrawal> = {
  label: 'Cancel withdrawal',
  permission: 'treasury.withdrawals.cancel',
  danger: true,
  why: ({ state }) => (state === 'PENDING' || state === 'PENDING_REVIEW' ? undefined : 'Only a withdrawal that has not ended can be canceled'),
  explain: () => 'It is canceled when it has not left yet; what was blocked for it is free again.',
  fields: [{ name: 'reason', label: 'Why', kind: 'text' }],
  method: 'post',
  path: '/treasury/withdrawals/{withdrawal_id}/cancel',
  request: ({ id }, { reason }) => ({ params: { withdrawal_id: id }, body: reason === undefined ? {} : { reason: String(reason) } }),
  done: () => 'Canceled',
}

const recheck: ActionPlan<'post', '/treasury/withdrawals/{withdrawal_id}/recheck', Withdrawal> = {
  label: 'Ask the venue',
  permission: 'treasury.withdrawals.resolve',
  why: ({ state }) => (state === 'UNKNOWN' || state === 'PENDING' || state === 'PENDING_REVIEW' ? undefined : 'It has ended'),
  explain: () => 'The venue is asked now what has become of it.',
  method: 'post',
  path: '/treasury/withdrawals/{withdrawal_id}/recheck',
  request: ({ id }) => ({ params: { withdrawal_id: id } }),
  done: () => 'The venue is asked',
}

export function Page(): ReactNode {
  return (
    <WorkList
      title="Withdrawals" path="/treasury/withdrawals" live={['withdrawal']}
      columns={[
        { key: 'system_created_at', title: 'Created', kind: 'time' },
        { key: 'state', title: 'State', kind: 'status' },
        { key: 'quantity', title: 'Amount', kind: 'amount', asset: (row) => row.asset },
        { key: 'fee', title: 'Fee', kind: 'amount', asset: (row) => row.fee_asset, width: 150 },
        { key: 'from_wallet_id', title: 'From', kind: 'wallet' },
        { key: 'destination_address', title: 'To address', kind: 'id' },
        { key: 'account_id', title: 'Account', kind: 'account' },
        { key: 'origin', title: 'Origin', width: 100 },
        { key: 'transaction_hash', title: 'Transaction', kind: 'id' },
        { key: 'venue_id', title: 'Venue', kind: 'venue', extra: true },
        { key: 'protocol', title: 'Protocol', extra: true },
        { key: 'external_id', title: 'Our reference', kind: 'id', extra: true },
        { key: 'foreign_id', title: 'Venue reference', kind: 'id', extra: true },
        { key: 'completed_at', title: 'Ended', kind: 'time', extra: true },
        { key: 'note', title: 'Note', extra: true },
        { key: 'id', title: 'Id', kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'state', label: 'State', kind: 'words', options: STATES, many: true },
        { name: 'stuck', label: 'Stuck', kind: 'flag' },
      ]}
      empty={{ title: 'No withdrawals yet', text: 'A withdrawal is made over a route: Treasury → Routes.' }}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="Withdrawal" path="/treasury/withdrawals/{withdrawals_id}" request={{ params: { withdrawals_id: id } }} live={['withdrawal']}
      title={(row) => <><Amount value={row.quantity} asset={row.asset} /> <Status state={row.state} /></>}
      actions={(row) => <><ActionButton plan={recheck} row={row} /><ActionButton plan={cancel} row={row} /></>}
      sections={[
        {
          fields: [
            { key: 'quantity', title: 'Arrives', kind: 'amount', asset: (row) => row.asset },
            { key: 'state', title: 'State', kind: 'status' },
            { key: 'fee', title: 'Fee', kind: 'amount', asset: (row) => row.fee_asset },
            { key: 'sub_state', title: 'Venue says' },
            { key: 'fee_estimate', title: 'Fee expected', kind: 'amount' },
            { key: 'reason', title: 'Reason' },
            { key: 'speed_level', title: 'Speed' },
            { key: 'origin', title: 'Origin' },
          ],
        },
        {
          title: 'From and to', fields: [
            { key: 'from_wallet_id', title: 'From', kind: 'wallet' },
            { key: 'to_wallet_id', title: 'To', kind: 'wallet' },
            { key: 'venue_id', title: 'Venue', kind: 'venue' },
            { key: 'destination_address', title: 'To address', kind: 'id' },
            { key: 'account_id', title: 'Account', kind: 'account' },
            { key: 'tag', title: 'Tag' },
            { key: 'protocol', title: 'Protocol' },
            { key: 'reference_text', title: 'Reference' },
            { key: 'note', title: 'Note' },
          ],
        },
        {
          title: 'At the venue', fields: [
            { key: 'external_id', title: 'Our reference', kind: 'id' },
            { key: 'foreign_id', title: 'Venue reference', kind: 'id' },
            { key: 'transaction_hash', title: 'Transaction', kind: 'id' },
            { key: 'confirmations', title: 'Confirmations', kind: 'number' },
            { key: 'submitted_at', title: 'Sent', kind: 'time' },
            { key: 'completed_at', title: 'Ended', kind: 'time' },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[{ key: 'assignments', label: 'Assignments', node: (row) => <Assignments withdrawal={row} /> }]}
    />
  )
}

function Assignments({ withdrawal }: { withdrawal: Withdrawal }): ReactNode {
  const { data, error, refetch } = useGet('/treasury/withdrawals/{withdrawal_id}/assignments', { params: { withdrawal_id: withdrawal.id } })
  if (error !== null) return <Failure error={error} again={refetch} />
  return (
    <Rows
      label="Assignments" rows={data ?? []} keyOf={(row) => row.id} empty={<Empty title="Nothing of it is assigned">A withdrawal with an account is assigned when it has ended; another can be assigned by hand.</Empty>}
      columns={[
        { key: 'status', title: 'Status', kind: 'status', width: 120 },
        { key: 'quantity', title: 'Amount', kind: 'amount', asset: (row) => row.asset, width: 160 },
        { key: 'account_id', title: 'Account', kind: 'account' },
        { key: 'booked_at', title: 'Booked', kind: 'time' },
      ]}
    />
  )
}
