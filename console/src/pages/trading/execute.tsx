/** What is confirmed before something is bought or sold, from a quote or from the ticket; the call is the same. */
import { multiplyAmounts } from '@kontor/client'
import type { RequestOf } from '@kontor/client'
import type { ReactNode } from 'react'
import type { ActionPlan, Fact } from '../../action/action.tsx'
import { localTime, Amount, Name } from '../../parts/values.tsx'
import type { Quote } from './quote-sides.tsx'
import { CONDITION_WORDS, Countdown, percent, SideWord, TIF_WORDS, TYPE_WORDS } from './words.tsx'
import type { Side } from './words.tsx'

export type ExecutionBody = RequestOf<'post', '/executions'>['body']

/** An order that is written and not yet sent. */
export type Draft = {
  body: ExecutionBody
  base: string
  quoted: string
  /** Where it goes: the route's name, or that the best is taken. */
  over: string
  /** The price shown for it, when there is one. */
  shown?: Quote | undefined
}

const PLAN = {
  permission: 'trading.executions.create',
  method: 'post',
  path: '/executions',
} as const

export function executeDraft(
  side: Side,
  why: string | undefined,
  then: (id: string) => void,
): ActionPlan<'post', '/executions', Draft> {
  return {
    ...PLAN,
    label: side === 'BUY' ? 'Buy' : 'Sell',
    why: () => why,
    request: ({ body }) => ({ body }),
    confirm: factsOf,
    done: ({ state }) => (state === 'WAITING_FOR_TRIGGER' ? 'Waits for its trigger' : 'Accepted'),
    after: ({ id }) => {
      then(id)
    },
  }
}

function factsOf({ body, base, quoted, over, shown }: Draft): Fact[] {
  const by_volume = body.mode === 'VOLUME'
  const quantity = by_volume ? body.volume : body.amount
  const asset = by_volume ? quoted : base
  const { side } = body
  const priced = side === 'BUY' ? shown?.buy : shown?.sell
  return [
    {
      label: 'Order',
      value: (
        <>
          <SideWord side={side} /> <Amount value={quantity} asset={asset} />{' '}
          {TYPE_WORDS[body.execution_type]?.toLowerCase()}
        </>
      ),
    },
    { label: 'Over', value: over },
    ...customerFacts(body, asset),
    ...(body.execution_type === 'MARKET'
      ? marketFacts(side, priced, shown, { base, quoted })
      : priceFacts(body, quoted)),
    ...(body.margin === undefined ? [] : [{ label: 'Margin', value: percent(body.margin) }]),
    ...(body.risk === undefined ? [] : [{ label: 'Risk', value: percent(body.risk) }]),
    ...(body.client_ref === undefined ? [] : [{ label: 'Your reference', value: body.client_ref }]),
  ]
}

function customerFacts(body: ExecutionBody, asset: string): Fact[] {
  return body.customers.map(({ customer_id, quantity_absolute }, index) => ({
    label: index === 0 ? 'Account of' : 'and',
    value: (
      <>
        <Name of="customer" id={customer_id} />{' '}
        {body.customers.length > 1 &&
          (quantity_absolute === undefined ? (
            <>takes the rest</>
          ) : (
            <Amount value={quantity_absolute} asset={asset} />
          ))}
      </>
    ),
  }))
}

function marketFacts(
  side: Side,
  priced: Quote['buy'] | undefined,
  shown: Quote | undefined,
  { base, quoted }: { base: string; quoted: string },
): Fact[] {
  if (priced === undefined || shown === undefined)
    return [{ label: 'Price', value: "The market's, within the slippage allowed" }]
  return [
    {
      label: shown.firm ? 'Price, held' : 'Price, about',
      value: (
        <>
          <Amount value={priced.price} asset={quoted} /> {shown.firm && <Left quote={shown} />}
        </>
      ),
    },
    {
      label: side === 'BUY' ? 'Pays' : 'Gives',
      value:
        side === 'BUY' ? (
          <Amount value={priced.volume} asset={quoted} />
        ) : (
          <Amount value={priced.amount} asset={base} />
        ),
    },
    {
      label: 'Gets',
      value:
        side === 'BUY' ? (
          <Amount value={priced.amount} asset={base} />
        ) : (
          <Amount value={priced.volume} asset={quoted} />
        ),
    },
    { label: 'In it: fee', value: <Amount value={priced.fee} asset={quoted} /> },
    {
      label: 'In it: risk, margin',
      value: (
        <>
          <Amount value={priced.risk} asset={quoted} />,{' '}
          <Amount value={priced.margin} asset={quoted} />
        </>
      ),
    },
  ]
}

function priceFacts(body: ExecutionBody, quoted: string): Fact[] {
  const { price, amount, execution_type, stop_order_condition, tif_mode, expires_at } = body
  const limit = execution_type === 'LIMIT'
  return [
    {
      label: limit ? 'Limit, all in' : 'Trigger',
      value: (
        <>
          <Amount value={price} asset={quoted} />{' '}
          {stop_order_condition !== undefined &&
            `(${CONDITION_WORDS[stop_order_condition]?.toLowerCase()})`}
        </>
      ),
    },
    ...(limit && price !== undefined && amount !== undefined
      ? [
          {
            label: body.side === 'BUY' ? 'Pays at most' : 'Gets at least',
            value: <Amount value={multiplyAmounts(price, amount)} asset={quoted} />,
          },
        ]
      : []),
    {
      label: 'Valid',
      value: (
        <>
          {TIF_WORDS[tif_mode ?? 'GTC']}
          {typeof expires_at === 'number' && `: ${localTime(expires_at)}`}
        </>
      ),
    },
  ]
}

function Left({ quote }: { quote: Quote }): ReactNode {
  return <Countdown of={quote.id} length={Math.max(0, quote.expires_at - Date.now())} />
}

/** A quote that is there is taken as it is. */
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
    label: side === 'BUY' ? 'Customer buys' : 'Customer sells',
    why: (quote) =>
      quote.state !== 'ACTIVE' || quote.expires_at <= Date.now()
        ? 'It can no longer be accepted: ask for a new one'
        : sideOf(quote).price === null
          ? 'There is nothing to be had on this side'
          : undefined,
    request: (quote) => ({ body: bodyOf(quote) }),
    confirm: (quote) => {
      const [base = '', quoted = ''] = quote.symbol.split('/')
      return factsOf({ body: bodyOf(quote), base, quoted, over: quote.symbol, shown: quote })
    },
    done: () => 'Accepted',
  }
}
