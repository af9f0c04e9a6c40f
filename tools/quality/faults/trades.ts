/**
 * The flows of trading: orders at market, resting, canceled, waiting for their trigger, over two
 * hops and for several customers. At its end an execution has one order per intent at the exchange,
 * every trade booked once, customers' totals that are the sum of its trades, and nothing of its
 * holds left open.
 */
import { decimal, format, sum } from '../../../server/src/core/decimal.ts'
import type { Decimal } from '../../../server/src/core/decimal.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { around } from './flows.ts'
import type { Begun, Expectation, Flow, Outcome } from './flows.ts'
import { present, until } from './world.ts'
import type { World } from './world.ts'

type Exchange = 'kraken' | 'bitstamp' | 'prime'

/** Their tables in the sandbox, and the operation that sends an order. */
const BOOKS: Readonly<Record<Exchange, { tables: string; send: string; cancel: string }>> = {
  kraken: { tables: 'exchange', send: 'AddOrder', cancel: 'CancelOrder' },
  bitstamp: { tables: 'bitstamp', send: 'order', cancel: 'cancel_order' },
  prime: { tables: 'prime', send: 'AddOrder', cancel: 'CancelOrder' },
}
const FINAL = ['DONE', 'CANCELED', 'EXPIRED', 'FAILED', 'REJECTED']
const WAITING = ['PROCESSING', 'UNKNOWN', 'CANCELING', 'WAITING_FOR_TRIGGER']
const ROUTES = {
  kraken: 'BTC/EUR at Kraken',
  bitstamp: 'BTC/EUR at Bitstamp',
  over: 'ETH/EUR over BTC, Kraken and Bitstamp',
}

type ExecutionRow = {
  id: string
  state: string
  reason_code: string | null
  side: 'BUY' | 'SELL'
  base_asset: string
  quote_asset: string
  filled_amount: string
  filled_volume: string
}
type OrderRow = { id: string; venue_id: string; state: string; hop_no: number }
type Fill = {
  order_id: string
  hop_no: number
  base_asset: string
  quantity: string
  volume: string
  busted: boolean
}
type Placed = { id: string; status: string; executed: string }
type Traded = { id: string; volume: string; cost: string; busted_at: number | null }

const executionOf = async ({ db, workspace }: World, id: string): Promise<ExecutionRow> =>
  present(
    (
      await db.query<ExecutionRow>(sql`
        select id, state, reason_code, side, base_asset, quote_asset, filled_amount, filled_volume
        from executions
        where workspace = ${workspace}
          and id = ${id}`)
    )[0],
    `execution ${id}`,
  )

const ordersOf = ({ db, workspace }: World, id: string) =>
  db.query<OrderRow>(
    sql`
      select id, venue_id, state, hop_no
      from execution_orders
      where workspace = ${workspace}
        and execution_id = ${id}
      order by id`,
  )

const fillsOf = ({ db, workspace }: World, id: string) =>
  db.query<Fill>(sql`
    select order_id, hop_no, base_asset, quantity, volume, busted
    from fills
    where workspace = ${workspace}
      and execution_id = ${id}
    order by id`)

const exchangeOf = (world: World, venue_id: string): Exchange =>
  present(
    (['kraken', 'bitstamp', 'prime'] as const).find(
      (exchange) => world.venues[exchange] === venue_id,
    ),
    'an order is at an exchange',
  )

/** The exchange's own orders and trades of one of ours. */
function atExchange(
  world: World,
  { id, venue_id }: OrderRow,
): { placed: Placed[]; traded: Traded[] } {
  const { tables } = BOOKS[exchangeOf(world, venue_id)]
  const placed = world.outside<Placed>(
    `
      select id, status, executed
      from ${tables}_orders
      where cl_ord_id = ?`,
    id,
  )
  return {
    placed,
    traded: placed.flatMap((placed) =>
      world.outside<Traded>(
        `
          select id, volume, cost, busted_at
          from ${tables}_trades
          where order_id = ?
          order by trade_id`,
        placed.id,
      ),
    ),
  }
}

/** Of all the orders of an execution, or of several. */
async function askedOf(world: World, orders: readonly OrderRow[]): Promise<number> {
  const counts = await world.sandbox.control<
    { venue: string; operation: string; reference: string; count: number }[]
  >('GET', 'counts')
  return counts
    .filter((count) =>
      orders.some(
        (order) =>
          count.reference === order.id &&
          count.operation === BOOKS[exchangeOf(world, order.venue_id)].send,
      ),
    )
    .reduce((total, count) => total + count.count, 0)
}

type Hold = { state: string; quantity: string; captured: string; released: string }

async function holdOf(
  { db, workspace }: World,
  id: string,
): Promise<{ hold: string; open: boolean; untouched: boolean }> {
  const holds = await db.query<Hold>(
    sql`
      select state, quantity, captured, released
      from holds
      where workspace = ${workspace}
        and cause_id = ${id}`,
  )
  const open =
    holds.some(
      (hold) => decimal(hold.captured) + decimal(hold.released) !== decimal(hold.quantity),
    ) || holds.length === 0
  const ends = holds.map((hold) =>
    decimal(hold.captured) === 0n
      ? 'released'
      : decimal(hold.released) === 0n
        ? 'captured'
        : 'captured, rest released',
  )
  return {
    hold: open
      ? holds
          .map((hold) => `${hold.state} ${hold.captured} ${hold.released} of ${hold.quantity}`)
          .join(', ') || 'none'
      : [...new Set(ends)].toSorted().join(', '),
    open,
    untouched:
      holds.length > 0 &&
      holds.every(
        (hold) =>
          hold.state === 'OPEN' && decimal(hold.captured) === 0n && decimal(hold.released) === 0n,
      ),
  }
}

type Share = { account_id: string; filled_amount: string; filled_volume: string }

/** What the customers got and gave is what was booked for them, and in sum what was traded. */
async function totalsWrong(
  { db, workspace }: World,
  execution: ExecutionRow,
  fills: readonly Fill[],
): Promise<string[]> {
  const { id, side, base_asset, quote_asset } = execution
  const shares = await db.query<Share>(
    sql`
      select account_id, filled_amount, filled_volume
      from execution_customers
      where workspace = ${workspace}
        and execution_id = ${id}`,
  )
  const legs = await db.query<{
    account_id: string
    asset: string
    type: string
    quantity: string
  }>(sql`
    select l.account_id, b.asset, l.type, l.quantity
    from bookings b
    join legs l on l.workspace = b.workspace
      and l.booking_sequence = b.sequence
    where b.workspace = ${workspace}
      and b.reference_id = ${id}`)
  const bookedFor = (account_id: string, asset: string): Decimal =>
    sum(
      legs
        .filter((leg) => leg.account_id === account_id && leg.asset === asset)
        .map((leg) => (leg.type === 'CREDIT' ? decimal(leg.quantity) : -decimal(leg.quantity))),
    )
  const sign = side === 'BUY' ? 1n : -1n
  const wrong: string[] = []
  for (const { account_id, filled_amount, filled_volume } of shares) {
    const [base, quote] = [
      bookedFor(account_id, base_asset) * sign,
      bookedFor(account_id, quote_asset) * -sign,
    ]
    if (base !== decimal(filled_amount) || quote !== decimal(filled_volume))
      wrong.push(
        `a customer has ${filled_amount} ${base_asset} for ${filled_volume} ${quote_asset}, ` +
          `booked are ${format(base)} and ${format(quote)}`,
      )
  }
  const traded = sum(
    fills
      .filter((fill) => !fill.busted && fill.base_asset === base_asset)
      .map((fill) => decimal(fill.quantity)),
  )
  const theirs = sum(shares.map((share) => decimal(share.filled_amount)))
  if (traded !== theirs || traded !== decimal(execution.filled_amount))
    wrong.push(
      `${format(traded)} ${base_asset} were traded, the execution has ` +
        `${execution.filled_amount} and its customers ${format(theirs)}`,
    )
  return wrong
}

const tradeText = (quantity: string, cost: string, busted: boolean): string =>
  `${format(decimal(quantity))} for ${format(decimal(cost))}${busted ? ', taken back' : ''}`

/** Each of our orders is there once at most, and each of its trades is booked once. */
function booksWrong(
  world: World,
  orders: readonly OrderRow[],
  fills: readonly Fill[],
): { effects: number; wrong: string[] } {
  const wrong: string[] = []
  let effects = 0
  for (const order of orders) {
    const { placed, traded } = atExchange(world, order)
    effects += placed.length
    if (placed.length > 1) wrong.push(`order ${order.id} is at its exchange ${placed.length} times`)
    const theirs = traded
      .map((traded) => tradeText(traded.volume, traded.cost, traded.busted_at !== null))
      .toSorted()
    const ours = fills
      .filter((fill) => fill.order_id === order.id)
      .map((fill) => tradeText(fill.quantity, fill.volume, fill.busted))
      .toSorted()
    if (theirs.join() !== ours.join())
      wrong.push(`traded ${theirs.join('; ') || 'nothing'}, booked ${ours.join('; ') || 'nothing'}`)
  }
  return { effects, wrong }
}

type Ended = {
  states: readonly string[]
  orders: number | undefined
  asked: boolean
  traded: boolean | undefined
}

/** Undefined while it is under way. */
async function ended(world: World, id: string, expected: Ended): Promise<Outcome | undefined> {
  const execution = await executionOf(world, id)
  if (!FINAL.includes(execution.state)) return undefined
  const [orders, fills] = [await ordersOf(world, id), await fillsOf(world, id)]
  const { effects, wrong } = booksWrong(world, orders, fills)
  const [asked, { hold, open }] = [await askedOf(world, orders), await holdOf(world, id)]
  const live = fills.some((fill) => !fill.busted)
  // An order at the market's price that could not go out within a minute is not wanted any more:
  // right, but not what is asked here.
  const tooSlow =
    execution.reason_code === 'VENUE_UNREACHABLE' &&
    effects === 0 &&
    !open &&
    fills.length === 0 &&
    !expected.states.includes(execution.state)
  if (tooSlow) return { state: execution.state, asked, effects, hold, wrong: [], tooSlow }
  if (!expected.states.includes(execution.state))
    wrong.push(
      `state ${execution.state} (${execution.reason_code}) instead of ` +
        `${expected.states.join(' or ')}`,
    )
  if (expected.orders !== undefined && effects !== expected.orders)
    wrong.push(`${effects} orders are at the exchange instead of ${expected.orders}`)
  if (expected.asked && asked !== effects) wrong.push(`asked ${asked} times for ${effects}`)
  if (expected.traded !== undefined && live !== expected.traded)
    wrong.push(live ? 'something was traded' : 'nothing was traded')
  if (open) wrong.push(`hold ${hold}`)
  return {
    state: execution.state,
    asked,
    effects,
    hold,
    wrong: [...wrong, ...(await totalsWrong(world, execution, fills))],
  }
}

/** While the exchange is silent nothing ends and nothing is given back. */
async function kept(world: World, id: string): Promise<string[]> {
  const [{ state }, { hold, untouched }] = [await executionOf(world, id), await holdOf(world, id)]
  return [
    ...(WAITING.includes(state) ? [] : [`${state} while the exchange is silent`]),
    ...(untouched ? [] : [`hold ${hold} while the exchange is silent`]),
  ]
}

const observeTrades = ({ db, workspace }: World): Promise<unknown> =>
  db.query(
    sql`
      update tasks
      set due_at = 0
      where workspace = ${workspace}
        and kind = 'observe_trades'
        and leased_until is null`,
  )

/**
 * Trades that were taken back are looked for each quarter of an hour, unless they are among the
 * newest of their venue: as though that had passed.
 */
const lookBack = ({ db, workspace }: World): Promise<unknown> =>
  db.query(
    sql`
      update trade_cursors
      set cursor = jsonb_set(cursor::jsonb, '{looked_back_at}', '0')::text
      where workspace = ${workspace}
        and cursor is not null`,
  )

const priceRoutes = new WeakMap<World, Promise<Map<string, string>>>()

async function routeId(world: World, label: string): Promise<string> {
  const known =
    priceRoutes.get(world) ??
    world
      .call<{ id: string; label: string }[]>('GET', '/price-stream/routes')
      .then((all) => new Map(all.map((route) => [route.label, route.id])))
  priceRoutes.set(world, known)
  return present((await known).get(label), `price-stream route ${label}`)
}

/** A client who is told that there is no fresh price asks again, with the same key. */
export async function execute(
  world: World,
  route: string,
  order: object,
  customers: readonly object[],
  key: string,
): Promise<string> {
  const body = { route_id: await routeId(world, route), ...order, customers }
  return until(`a price for ${route}`, async () => {
    try {
      return (await world.call<{ id: string }>('POST', '/executions', body, key)).id
    } catch (error) {
      if (String(error).includes('STALE_PRICE') || String(error).includes('NO_LIQUIDITY'))
        return undefined
      throw error
    }
  })
}

const MARKET = { execution_type: 'MARKET', amount: '0.0012' }
/** Far below the market: it rests until somebody at the exchange fills it. */
const RESTING = {
  execution_type: 'LIMIT',
  side: 'BUY',
  amount: '0.0014',
  price: '50000',
  tif_mode: 'GTC',
}

type Sort = {
  name: string
  venue: 'kraken' | 'bitstamp'
  route?: string
  order: object
  customers?: (world: World) => readonly object[]
  points: readonly string[]
  refused?: readonly string[]
  lost?: readonly string[]
  api?: readonly string[]
  meets?: readonly string[]
  apart?: number
  /** What somebody at the exchange, or the customer, does with an order that rests. */
  resting?: 'filled' | 'canceled'
  /** What the exchange does when all is over. */
  afterwards?: 'fills it' | 'takes it back'
  orders?: number
}

const one = ({ customer }: World): readonly object[] => [{ customer_id: customer.id }]
const two = ({ customer, other }: World): readonly object[] => [
  { customer_id: customer.id, quantity_absolute: '0.0005' },
  { customer_id: other.id },
]

function expectedOf(
  { resting, afterwards, orders = 1, order }: Sort,
  expected: Expectation,
): Ended {
  const done: Ended = {
    states: [resting === 'canceled' ? 'CANCELED' : 'DONE'],
    orders,
    asked: true,
    traded: (resting !== 'canceled' && afterwards !== 'takes it back') || afterwards === 'fills it',
  }
  // Who would not be canceled is filled.
  if (expected === 'refused')
    return resting === 'canceled'
      ? { ...done, states: ['DONE'], traded: true }
      : { states: ['FAILED'], orders: 0, asked: false, traded: false }
  // An order at market is not wanted any more after an hour; a trigger may have waited for it.
  const market = 'execution_type' in order && order.execution_type !== 'LIMIT'
  return expected === 'late' && market
    ? { states: ['FAILED', 'DONE'], orders: undefined, asked: true, traded: undefined }
    : done
}

/** Acts once on an order that rests. */
function onResting(
  world: World,
  sort: Sort,
  id: string,
  expected: Expectation,
): () => Promise<void> {
  let requested = false
  return async () => {
    const [order] = await ordersOf(world, id)
    if (order === undefined) return
    const open = () => atExchange(world, order).placed.find((placed) => placed.status === 'open')
    const fill = async (placed: Placed | undefined) => {
      if (placed !== undefined)
        await world.sandbox.control('POST', `${sort.venue}/orders/${placed.id}/fill`, {})
    }
    if (sort.resting === 'filled') return fill(open())
    if (!requested) {
      if (order.state !== 'NEW' || (await executionOf(world, id)).state !== 'PROCESSING') return
      await world.call('DELETE', `/executions/${id}`)
      requested = true
    } else if (
      expected === 'refused' &&
      (
        await world.db.query(
          sql`
            select 1
            from events
            where workspace = ${world.workspace}
              and resource_id = ${id}
              and type = 'execution.cancel_refused'`,
        )
      ).length > 0
    )
      await fill(open())
  }
}

/** False until the books know what the exchange did after the end. */
async function afterEnd(world: World, { venue, afterwards }: Sort, id: string): Promise<boolean> {
  const [order] = await ordersOf(world, id)
  const { placed, traded } = atExchange(world, present(order, 'an execution has its order'))
  const fills = await fillsOf(world, id)
  const [trade] = traded
  if (afterwards === 'fills it' && trade === undefined)
    await world.sandbox.control('POST', `${venue}/orders/${placed[0]?.id}/fill`, {
      quantity: '0.0007',
    })
  else if (afterwards === 'takes it back' && trade?.busted_at === null)
    await world.sandbox.control('POST', `${venue}/trades/${trade.id}/bust`, {})
  else if (afterwards === 'fills it' ? fills.length > 0 : fills.some((fill) => fill.busted))
    return true
  else if (afterwards === 'takes it back') await lookBack(world)
  await observeTrades(world)
  return false
}

const trade = (sort: Sort): Flow => ({
  name: sort.name,
  venue: sort.venue,
  send: sort.resting === 'canceled' ? BOOKS[sort.venue].cancel : BOOKS[sort.venue].send,
  order: {
    market:
      'execution_type' in sort.order &&
      sort.order.execution_type === 'MARKET' &&
      sort.afterwards === undefined,
  },
  points: sort.points,
  ...(sort.refused === undefined ? {} : { refused: sort.refused }),
  ...(sort.lost === undefined ? {} : { lost: sort.lost }),
  ...(sort.api === undefined ? {} : { api: sort.api }),
  ...(sort.meets === undefined ? {} : { meets: sort.meets }),
  ...(sort.apart === undefined ? {} : { apart: sort.apart }),
  async begin(world: World, expected: Expectation, key: string): Promise<Begun> {
    const id = await execute(
      world,
      sort.route ?? ROUTES[sort.venue],
      sort.order,
      (sort.customers ?? one)(world),
      key,
    )
    const act = onResting(world, sort, id, expected)
    let over = sort.afterwards === undefined
    return {
      subject: id,
      marks: [id],
      async outcome() {
        if (sort.resting !== undefined) await act()
        if (!FINAL.includes((await executionOf(world, id)).state)) return undefined
        over ||= await afterEnd(world, sort, id)
        return over ? ended(world, id, expectedOf(sort, expected)) : undefined
      },
      waiting: () => kept(world, id),
    }
  },
})

const SENDING = around('execution', 'intent', 'send', 'record')
const LOOKING = around('execution', 'find', 'found')
const CANCELING = around('execution', 'cancel_intent', 'cancel', 'cancel_record')
const TWO_HOPS = [...SENDING, ...SENDING.map((point) => `${point}:2`)]

export const TRADES: readonly Flow[] = [
  ...(['kraken', 'bitstamp'] as const).flatMap((venue): Flow[] => {
    const at = venue === 'kraken' ? 'Kraken' : 'Bitstamp'
    return [
      trade({
        name: `order: market, ${at}`,
        venue,
        order: { ...MARKET, side: venue === 'kraken' ? 'BUY' : 'SELL' },
        points: SENDING,
        refused: SENDING,
        lost: LOOKING,
        ...(venue === 'kraken' ? { api: around('execution', 'create') } : {}),
      }),
      trade({
        name: `order: limit, ${at}`,
        venue,
        order: RESTING,
        resting: 'filled',
        points: [...SENDING, ...LOOKING],
        lost: [],
      }),
      trade({
        name: `order: canceled, ${at}`,
        venue,
        order: RESTING,
        resting: 'canceled',
        points: CANCELING,
        refused: CANCELING.slice(0, 4),
        lost: [],
        ...(venue === 'kraken' ? { api: ['execution.cancel_requested'] } : {}),
      }),
      trade({
        name: `order: filled after its cancel, ${at}`,
        venue,
        order: RESTING,
        resting: 'canceled',
        afterwards: 'fills it',
        points: [],
        meets: ['none', 'accepts and says nothing', 'answers twice'],
      }),
      trade({
        name: `order: taken back, ${at}`,
        venue,
        order: { ...MARKET, side: 'BUY' },
        afterwards: 'takes it back',
        points: [],
        meets: ['none', 'accepts and says nothing', 'answers twice'],
      }),
    ]
  }),
  trade({
    name: 'order: stop, Kraken',
    venue: 'kraken',
    order: {
      execution_type: 'STOP_MARKET',
      side: 'SELL',
      stop_order_condition: 'STOP_LOSS',
      amount: '0.0013',
      price: '60100',
    },
    points: [...around('execution', 'trigger'), ...SENDING],
    lost: [],
  }),
  trade({
    name: 'order: split, Kraken',
    venue: 'kraken',
    order: { ...MARKET, side: 'SELL' },
    customers: two,
    points: SENDING,
    lost: [],
  }),
  trade({
    name: 'order: two hops, Kraken and Bitstamp',
    venue: 'kraken',
    route: ROUTES.over,
    order: { execution_type: 'MARKET', side: 'BUY', amount: '0.05' },
    points: TWO_HOPS,
    lost: LOOKING,
    apart: 8,
    orders: 2,
  }),
]
