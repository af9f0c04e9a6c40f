import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { percent } from '../../parts/amount-words.ts'
import { Amount } from '../../parts/values.tsx'

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
    { label: t('Price'), of: (side) => <Amount value={side.price} asset={quoted} price /> },
    { label: t('Amount'), of: (side) => <Amount value={side.amount} asset={base} /> },
    { label: t('Volume'), of: (side) => <Amount value={side.volume} asset={quoted} /> },
    { label: t('Venue price'), of: (side) => <Amount value={side.vwap} asset={quoted} price /> },
    { label: t('Fee'), of: (side) => <Amount value={side.fee} asset={quoted} /> },
    { label: t('Risk'), of: (side) => <Amount value={side.risk} asset={quoted} /> },
    { label: t('Margin'), of: (side) => <Amount value={side.margin} asset={quoted} /> },
    {
      label: t('The market had'),
      of: (side) => <Amount value={side.available_amount} asset={base} />,
    },
    {
      label: t('Full quantity'),
      of: (side) => (side.complete ? t('Yes') : <strong>{t('No')}</strong>),
    },
  ]
  return (
    <div className="rows">
      <table className="grid quote-sides" aria-label={t('Both sides of the quote')}>
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden">{t('Part', { context: 'price' })}</span>
            </th>
            <th scope="col" className="right">
              {t('Customer sells')}
            </th>
            <th scope="col" className="right">
              {t('Customer buys')}
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
        {t(
          quote.firm
            ? 'Margin {{margin}}, risk {{risk}}, held for {{seconds}} s.'
            : 'Margin {{margin}}, risk {{risk}}, not held.',
          {
            margin: percent(quote.margin),
            risk: percent(quote.risk),
            seconds: quote.risk_duration_ms / 1000,
          },
        )}
      </p>
    </div>
  )
}
