/** The prices of a ticket: live or held, and the orders that are made at them. */
import { multiplyAmounts, plainAmount } from '@kontor/client'
import { App } from 'antd'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { ActionModal } from '../../action/action.tsx'
import { amountWords } from '../../parts/amount-words.ts'
import { useAmountFault } from '../../parts/amount-input.tsx'
import { openDialog } from '../../action/dialogs.tsx'
import { useMay } from '../../api/query.ts'
import { lowered, t } from '../../language/index.ts'
import { useShortcut } from '../../parts/shortcuts.ts'
import { Empty, errorText } from '../../parts/states.tsx'
import { bestOf } from './best.ts'
import { askOf, bodyOf, missingOf } from './draft.ts'
import type { Market, Written } from './draft.ts'
import { executeDraft, NO_PRICE } from './execute.tsx'
import type { Draft } from './execute.tsx'
import { holdPrice, useLiveQuotes } from './live-quotes.ts'
import type { Ask } from './live-quotes.ts'
import { PricePanel } from './price-panel.tsx'
import type { Hold } from './price-panel.tsx'
import type { Limit } from './price-tile.tsx'
import type { Quote } from './quote-sides.tsx'
import { lackOf, surpriseOf } from './surprises.ts'
import type { Lack, Surprise } from './surprises.ts'
import { useTradable } from './ticket-customers.tsx'
import { TYPE_WORDS } from './words.tsx'
import type { Side } from './words.tsx'

const TYPING_MILLISECONDS = 350

function useSettledValue<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  const key = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(JSON.parse(key === undefined ? 'null' : key) as T)
    }, TYPING_MILLISECONDS)
    return () => {
      clearTimeout(timer)
    }
  }, [key])
  return settled
}

/** The held price of a request, until it has run out or the request changes. */
function useHeld(request: string): {
  held: Quote | undefined
  /** It was held for this very request. */
  ranOut: boolean
  keep(quote: Quote | undefined): void
} {
  const [kept, setKept] = useState<{ quote: Quote; request: string; over: boolean }>()
  const own = kept?.request === request ? kept : undefined
  const quote = kept?.quote
  useEffect(() => {
    if (quote === undefined) return
    const timer = setTimeout(() => {
      setKept((old) => (old?.quote === quote ? { ...old, over: true } : old))
    }, quote.risk_duration_ms)
    return () => {
      clearTimeout(timer)
    }
  }, [quote])
  return {
    held: own?.over === false ? own.quote : undefined,
    ranOut: own?.over === true,
    keep: (quote) => {
      setKept(quote === undefined ? undefined : { quote, request, over: false })
    },
  }
}

/** The live prices of a request, each of its routes. */
function usePrices(ask: Ask | undefined, paused: boolean) {
  const settled = useSettledValue<Ask | null>(ask ?? null)
  const live = useLiveQuotes(settled ?? undefined, paused)
  return {
    answers: live.answers,
    quotes: live.answers.flatMap((answer) => ('quote' in answer ? [answer.quote] : [])),
    old: live.old || JSON.stringify(settled) !== JSON.stringify(ask ?? null),
  }
}

export function Prices({
  written,
  market,
}: {
  written: Written
  market: Market | undefined
}): ReactNode {
  const may = useMay('trading.executions.create')
  const faultIn = useFaults()
  const ask = askOf(written, market)
  const { held, ranOut, keep } = useHeld(JSON.stringify(ask ?? null))
  const { answers, quotes, old } = usePrices(ask, held !== undefined)
  const { length, choose, busy, begin } = useHolding(ask, keep)
  const lackAt = useLacks(written, market)
  const isMarket = written.type === 'MARKET'
  const taken = isMarket ? held : undefined

  const whyNot = (side: Side): string | undefined => {
    if (!may) return t('Your roles do not have the permission trading.executions.create')
    const missing = missingOf(written, market) ?? faultIn(written, market)
    if (missing !== undefined) return missing
    if (!isMarket && (old || answers.length === 0)) return t('Waiting for the price of the market')
    return taken !== undefined && (side === 'BUY' ? taken.buy : taken.sell).price === null
      ? NO_PRICE
      : undefined
  }
  const surprise = (side: Side): Surprise | undefined => {
    if (market === undefined || whyNot(side) !== undefined) return undefined
    const { price } = bodyOf(side, written, market, undefined)
    return surpriseOf(side, { ...written, price }, bestOf(side, quotes))
  }
  const trade = (side: Side): void => {
    if (market === undefined || whyNot(side) !== undefined) return
    const best = taken ?? (old ? undefined : bestOf(side, quotes))
    confirmOrder(
      side,
      { ...draftOf(side, written, market, { taken, best }), surprise: surprise(side) },
      { done: () => keep(undefined), anew: begin },
    )
  }
  const holdWhy = whyNotHold(written, market)
  useShortcut('b', t('Customer buys'), () => {
    trade('BUY')
  })
  useShortcut('s', t('Customer sells'), () => {
    trade('SELL')
  })
  useShortcut('h', t('Hold price'), () => {
    if (holdWhy === undefined) begin()
  })

  if (market === undefined)
    return <Empty title={t('This market does not exist')}>{t('Choose another market.')}</Empty>
  return (
    <PricePanel
      base={market.base}
      quoted={market.quoted}
      answers={answers}
      held={taken}
      limit={limitOf(written)}
      old={old && taken === undefined}
      order={orderWords(written, market)}
      why={whyNot}
      surprise={surprise}
      lacks={(side) => lackAt(side, taken ?? (old ? undefined : bestOf(side, quotes)))}
      trade={trade}
      hold={{ length, choose, begin, why: holdWhy, busy, ranOut: ranOut && isMarket }}
    />
  )
}

/** Undefined until the quantity and the limit of a limit order can be read. */
function limitOf({ type, quantity, price }: Written): Limit | undefined {
  const [amount, limit] = [quantity, price].map((typed) => plainAmount(typed))
  if (type !== 'LIMIT' || amount === undefined || limit === undefined) return undefined
  return { price: limit, amount, volume: multiplyAmounts(amount, limit) }
}

/** What the one customer of an order has too little of; several share, which the service checks. */
function useLacks(
  written: Written,
  market: Market | undefined,
): (side: Side, quote: Quote | undefined) => Lack | undefined {
  const { has, unchecked } = useTradable(written.customers[0]?.customer_id)
  return (side, quote) =>
    market === undefined || written.customers.length > 1 || unchecked
      ? undefined
      : lackOf(side, written, market, { has, quote })
}

/** Holds the price of what is asked for, for the chosen time. */
function useHolding(ask: Ask | undefined, keep: (quote: Quote) => void) {
  const { message } = App.useApp()
  const [length, choose] = useState<Hold>(10_000)
  const [busy, setBusy] = useState(false)
  const begin = (): void => {
    if (ask === undefined) return
    setBusy(true)
    holdPrice(ask, length)
      .then(keep, (error: unknown) => {
        message.error(errorText(error).title)
      })
      .finally(() => {
        setBusy(false)
      })
  }
  return { length, choose, busy, begin }
}

/** Why the API would refuse an amount of the order, in the order of the form. */
function useFaults(): (written: Written, market: Market | undefined) => string | undefined {
  const faultOf = useAmountFault()
  return ({ by, quantity, price, type, customers }, market) => {
    const asset = by === 'base' ? market?.base : market?.quoted
    const shares = customers.length > 1 ? customers.map((customer) => customer.quantity) : []
    const faults = [quantity, ...shares].map((amount) => faultOf(amount, { asset }))
    return [...faults, type === 'MARKET' ? undefined : faultOf(price, { price: true })].find(
      Boolean,
    )
  }
}

/** What stands on the buttons behind Buy and Sell: `0.2 BTC limit`. */
function orderWords({ quantity: typed, by, type }: Written, { base, quoted }: Market): string {
  const quantity = plainAmount(typed)
  return [
    ...(quantity === undefined ? [] : [amountWords(quantity, by === 'base' ? base : quoted)]),
    ...(type === 'MARKET' ? [] : [lowered(TYPE_WORDS[type] ?? '')]),
  ].join(' ')
}

/** A price is held for a market order of one customer over one route. */
function whyNotHold(written: Written, market: Market | undefined): string | undefined {
  if (askOf(written, market) === undefined)
    return missingOf(written, market) ?? t('Enter a quantity')
  if (written.type !== 'MARKET') return t('Only market orders can use a held price')
  if (written.customers.length > 1) return t('A price is held for one customer only')
  return market?.best === true && market.routes.length > 1 ? t('Choose one route') : undefined
}

/** `best` is the price that is shown; with several customers none is. */
function draftOf(
  side: Side,
  written: Written,
  market: Market,
  { taken, best }: { taken: Quote | undefined; best: Quote | undefined },
): Draft {
  return {
    body: bodyOf(side, written, market, taken),
    base: market.base,
    quoted: market.quoted,
    over: market.best
      ? t('Best of {{count}} routes for {{symbol}}', {
          count: market.routes.length,
          symbol: market.symbol,
        })
      : (market.routes[0]?.label ?? market.symbol),
    shown: written.customers.length > 1 ? undefined : best,
  }
}

/** `anew` holds the price again, when it has run out before somebody confirmed. */
function confirmOrder(
  side: Side,
  draft: Draft,
  { done, anew }: { done(): void; anew(): void },
): void {
  openDialog((close) => (
    <ActionModal
      plan={executeDraft(side, draft, done)}
      row={{
        ...draft,
        anew: () => {
          close()
          anew()
        },
      }}
      close={close}
    />
  ))
}
