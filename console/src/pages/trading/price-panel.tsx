/** Both prices of a ticket with their buttons, and a comparison of the routes. */
import { Button, Segmented, Tooltip } from 'antd'
import type { ReactNode } from 'react'
import { useNames } from '../../api/names.ts'
import { Trans, lowered, t } from '../../language/index.ts'
import { errorText, Failure } from '../../parts/states.tsx'
import { Amount } from '../../parts/values.tsx'
import { bestOf } from './best.ts'
import type { Answer } from './live-quotes.ts'
import type { Quote } from './quote-sides.tsx'
import { Tile } from './price-tile.tsx'
import type { Limit } from './price-tile.tsx'
import type { Lack, Surprise } from './surprises.ts'
import { Countdown } from './words.tsx'
import type { Side } from './words.tsx'

const HOLDS = [10_000, 30_000, 60_000] as const
export type Hold = (typeof HOLDS)[number]

type PricePanelProps = {
  base: string
  quoted: string
  answers: readonly Answer[]
  held: Quote | undefined
  /** Of a limit order. */
  limit: Limit | undefined
  /** The prices belong to the previous request. */
  old: boolean
  /** What stands on the buttons behind Buy and Sell. */
  order: string
  why(side: Side): string | undefined
  /** What the order may do that is not meant. */
  surprise(side: Side): Surprise | undefined
  /** What the customer lacks for the order. */
  lacks(side: Side): Lack | undefined
  trade(side: Side): void
  hold: {
    length: Hold
    choose(length: Hold): void
    begin(): void
    why: string | undefined
    busy: boolean
    /** A price was held for this request, and no longer is. */
    ranOut: boolean
  }
}

export function PricePanel({
  base,
  quoted,
  answers,
  held,
  limit,
  old,
  order,
  why,
  surprise,
  lacks,
  trade,
  hold,
}: PricePanelProps): ReactNode {
  const quotes = answers.flatMap((answer) => ('quote' in answer ? [answer.quote] : []))
  const failed = answers.find((answer) => 'error' in answer)
  const shownOf = (side: Side) => held ?? bestOf(side, quotes)
  return (
    <section className="panel" aria-label={t('Prices')}>
      <header className="panel-head">
        <h2>{headOf(held, limit)}</h2>
        {held !== undefined && <Countdown of={held.id} length={held.risk_duration_ms} />}
        {held === undefined && quotes.length > 0 && (
          <span className="count">{t('Refreshed every four seconds; not held')}</span>
        )}
        <span className="space" />
        <HoldControls hold={hold} held={held !== undefined} />
      </header>
      {quotes.length === 0 && held === undefined && failed !== undefined && 'error' in failed && (
        <Failure error={failed.error} />
      )}
      <RanOut hold={hold} />
      <div className={`tiles${old ? ' old' : ''}`} aria-busy={old}>
        <Tile
          side="SELL"
          quote={shownOf('SELL')}
          limit={limit}
          base={base}
          quoted={quoted}
          order={order}
          why={why('SELL')}
          surprise={surprise('SELL')}
          lack={lacks('SELL')}
          trade={trade}
        />
        <Tile
          side="BUY"
          quote={shownOf('BUY')}
          limit={limit}
          base={base}
          quoted={quoted}
          order={order}
          why={why('BUY')}
          surprise={surprise('BUY')}
          lack={lacks('BUY')}
          trade={trade}
        />
      </div>
      {answers.length > 1 && held === undefined && (
        <RouteComparison answers={answers} quoted={quoted} base={base} />
      )}
    </section>
  )
}

function headOf(held: Quote | undefined, limit: Limit | undefined): string {
  if (limit !== undefined) return t('At the limit')
  return held === undefined ? t('Current price') : t('Held price')
}

/** Says so when a held price has run out, and holds it again; or why none can be held. */
function RanOut({ hold: { ranOut, begin, busy, why } }: Pick<PricePanelProps, 'hold'>): ReactNode {
  return (
    <div role="status" className="ran-out">
      {ranOut && (
        <Trans
          i18nKey={
            'The held price has run out. The prices below are current and not held. ' +
            '<button>Hold the price again</button>'
          }
          components={{ button: <Button size="small" loading={busy} onClick={begin} /> }}
        />
      )}
      {!ranOut && why !== undefined && (
        <small>{t('Hold price: {{why}}', { why: lowered(why) })}</small>
      )}
    </div>
  )
}

/** How long to hold the price, and the button that holds it. */
function HoldControls({
  hold: { length, choose, begin, why, busy },
  held,
}: {
  hold: PricePanelProps['hold']
  held: boolean
}): ReactNode {
  return (
    <>
      <Segmented
        size="small"
        aria-label={t('Hold time')}
        value={length}
        options={HOLDS.map((value) => ({ value, label: `${value / 1000} s` }))}
        onChange={choose}
      />
      <Tooltip title={why}>
        <Button
          size="small"
          loading={busy}
          aria-disabled={why !== undefined}
          className={why === undefined ? '' : 'cannot'}
          {...(why === undefined ? {} : { 'aria-description': why })}
          onClick={() => {
            if (why === undefined) begin()
          }}
        >
          {held ? t('Hold again') : t('Hold price')}
        </Button>
      </Tooltip>
    </>
  )
}

function RouteComparison({
  answers,
  base,
  quoted,
}: {
  answers: readonly Answer[]
  base: string
  quoted: string
}): ReactNode {
  const names = useNames('price_route')
  const quotes = answers.flatMap((answer) => ('quote' in answer ? [answer.quote] : []))
  const [sell, buy] = [bestOf('SELL', quotes)?.route_id, bestOf('BUY', quotes)?.route_id]
  const price = (side: Quote['buy'], best: boolean): ReactNode => (
    <span className={best ? 'best' : undefined}>
      <Amount value={side.price} asset={quoted} price />
      {best && <span className="best-mark"> {t('best')}</span>}
      {!side.complete && (
        <>
          {' '}
          <Trans
            i18nKey="<br/>for <amount/>"
            components={{ br: <br />, amount: <Amount value={side.amount} asset={base} /> }}
          />
        </>
      )}
    </span>
  )
  return (
    <div className="rows" role="region" aria-label={t('Routes compared')} tabIndex={0}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{t('Route')}</th>
            <th scope="col" className="right">
              {t('Customer sells')}
            </th>
            <th scope="col" className="right">
              {t('Customer buys')}
            </th>
          </tr>
        </thead>
        <tbody>
          {answers.map((answer) => (
            <tr key={answer.route_id}>
              <td title={names.get(answer.route_id)}>
                {names.get(answer.route_id) ?? answer.route_id}
              </td>
              {'quote' in answer ? (
                <>
                  <td className="right">{price(answer.quote.sell, sell === answer.route_id)}</td>
                  <td className="right">{price(answer.quote.buy, buy === answer.route_id)}</td>
                </>
              ) : (
                <td colSpan={2} title={errorText(answer.error).title}>
                  {errorText(answer.error).title}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
