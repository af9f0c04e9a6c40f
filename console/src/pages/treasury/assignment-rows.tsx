/** The assignments of one movement, inside its record. */
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Rows } from '../../list/grid.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { Status } from '../../parts/status.tsx'
import { Decide } from './assign.tsx'
import type { DepositAssignment, WithdrawalAssignment } from './assign.tsx'

export function AssignmentRows({ rows, empty }: { rows: readonly (DepositAssignment | WithdrawalAssignment)[]; empty: ReactNode }): ReactNode {
  return (
    <Rows
      label="Assignments" rows={rows} keyOf={(row) => row.id} empty={empty}
      columns={[
        { key: 'status', title: 'Status', width: 150, render: (row) => (row.rectification_id === null ? <Status state={row.status} /> : <Status state="RECTIFIED" tone="off" />) },
        { key: 'quantity', title: 'Amount', kind: 'amount', width: 150, render: (row) => <Amount value={row.quantity} asset={row.asset} /> },
        { key: 'account_id', title: 'Account', width: 180, render: (row) => <Link to={`/books/accounts/${row.account_id}`} className="record-link"><Name of="account" id={row.account_id} /></Link> },
        { key: 'source', title: 'By', width: 110 },
        ...(rows.some((row) => row.status !== 'SUCCESSFUL') ? [{ key: 'decide', title: 'Decision', width: 150, render: (row: DepositAssignment | WithdrawalAssignment) => <Decide assignment={row} /> }] : []),
        { key: 'booked_at', title: 'Booked', kind: 'time' },
      ]}
    />
  )
}
