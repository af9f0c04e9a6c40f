import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { NamePicker } from '../../action/inputs.tsx'
import type { Column } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { Empty } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'
import { ValueDate } from '../../parts/values.tsx'

type Line = RowOf<'/bookings/accounts/{account_id}/statement'>

const DATES: readonly Column<Line>[] = [
  // The opening balance of all times has no date.
  { key: 'booked_at', title: 'Booked', kind: 'time', value: (line) => line.booked_at || null },
  {
    key: 'value_date',
    title: 'Value date',
    kind: 'time',
    render: (line) => <ValueDate at={line.value_date} short />,
  },
]

/** One account, per asset: opening balance, every booking, closing balance. */
export function Page(): ReactNode {
  const [params, setParams] = useSearchParams()
  const account_id = params.get('account_id') ?? ''
  const picker = (
    <div className="filters">
      <label className="time-filter">
        Account{' '}
        <NamePicker
          of="account"
          aria-label="Account"
          {...(account_id === '' ? {} : { value: account_id })}
          onChange={(id) => {
            setParams((old) => {
              const next = new URLSearchParams(old)
              next.set('account_id', id)
              return next
            })
          }}
        />
      </label>
    </div>
  )
  if (account_id === '') {
    return (
      <section className="page" aria-label="Statements">
        <header className="page-head">
          <h1>Statements</h1>
        </header>
        {picker}
        <Empty title="No account chosen">Choose an account to see its statement.</Empty>
      </section>
    )
  }
  return (
    <WorkList
      key={account_id}
      title="Statements"
      path="/bookings/accounts/{account_id}/statement"
      params={{ account_id }}
      live={['booking']}
      above={picker}
      keyOf={(line) => `${line.line} ${line.asset} ${line.sequence ?? ''}`}
      record={(line) => (line.booking_id === null ? '' : `/books/bookings/${line.booking_id}`)}
      columns={[
        ...DATES,
        { key: 'what', title: 'Entry', value: entryOf, width: 170 },
        { key: 'asset', title: 'Asset', width: 80 },
        { key: 'debit', title: 'Debit', kind: 'amount' },
        { key: 'credit', title: 'Credit', kind: 'amount' },
        { key: 'balance', title: 'Balance', kind: 'amount' },
        { key: 'description', title: 'Description', width: 180 },
        { key: 'sequence', title: 'No.', kind: 'number' },
        { key: 'reference_id', title: 'Cause', kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'from', label: 'Since', kind: 'time' },
        { name: 'to', label: 'Until', kind: 'time' },
        { name: 'assets', label: 'Assets, e.g. EUR,BTC', kind: 'text' },
      ]}
      empty={{
        title: 'No bookings on this account',
        text: 'Assigned deposits, trades and manual bookings appear here.',
      }}
    />
  )
}

function entryOf({ line, type }: Line): string {
  if (line === 'BOOKING') return inWords(type ?? line)
  return line === 'OPENING' ? 'Opening balance' : 'Closing balance'
}
