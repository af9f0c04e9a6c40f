/** What must be true of an execution at its end, and while its exchange is silent. */
import { decimal, format, sum } from '../../../server/src/core/decimal.ts'
import type { Decimal } from '../../../server/src/core/decimal.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { askedOf, atExchange, executionOf, fillsOf, ordersOf } from './executions.ts'
import type { ExecutionRow, Fill, OrderRow } from './executions.ts'
import type { Outcome } from './flow.ts'
import type { World } from './world.ts'

export const FINAL = ['DONE', 'CANCELED', 'EXPIRED', 'FAILED', 'REJECTED']
const WAITING = ['PROCESSING', 'UNKNOWN', 'CANCELING', 'WAITING_FOR_TRIGGER']

type Hold = { state: string; quantity: string; captured: string; released: string }
/** In words; and whether something of it is open, or nothing was taken yet. */
type HoldEnd = { hold: string; open: boolean; untouched: boolean }

async function holdOf({ db, workspace }: World, id: string): Promise<HoldEnd> {
  const holds = await db.query<Hold>(
    sql`
      select state, quantity, captured, released
      from holds
      where workspace = ${workspace}
        and cause_id = ${id}`,
  )
  const open =
    holds.length === 0 ||
    holds.some((hold) => decimal(hold.captured) + decimal(hold.released) !== decimal(hold.quantity))
  const untouched =
    holds.length > 0 &&
    holds.every(
      (hold) =>
        hold.state === 'OPEN' && decimal(hold.captured) === 0n && decimal(hold.released) === 0n,
    )
  const hold = open
    ? holds.map(describeHold).join(', ') || 'none'
    : [...new Set(holds.map(endOf))].toSorted().join(', ')
  return { hold, open, untouched }
}

const describeHold = ({ state, captured, released, quantity }: Hold) =>
  `${state} ${captured} ${released} of ${quantity}`

function endOf({ captured, released }: Hold): string {
  if (decimal(captured) === 0n) return 'released'
  return decimal(released) === 0n ? 'captured' : 'captured, rest released'
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
      .map((trade) => tradeText(trade.volume, trade.cost, trade.busted_at !== null))
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

/** How an execution shall end; undefined: either way. */
export type RightEnd = {
  states: readonly string[]
  orders: number | undefined
  asked: boolean
  traded: boolean | undefined
}

/** Undefined while it is under way. */
export async function executionOutcome(
  world: World,
  id: string,
  right: RightEnd,
): Promise<Outcome | undefined> {
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
    !right.states.includes(execution.state)
  if (tooSlow) return { state: execution.state, asked, effects, hold, wrong: [], tooSlow }
  if (!right.states.includes(execution.state))
    wrong.push(
      `state ${execution.state} (${execution.reason_code}) instead of ` +
        `${right.states.join(' or ')}`,
    )
  if (right.orders !== undefined && effects !== right.orders)
    wrong.push(`${effects} orders are at the exchange instead of ${right.orders}`)
  if (right.asked && asked !== effects) wrong.push(`asked ${asked} times for ${effects}`)
  if (right.traded !== undefined && live !== right.traded)
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
export async function keptWrong(world: World, id: string): Promise<string[]> {
  const [{ state }, { hold, untouched }] = [await executionOf(world, id), await holdOf(world, id)]
  return [
    ...(WAITING.includes(state) ? [] : [`${state} while the exchange is silent`]),
    ...(untouched ? [] : [`hold ${hold} while the exchange is silent`]),
  ]
}
