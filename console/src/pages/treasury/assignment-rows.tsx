/** The assignments of one movement, inside its record. */
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { PdfButton } from '../../parts/save-button.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { Decide } from './decide.tsx'
import type { DepositAssignment, WithdrawalAssignment } from './assign.tsx'

/** A reversed assignment keeps its status; it is shown as rectified. */
export function AssignmentStatus({
  of,
}: {
  of: { status: string; rectification_id: string | null }
}): ReactNode {
  return of.rectification_id === null ? (
    <Status state={of.status} />
  ) : (
    <Status state="RECTIFIED" tone="off" />
  )
}

export function AssignmentRows({
  rows,
  state,
  empty,
}: {
  rows: readonly (DepositAssignment | WithdrawalAssignment)[]
  /** Of the movement. */
  state: string
  empty: ReactNode
}): ReactNode {
  return (
    <Rows
      label={t('Assignments')}
      rows={rows}
      keyOf={(row) => row.id}
      empty={empty}
      columns={[
        {
          key: 'status',
          title: t('State'),
          width: 125,
          render: (row) => <AssignmentStatus of={row} />,
        },
        {
          key: 'quantity',
          title: t('Amount'),
          kind: 'amount',
          width: 130,
          render: (row) => <Amount value={row.quantity} asset={row.asset} />,
        },
        {
          key: 'account_id',
          title: t('Account'),
          width: 165,
          render: (row) => (
            <Link to={`/books/accounts/${row.account_id}`} className="record-link">
              <Name of="account" id={row.account_id} />
            </Link>
          ),
        },
        { key: 'source', title: t('Source'), value: (row) => inWords(row.source), width: 110 },
        ...(rows.some((row) => row.status !== 'SUCCESSFUL')
          ? [
              {
                key: 'decide',
                title: t('Decision'),
                width: 150,
                render: (row: DepositAssignment | WithdrawalAssignment) => (
                  <Decide assignment={{ ...row, movement_state: state }} />
                ),
              },
            ]
          : []),
        { key: 'booked_at', title: t('Booked'), kind: 'time' },
        ...(new Set(rows.map(({ account_id }) => account_id)).size > 1
          ? [{ key: 'paper', title: t('Confirmation'), width: 130, render: confirmationOf }]
          : []),
      ]}
    />
  )
}

/** Of several owners each gets a confirmation that names no other. */
function confirmationOf(row: DepositAssignment | WithdrawalAssignment): ReactNode {
  const { account_id, rectification_id } = row
  if (row.status !== 'SUCCESSFUL' || rectification_id !== null) return null
  const query = { account_id }
  return 'deposit_id' in row ? (
    <PdfButton
      path="/treasury/deposits/{deposit_id}"
      request={{ params: { deposit_id: row.deposit_id }, query }}
      name="Confirmation of deposit"
    />
  ) : (
    <PdfButton
      path="/treasury/withdrawals/{withdrawals_id}"
      request={{ params: { withdrawals_id: row.withdrawal_id }, query }}
      name="Confirmation of payment"
    />
  )
}
