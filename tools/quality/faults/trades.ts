/**
 * The flows of trading: orders at market, resting, canceled, waiting for their trigger, over two
 * hops and for several customers. At its end an execution has one order per intent at the exchange,
 * every trade booked once, customers' totals that are the sum of its trades, and nothing of its
 * holds left open.
 */
import { mustExist } from '../../../server/src/core/assert.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { executionOutcome, FINAL, keptWrong } from './execution-outcome.ts'
import type { RightEnd } from './execution-outcome.ts'
import {
  atExchange,
  BOOKS,
  execute,
  executionOf,
  fillsOf,
  lookBack,
  observeTrades,
  ordersOf,
} from './executions.ts'
import type { VenueOrder } from './executions.ts'
import { around, SET_BACK } from './flow.ts'
import type { Expectation, Flow, FlowRun } from './flow.ts'
import type { World } from './world.ts'

const ROUTES = {
  kraken: 'BTC/EUR at Kraken',
  bitstamp: 'BTC/EUR at Bitstamp',
  okx: 'BTC/EUR at OKX',
  over: 'ETH/EUR over BTC, Kraken and Bitstamp',
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
  venue: 'kraken' | 'bitstamp' | 'okx'
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

function rightEnd(
  { resting, afterwards, orders = 1, order }: Sort,
  expected: Expectation,
): RightEnd {
  const done: RightEnd = {
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
    const fill = async (placed: VenueOrder | undefined) => {
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
  const { placed, traded } = atExchange(world, mustExist(order, 'an execution has its order'))
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
  async begin(world: World, expected: Expectation, key: string): Promise<FlowRun> {
    const id = await execute(
      world,
      {
        route: sort.route ?? ROUTES[sort.venue],
        order: sort.order,
        customers: (sort.customers ?? one)(world),
      },
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
        return over ? executionOutcome(world, id, rightEnd(sort, expected)) : undefined
      },
      waiting: () => keptWrong(world, id),
    }
  },
})

const SENDING = around('execution', 'intent', 'send', 'record')
const LOOKING = around('execution', 'find', 'found')
const CANCELING = around('execution', 'cancel_intent', 'cancel', 'cancel_record')
const TWO_HOPS = [...SENDING, ...SENDING.map((point) => `${point}:2`)]

const NAMES = { kraken: 'Kraken', bitstamp: 'Bitstamp', okx: 'OKX' } as const

const takenBack = (venue: 'kraken' | 'bitstamp'): Flow =>
  trade({
    name: `order: taken back, ${NAMES[venue]}`,
    venue,
    order: { ...MARKET, side: 'BUY' },
    afterwards: 'takes it back',
    points: [],
    meets: ['none', 'accepts and says nothing', 'answers twice'],
  })

export const TRADES: readonly Flow[] = [
  ...(['kraken', 'bitstamp', 'okx'] as const).flatMap((venue): Flow[] => {
    const at = NAMES[venue]
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
        meets: ['none', 'accepts and says nothing', 'answers twice', SET_BACK],
      }),
      // OKX documents no trade that is taken back.
      ...(venue === 'okx' ? [] : [takenBack(venue)]),
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
