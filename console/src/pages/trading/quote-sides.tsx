import type { ReactNode } from 'react'
import type { RowOf } from '../../list/work-list.tsx'
import { Amount } from '../../parts/values.tsx'
import { percent } from './words.tsx'

export type Quote = RowOf<'/price-stream/quotes'>

/** Both sides of a quote side by side, with the components of the price. */
export function QuoteSides({
  quote,
  base,
  quoted,
}: {
  quote: Quote
  base: string
  quoted: string
}): ReactNode {
  const lines: { label: string; of(side: Quote['buy']): ReactNode }[] = [
    { label: 'Price', of: (side) => <Amount value={side.price} asset={quoted} price /> },
    { label: 'Amount', of: (side) => <Amount value={side.amount} asset={base} /> },
    { label: 'Volume', of: (side) => <Amount value={side.volume} asset={quoted} /> },
    { label: 'Venue price', of: (side) => <Amount value={side.vwap} asset={quoted} price /> },
    { label: 'Fee', of: (side) => <Amount value={side.fee} asset={quoted} /> },
    { label: 'Risk', of: (side) => <Amount value={side.risk} asset={quoted} /> },
    { label: 'Margin', of: (side) => <Amount value={side.margin} asset={quoted} /> },
    {
      label: 'The market had',
      of: (side) => <Amount value={side.available_amount} asset={base} />,
    },
    {
      label: 'Full quantity',
      of: (side) => (side.complete ? 'Yes' : <strong>No</strong>),
    },
  ]
  return (
    <div className="rows">
      <table className="grid quote-sides" aria-label="Both sides of the quote">
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden">Part</span>
            </th>
            <th scope="col" className="right">
              Customer sells
            </th>
            <th scope="col" className="right">
              Customer buys
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ label, of }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className="right">{of(quote.sell)}</td>
              <td className="right">{of(quote.buy)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="quote-note">
        Margin {percent(quote.margin)}, risk {percent(quote.risk)}
        {quote.firm ? `, held for ${quote.risk_duration_ms / 1000} s` : ', not held'}.
      </p>
    </div>
  )
}
