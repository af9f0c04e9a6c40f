/** The price of one side with its order, what may be wrong with it, and the button that orders. */
import { Button, Tooltip } from 'antd'
import type { ReactNode } from 'react'
import { Trans, t } from '../../language/index.ts'
import { Amount, NOTHING } from '../../parts/values.tsx'
import type { Quote } from './quote-sides.tsx'
import { SurpriseWords } from './surprise-question.tsx'
import type { Lack, Surprise } from './surprises.ts'
import type { Side } from './words.tsx'

export type Limit = { price: string; amount: string; volume: string }

type TileProps = {
  side: Side
  quote: Quote | undefined
  /** What it costs at most, or brings at least; the market's figures are what it is made at. */
  limit: Limit | undefined
  base: string
  quoted: string
  order: string
  why: string | undefined
  surprise: Surprise | undefined
  lack: Lack | undefined
  trade(side: Side): void
}

export function Tile({
  side,
  quote,
  limit,
  base,
  quoted,
  order,
  why,
  surprise,
  lack,
  trade,
}: TileProps): ReactNode {
  const priced = side === 'BUY' ? quote?.buy : quote?.sell
  const none = priced === undefined || priced.price === null
  return (
    <section
      className={`tile ${side.toLowerCase()}`}
      aria-label={side === 'BUY' ? t('Customer buys') : t('Customer sells')}
    >
      <h3>{side === 'BUY' ? t('Customer buys') : t('Customer sells')}</h3>
      <p className="tile-price">
        {none && limit === undefined ? (
          NOTHING
        ) : (
          <Amount value={limit?.price ?? priced?.price} asset={quoted} price />
        )}
      </p>
      {limit !== undefined && (
        <LimitFacts
          side={side}
          limit={limit}
          market={priced?.price ?? null}
          base={base}
          quoted={quoted}
        />
      )}
      {!none && limit === undefined && (
        <TileFacts side={side} priced={priced} base={base} quoted={quoted} />
      )}
      <TileWarnings
        side={side}
        priced={priced}
        base={base}
        quoted={quoted}
        surprise={surprise}
        lack={lack}
      />
      <Tooltip title={why}>
        <Button
          block
          type="primary"
          className={`trade ${side.toLowerCase()}${why === undefined ? '' : ' cannot'}`}
          aria-disabled={why !== undefined}
          {...(why === undefined ? {} : { 'aria-description': why })}
          onClick={() => {
            if (why === undefined) trade(side)
          }}
        >
          {buttonWords(side, order)}
        </Button>
      </Tooltip>
    </section>
  )
}

type FactsProps = Pick<TileProps, 'side' | 'base' | 'quoted'> & { priced: Quote['buy'] }

function TileFacts({ side, priced, base, quoted }: FactsProps): ReactNode {
  return (
    <dl>
      <div>
        <dt>{side === 'BUY' ? t('Pays') : t('Receives')}</dt>
        <dd>
          <strong>
            <Amount value={priced.volume} asset={quoted} />
          </strong>
        </dd>
      </div>
      <div>
        <dt>{t('For')}</dt>
        <dd>
          <Amount value={priced.amount} asset={base} />
        </dd>
      </div>
      {[
        { name: t('Fee'), value: priced.fee },
        { name: t('Risk'), value: priced.risk },
        { name: t('Margin'), value: priced.margin },
      ].map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Amount value={value} asset={quoted} />
          </dd>
        </div>
      ))}
      <div>
        <dt>{t('The market has')}</dt>
        <dd>
          <Amount value={priced.available_amount} asset={base} />
        </dd>
      </div>
    </dl>
  )
}

/** What the order comes to at its limit, and where the market is. */
function LimitFacts({
  side,
  limit: { amount, volume },
  market,
  base,
  quoted,
}: Omit<FactsProps, 'priced'> & { limit: Limit; market: string | null }): ReactNode {
  return (
    <dl>
      <div>
        <dt>{side === 'BUY' ? t('Pays at most') : t('Receives at least')}</dt>
        <dd>
          <strong>
            <Amount value={volume} asset={quoted} />
          </strong>
        </dd>
      </div>
      <div>
        <dt>{t('For')}</dt>
        <dd>
          <Amount value={amount} asset={base} />
        </dd>
      </div>
      <div>
        <dt>{t('Market now')}</dt>
        <dd>
          <Amount value={market} asset={quoted} price />
        </dd>
      </div>
    </dl>
  )
}

/** What may not be meant, or not be possible. Its room is kept: the button stays where it is. */
function TileWarnings({
  side,
  priced,
  base,
  quoted,
  surprise,
  lack,
}: Omit<FactsProps, 'priced'> &
  Pick<TileProps, 'surprise' | 'lack'> & { priced: Quote['buy'] | undefined }): ReactNode {
  return (
    <div className="tile-warnings">
      {priced !== undefined && !priced.complete && (
        <p className="tile-warning">
          <Trans
            i18nKey="The market has less than the full quantity now. This price is for <amount/>."
            components={{ amount: <Amount value={priced.amount} asset={base} /> }}
          />
        </p>
      )}
      {surprise !== undefined && (
        <p className="tile-warning">
          <SurpriseWords side={side} surprise={surprise} quoted={quoted} />
        </p>
      )}
      {lack !== undefined && (
        <p className="tile-warning">
          <Trans
            i18nKey="The order needs <amount/>; the customer has <amount2/>."
            components={{
              amount: <Amount value={lack.needs} asset={lack.asset} />,
              amount2: <Amount value={lack.has} asset={lack.asset} />,
            }}
          />
        </p>
      )}
    </div>
  )
}

/** `Buy 0.2 BTC limit`; German has the verb at the end. */
function buttonWords(side: Side, order: string): string {
  if (order === '')
    return side === 'BUY' ? t('Buy', { context: 'verb' }) : t('Sell', { context: 'verb' })
  return side === 'BUY' ? t('Buy {{order}}', { order }) : t('Sell {{order}}', { order })
}
