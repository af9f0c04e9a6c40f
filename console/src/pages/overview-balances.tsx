/** Balances of the whole house on the overview: per asset by owner, and by venue. */
import { addAmounts, isZero, negated } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import type { Column } from '../list/columns.tsx'
import { Rows } from '../list/grid.tsx'
import { Empty } from '../parts/states.tsx'
import { Amount, NOTHING } from '../parts/values.tsx'

type Asset = NonNullable<DataOf<'get', '/overview'>['assets']>[number]

const amount = (key: keyof Asset & string, title: string, width: number): Column<Asset> => ({
  key,
  title,
  kind: 'amount',
  width,
  render: (row) => <Quiet value={row[key] as string} />,
})

/** A zero amount is shown as nothing. */
function Quiet({ value }: { value: string | null }): ReactNode {
  return value === null || isZero(value) ? NOTHING : <Amount value={value} />
}

const NAME: Column<Asset> = {
  key: 'asset',
  title: 'Asset',
  width: 70,
  render: (row) => <strong>{row.asset}</strong>,
}
const OWNER_COLUMNS: readonly Column<Asset>[] = [
  NAME,
  amount('held', 'At venues', 125),
  amount('owed', 'Customers', 125),
  amount('house', 'House', 115),
  amount('unassigned', 'Unassigned', 115),
  amount('transit', 'In transit', 105),
  amount('pending_in', 'Arriving', 95),
  amount('pending_out', 'Leaving', 95),
  amount('trading', 'Unsettled', 110),
  {
    key: 'revenue',
    title: 'Margin, risk',
    kind: 'amount',
    width: 110,
    render: (row) => (
      <span title={`Margin ${row.margin}, risk ${row.risk}`}>
        <Quiet value={addAmounts(row.margin, row.risk)} />
      </span>
    ),
  },
  amount('fee', 'Fees paid', 100),
]

function venueColumns(assets: readonly Asset[]): Column<Asset>[] {
  const labels = new Map(
    assets.flatMap(({ venues }) => venues.map(({ venue_id, label }) => [venue_id, label] as const)),
  )
  return [...labels]
    .toSorted((a, b) => a[1].localeCompare(b[1]))
    .map(([venue_id, label]) => ({
      key: venue_id,
      title: label,
      kind: 'amount',
      width: 140,
      render: (row) => (
        <BalanceInBooks at={row.venues.find((venue) => venue.venue_id === venue_id)} />
      ),
    }))
}

export function BalancePanels({ assets }: { assets: readonly Asset[] }): ReactNode {
  if (assets.length === 0)
    return (
      <section className="panel">
        <Empty title="No balances yet">
          Connect a venue. Its balances become the opening balances.
        </Empty>
      </section>
    )
  return (
    <>
      <section className="panel" aria-label="Totals">
        <h2>Balances by owner</h2>
        <Rows<Asset>
          label="Totals per asset"
          rows={assets}
          keyOf={(row) => row.asset}
          columns={OWNER_COLUMNS}
        />
      </section>
      <section className="panel" aria-label="Balances by venue">
        <h2>Balances by venue</h2>
        <Rows<Asset>
          label="Held per venue"
          rows={assets}
          keyOf={(row) => row.asset}
          columns={[NAME, ...venueColumns(assets)]}
        />
      </section>
    </>
  )
}

/** The balance in the books; beside it the balance at the venue if the two differ. */
function BalanceInBooks({ at }: { at: Asset['venues'][number] | undefined }): ReactNode {
  if (at === undefined) return NOTHING
  const differs = at.reported !== null && !isZero(addAmounts(at.held, negated(at.reported)))
  return (
    <span className={differs ? 'differs' : undefined} title={reportWords(at.reported, differs)}>
      <Quiet value={at.held} />
      {differs && (
        <small>
          venue <Amount value={at.reported} />
        </small>
      )}
    </span>
  )
}

function reportWords(reported: string | null, differs: boolean): string {
  if (reported === null) return 'The venue does not report a balance'
  return differs
    ? `The venue reports ${reported}. Its report may be late, or trades are not settled.`
    : `The venue reports ${reported}`
}
