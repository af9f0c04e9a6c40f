/** Buying and selling, from the ticket or from a quote, with what is confirmed before. */
import { multiplyAmounts } from '@kontor/client'
import { Button } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { ActionPlan, Fact } from '../../action/plan.ts'
import { Trans, lowered, t } from '../../language/index.ts'
import { percent } from '../../parts/amount-words.ts'
import { localTime } from '../../parts/local-time.ts'
import { Amount, Name } from '../../parts/values.tsx'
import type { ExecutionBody } from './draft.ts'
import type { Quote } from './quote-sides.tsx'
import { SurpriseQuestion } from './surprise-question.tsx'
import type { Surprise } from './surprises.ts'
import { CONDITION_WORDS, Countdown, SideWord, TIF_WORDS, TYPE_WORDS, useLeft } from './words.tsx'
import type { Side } from './words.tsx'

/** An order that is not sent yet. */
export type Draft = {
  body: ExecutionBody
  base: string
  quoted: string
  /** The name of the route, or that the best one is taken. */
  over: string
  /** The price shown for it, when there is one. */
  shown?: Quote | undefined
  surprise?: Surprise | undefined
  /** Holds the price again. */
  anew?: (() => void) | undefined
}

export const NO_PRICE = t('No price is available on this side')

const PLAN = {
  permission: 'trading.executions.create',
  method: 'post',
  path: '/executions',
} as const

export function executeDraft(
  side: Side,
  { surprise, quoted }: Pick<Draft, 'surprise' | 'quoted'>,
  then: (id: string) => void,
): ActionPlan<'post', '/executions', Draft> {
  return {
    ...PLAN,
    label: side === 'BUY' ? t('Buy', { context: 'verb' }) : t('Sell', { context: 'verb' }),
    over: ({ shown, body }) => (body.quote_id === undefined ? undefined : shown?.expires_at),
    ...(surprise === undefined
      ? {}
      : { form: () => <SurpriseQuestion side={side} surprise={surprise} quoted={quoted} /> }),
    request: ({ body }) => ({ body }),
    confirm: factsOf,
    done: ({ state }) =>
      state === 'WAITING_FOR_TRIGGER' ? t('Waiting for the trigger') : t('Accepted'),
    after: ({ id }) => {
      then(id)
    },
  }
}

function factsOf({ body, base, quoted, over, shown, anew }: Draft): Fact[] {
  const by_volume = body.mode === 'VOLUME'
  const quantity = by_volume ? body.volume : body.amount
  const asset = by_volume ? quoted : base
  const { side } = body
  const priced = side === 'BUY' ? shown?.buy : shown?.sell
  return [
    {
      label: t('Order'),
      value: (
        <>
          <SideWord side={side} /> <Amount value={quantity} asset={asset} />{' '}
          {lowered(TYPE_WORDS[body.execution_type] ?? '')}
        </>
      ),
    },
    { label: t('Route'), value: over },
    ...customerFacts(body, asset),
    ...(body.execution_type === 'MARKET'
      ? marketFacts({ side, priced, shown, anew }, { base, quoted })
      : priceFacts(body, quoted, priced)),
    ...(body.margin === undefined ? [] : [{ label: t('Margin'), value: percent(body.margin) }]),
    ...(body.risk === undefined ? [] : [{ label: t('Risk'), value: percent(body.risk) }]),
    ...(body.client_ref === undefined
      ? []
      : [{ label: t('Your reference'), value: body.client_ref }]),
  ]
}

function customerFacts(body: ExecutionBody, asset: string): Fact[] {
  return body.customers.map(({ customer_id, quantity_absolute }, index) => ({
    label: index === 0 ? t('Customer') : t('Further customer'),
    value: (
      <>
        <Name of="customer" id={customer_id} />{' '}
        {body.customers.length > 1 &&
          (quantity_absolute === undefined ? (
            <>{t('takes the rest')}</>
          ) : (
            <Amount value={quantity_absolute} asset={asset} />
          ))}
      </>
    ),
  }))
}

function marketFacts(
  {
    side,
    priced,
    shown,
    anew,
  }: { side: Side; priced: Quote['buy'] | undefined } & Pick<Draft, 'shown' | 'anew'>,
  { base, quoted }: { base: string; quoted: string },
): Fact[] {
  if (priced === undefined || shown === undefined)
    return [{ label: t('Price'), value: t('Market price, within the allowed slippage') }]
  return [
    {
      label: shown.firm ? t('Held price') : t('Price (about)'),
      value: (
        <>
          <Amount value={priced.price} asset={quoted} price />{' '}
          {shown.firm && <TimeLeft quote={shown} anew={anew} />}
        </>
      ),
    },
    {
      label: side === 'BUY' ? t('Pays') : t('Gives'),
      value:
        side === 'BUY' ? (
          <Amount value={priced.volume} asset={quoted} />
        ) : (
          <Amount value={priced.amount} asset={base} />
        ),
    },
    {
      label: t('Receives'),
      value:
        side === 'BUY' ? (
          <Amount value={priced.amount} asset={base} />
        ) : (
          <Amount value={priced.volume} asset={quoted} />
        ),
    },
    { label: t('Fee included'), value: <Amount value={priced.fee} asset={quoted} /> },
    {
      label: t('Risk and margin included'),
      value: (
        <>
          <Amount value={priced.risk} asset={quoted} />,{' '}
          <Amount value={priced.margin} asset={quoted} />
        </>
      ),
    },
  ]
}

function priceFacts(body: ExecutionBody, quoted: string, priced: Quote['buy'] | undefined): Fact[] {
  const { price, amount, execution_type, stop_order_condition, tif_mode, expires_at } = body
  const limit = execution_type === 'LIMIT'
  return [
    {
      label: limit ? t('Limit, all-in') : t('Trigger'),
      value: (
        <>
          <Amount value={price} asset={quoted} price />{' '}
          {stop_order_condition !== undefined &&
            `(${lowered(CONDITION_WORDS[stop_order_condition] ?? '')})`}
        </>
      ),
    },
    {
      label: t('Market now'),
      value: <Amount value={limit ? priced?.price : priced?.vwap} asset={quoted} />,
    },
    ...(limit && price !== undefined && amount !== undefined
      ? [
          {
            label: body.side === 'BUY' ? t('Pays at most') : t('Receives at least'),
            value: <Amount value={multiplyAmounts(price, amount)} asset={quoted} />,
          },
        ]
      : []),
    {
      label: t('Time in force'),
      value: (
        <>
          {TIF_WORDS[tif_mode ?? 'GTC']}
          {typeof expires_at === 'number' && `: ${localTime(expires_at)}`}
        </>
      ),
    },
  ]
}

/** How long the price is held, and what to do when it is no longer. */
function TimeLeft({ quote, anew }: { quote: Quote; anew: (() => void) | undefined }): ReactNode {
  const [length] = useState(() => Math.max(0, quote.expires_at - Date.now()))
  const left = useLeft(quote.id, length)
  if (left > 0 || anew === undefined) return <Countdown of={quote.id} length={length} />
  return (
    <span role="alert">
      <Trans
        i18nKey="has run out <button>Hold the price again</button>"
        components={{ button: <Button size="small" onClick={anew} /> }}
      />
    </span>
  )
}

/** Takes an existing quote as it stands. */
export function executeQuote(side: Side): ActionPlan<'post', '/executions', Quote> {
  const sideOf = (quote: Quote) => (side === 'BUY' ? quote.buy : quote.sell)
  const bodyOf = (quote: Quote): ExecutionBody => {
    const by_volume = quote.request_asset === quote.symbol.split('/')[1]
    return {
      route_id: quote.route_id,
      quote_id: quote.id,
      side,
      execution_type: 'MARKET',
      customers: [{ customer_id: quote.customer_id }],
      ...(by_volume
        ? { mode: 'VOLUME' as const, volume: sideOf(quote).volume }
        : { amount: sideOf(quote).amount }),
    }
  }
  return {
    ...PLAN,
    label: side === 'BUY' ? t('Customer buys') : t('Customer sells'),
    why: (quote) => {
      if (quote.state !== 'ACTIVE' || quote.expires_at <= Date.now())
        return t('The quote can no longer be accepted. Request a new one.')
      return sideOf(quote).price === null ? NO_PRICE : undefined
    },
    request: (quote) => ({ body: bodyOf(quote) }),
    confirm: (quote) => {
      const [base = '', quoted = ''] = quote.symbol.split('/')
      return factsOf({ body: bodyOf(quote), base, quoted, over: quote.symbol, shown: quote })
    },
    done: () => t('Accepted'),
  }
}
