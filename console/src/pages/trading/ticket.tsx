/** The trade ticket: the order on the left, live prices on the right, the last executions below. */
import { readAmount } from '@kontor/client'
import { App } from 'antd'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { ActionButton, ActionModal } from '../../action/action.tsx'
import { openDialog } from '../../action/dialogs.tsx'
import { useEvents } from '../../api/events.ts'
import { useGet, useMay } from '../../api/query.ts'
import { useShortcut } from '../../parts/shortcuts.ts'
import { Rows } from '../../list/grid.tsx'
import { AT_ONCE } from '../../list/state.ts'
import { Empty, errorText, Failure, Loading } from '../../parts/states.tsx'
import { bestOf } from './best.ts'
import { askOf, BLANK, bodyOf, marketOf, missingOf } from './draft.ts'
import type { Market, Written } from './draft.ts'
import { executeDraft, NO_PRICE } from './execute.tsx'
import type { Draft } from './execute.tsx'
import { EXECUTION_COLUMNS } from './execution-columns.tsx'
import type { Execution } from './execution-columns.tsx'
import { cancel } from './executions.tsx'
import { holdPrice, useLiveQuotes } from './live-quotes.ts'
import type { Ask } from './live-quotes.ts'
import { PricePanel } from './price-panel.tsx'
import type { Hold } from './price-panel.tsx'
import type { Quote } from './quote-sides.tsx'
import { TicketForm } from './ticket-form.tsx'
import { TYPE_WORDS } from './words.tsx'
import type { Side } from './words.tsx'

const RouteChart = lazy(async () => ({ default: (await import('./route-chart.tsx')).RouteChart }))
const TYPING_MILLISECONDS = 350
const LAST_EXECUTIONS = '8'

export function Page(): ReactNode {
  const { data: routes, error, refetch } = useGet('/price-stream/routes', {}, { every: 15_000 })
  const [params, setParams] = useSearchParams()
  const [written, setWritten] = useState<Written>(() => ({
    ...BLANK,
    customers: [{ customer_id: params.get('customer') ?? undefined, quantity: '' }],
  }))
  // Routes come newest first: these are the ones that were configured first.
  const first = routes?.findLast((route) => route.active)
  const market = marketOf(params.get('market') ?? first?.symbol ?? null, routes ?? [])
  const chart = market?.routes.at(-1)
  const choose = (name: string, value: string | undefined): void => {
    setParams((old) => {
      const next = new URLSearchParams(old)
      if (value === undefined) next.delete(name)
      else next.set(name, value)
      return next
    }, AT_ONCE)
  }
  const write = (change: Partial<Written>): void => {
    setWritten((old) => ({ ...old, ...change }))
    if (change.customers !== undefined) choose('customer', change.customers[0]?.customer_id)
  }
  return (
    <section className="page" aria-label="Trade">
      <header className="page-head">
        <h1>Trade</h1>
      </header>
      {error !== null && <Failure error={error} again={refetch} />}
      {routes === undefined && error === null && <Loading />}
      {routes !== undefined && first === undefined && (
        <Empty title="No price-stream routes">
          Declare routes in the configuration file, under price_routes.
        </Empty>
      )}
      {routes !== undefined && first !== undefined && (
        <div className="ticket">
          <TicketForm
            written={written}
            write={write}
            market={market}
            choose={(chosen) => {
              choose('market', chosen)
            }}
            routes={routes}
          />
          <div className="ticket-right">
            <Prices written={written} market={market} />
            {chart !== undefined && (
              <section className="panel" aria-label="Chart">
                <h2>{chart.label}</h2>
                <Suspense fallback={<Loading />}>
                  <RouteChart route_id={chart.id} quoted={chart.quote_asset} height={190} />
                </Suspense>
              </section>
            )}
            <LastExecutions />
          </div>
        </div>
      )}
    </section>
  )
}

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

/** The held price of a request. It ends after its hold time, or when the request changes. */
function useHeld(request: string): {
  held: Quote | undefined
  keep(quote: Quote | undefined): void
} {
  const [kept, setKept] = useState<{ quote: Quote; request: string }>()
  const held = kept?.request === request ? kept.quote : undefined
  useEffect(() => {
    if (kept === undefined) return
    const timer = setTimeout(() => {
      setKept(undefined)
    }, kept.quote.risk_duration_ms)
    return () => {
      clearTimeout(timer)
    }
  }, [kept])
  return {
    held,
    keep: (quote) => {
      setKept(quote === undefined ? undefined : { quote, request })
    },
  }
}

function Prices({ written, market }: { written: Written; market: Market | undefined }): ReactNode {
  const { message } = App.useApp()
  const may = useMay('trading.executions.create')
  const ask = askOf(written, market)
  const settled = useSettledValue<Ask | null>(ask ?? null)
  const { held, keep } = useHeld(JSON.stringify(ask ?? null))
  const live = useLiveQuotes(settled ?? undefined, held !== undefined)
  const [length, setLength] = useState<Hold>(10_000)
  const [busy, setBusy] = useState(false)
  const old = live.old || JSON.stringify(settled) !== JSON.stringify(ask ?? null)
  const quotes = live.answers.flatMap((answer) => ('quote' in answer ? [answer.quote] : []))
  const taken = written.type === 'MARKET' ? held : undefined

  const whyNot = (side: Side): string | undefined => {
    if (!may) return 'Your roles do not have the permission trading.executions.create'
    const missing = missingOf(written, market)
    if (missing !== undefined) return missing
    return taken !== undefined && (side === 'BUY' ? taken.buy : taken.sell).price === null
      ? NO_PRICE
      : undefined
  }
  const trade = (side: Side): void => {
    if (market === undefined || whyNot(side) !== undefined) return
    const best = taken ?? (old ? undefined : bestOf(side, quotes))
    confirmOrder(side, draftOf(side, written, market, { taken, best }), () => {
      keep(undefined)
    })
  }
  const holdWhy = whyNotHold(written, market)
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
  useShortcut('b', 'Customer buys', () => {
    trade('BUY')
  })
  useShortcut('s', 'Customer sells', () => {
    trade('SELL')
  })
  useShortcut('h', 'Hold price', () => {
    if (holdWhy === undefined) begin()
  })

  if (market === undefined)
    return <Empty title="This market does not exist">Choose another market.</Empty>
  return (
    <PricePanel
      base={market.base}
      quoted={market.quoted}
      answers={live.answers}
      held={taken}
      old={old && taken === undefined}
      order={orderWords(written, market)}
      why={whyNot}
      trade={trade}
      hold={{ length, choose: setLength, begin, why: holdWhy, busy }}
    />
  )
}

/** What stands on the buttons behind Buy and Sell: `0.2 BTC limit`. */
function orderWords({ quantity: typed, by, type }: Written, { base, quoted }: Market): string {
  const quantity = readAmount(typed)
  return [
    ...(quantity === undefined ? [] : [quantity, by === 'base' ? base : quoted]),
    ...(type === 'MARKET' ? [] : [TYPE_WORDS[type]?.toLowerCase()]),
  ].join(' ')
}

/** A price is held for a market order of one customer over one route. */
function whyNotHold(written: Written, market: Market | undefined): string | undefined {
  if (askOf(written, market) === undefined) return missingOf(written, market) ?? 'Enter a quantity'
  if (written.type !== 'MARKET') return 'Only market orders can use a held price'
  if (written.customers.length > 1) return 'A price is held for one customer only'
  return market?.best === true && market.routes.length > 1
    ? 'Choose one route to hold its price'
    : undefined
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
      ? `Best of ${market.routes.length} routes for ${market.symbol}`
      : (market.routes[0]?.label ?? market.symbol),
    shown: written.customers.length > 1 ? undefined : best,
  }
}

function confirmOrder(side: Side, draft: Draft, done: () => void): void {
  openDialog((close) => (
    <ActionModal plan={executeDraft(side, undefined, done)} row={draft} close={close} />
  ))
}

function LastExecutions(): ReactNode {
  const navigate = useNavigate()
  const { data, error, refetch } = useGet('/executions', { query: { limit: LAST_EXECUTIONS } })
  useEvents(['execution'], () => refetch())
  const { created, state, side, type, amount, filled, price, customer_price, customers } =
    EXECUTION_COLUMNS
  return (
    <section className="panel" aria-label="Last executions">
      <h2>Last executions</h2>
      {error !== null && <Failure error={error} again={refetch} />}
      {data !== undefined && (
        <Rows<Execution>
          label="Last executions"
          rows={data}
          keyOf={(row) => row.id}
          open={(row) => {
            navigate(`/trading/executions/${row.id}`)?.catch(() => undefined)
          }}
          empty={<p className="explain">No executions yet.</p>}
          columns={[
            created,
            state,
            side,
            amount,
            price,
            {
              key: 'cancel',
              title: 'Action',
              width: 140,
              render: (row) =>
                row.completed_at === null ? <ActionButton plan={cancel} row={row} /> : null,
            },
            customer_price,
            customers,
            type,
            filled,
          ]}
        />
      )}
    </section>
  )
}
