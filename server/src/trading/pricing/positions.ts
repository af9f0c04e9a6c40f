/**
 * From the trades behind an execution to what each customer has of it, pure and cumulative: the
 * same trades give the same positions, however and whenever they are reported, so what is booked is
 * always the difference of two positions.
 *
 * Over several hops the customers' part is known when all of them have ended; until then only the
 * venues' side counts. Of a later hop's volume the customers bear what the hop before traded, not
 * the fees taken in between: those are in the fee.
 */
import { divideInteger, greatest, least, multiply, round, sum, unitOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { priceFilled, shareOf } from './pricing.ts'
import type { PriceParts, Side, Terms } from './pricing.ts'

/** A trade at a venue, as far as it counts here. */
export type Trade = {
  hop_no: number
  quantity: Decimal
  volume: Decimal
  fee: Decimal
  fee_asset: string
}

export type PathHop = { hop_no: number; venue_id: string; base_asset: string; quote_asset: string }

/** What one hop has traded so far; `fees` by asset. */
export type FilledHop = PathHop & {
  amount: Decimal
  volume: Decimal
  fees: ReadonlyMap<string, Decimal>
}

/**
 * `amount` and `volume` are the customers'; `closed`: they are known. `complete`: every hop did all
 * that it was to do.
 */
export type FilledPosition = {
  amount: Decimal
  volume: Decimal
  closed: boolean
  complete: boolean
  hops: FilledHop[]
}

export type Pricing = {
  side: Side
  base_scale: number
  quote_scale: number
  terms: Terms
  /** The firm quote's side, which holds whatever the market did. */
  firm: PriceParts | undefined
  /** LIMIT: per unit of the base asset, with everything inside. */
  all_in?: Decimal
  /** Mode VOLUME: the volume to reach, and the amount with which it is reached. */
  target?: { volume: Decimal; amount: Decimal }
}

/**
 * The cumulative position behind the bookings. `total`: BUY paid, SELL got. `base`: the customer's,
 * in their scale.
 */
export type Position = {
  filled: FilledPosition
  base: Decimal
  total: Decimal
  /** What of the total is for the venues' fees, and what of it is booked so, in exact digits. */
  charged: Decimal
  fee: Decimal
  risk: Decimal
  margin: Decimal
  /** A firm price's difference to the market. */
  hedge: Decimal
  rounding: Decimal
}

/**
 * Whole units in proportion to the weights, floored, the left ones by largest remainder; what is
 * finer than the unit goes to the first.
 */
export function allotByWeight(
  total: Decimal,
  weights: readonly Decimal[],
  unit: Decimal,
): Decimal[] {
  const whole = total / unit
  const weight = sum(weights)
  if (weight === 0n) return weights.map((_weight, index) => (index === 0 ? total : 0n))
  const parts = weights.map((own, index) => ({
    index,
    part: (whole * own) / weight,
    remainder: (whole * own) % weight,
  }))
  const left = Number(whole - sum(parts.map((part) => part.part)))
  const largestFirst = parts.toSorted((a, b) => {
    if (a.remainder === b.remainder) return a.index - b.index
    return a.remainder > b.remainder ? -1 : 1
  })
  for (const part of largestFirst.slice(0, left)) part.part += 1n
  return parts.map(({ part, index }) => part * unit + (index === 0 ? total % unit : 0n))
}

/**
 * What the next hop has to trade of the asset that both share: what this one took (BUY) or brought
 * (SELL), its fees in it included.
 */
export function neededAfter(side: Side, { volume, fees, quote_asset }: FilledHop): Decimal {
  const fee = fees.get(quote_asset) ?? 0n
  return side === 'BUY' ? volume + fee : greatest(0n, volume - fee)
}

type FillBasis = {
  side: Side
  path: readonly PathHop[]
  /** What each hop was first ordered to trade. */
  targets: ReadonlyMap<number, Decimal>
  base_scale: number
  /** Every hop has ended. */
  ended: boolean
}

export function sumTrades(
  trades: readonly Trade[],
  { side, path, targets, base_scale, ended }: FillBasis,
): FilledPosition {
  const hops = path.map((hop) => sumTradesOfHop(trades, hop))
  const [first, ...later] = hops
  if (first === undefined) throw new Error('a path has a hop')
  if (later.length === 0)
    return { amount: first.amount, volume: first.volume, closed: true, complete: true, hops }
  if (!ended) return { amount: 0n, volume: 0n, closed: false, complete: false, hops }
  let [amount, volume, complete] = [first.amount, later.at(-1)?.volume ?? 0n, true]
  for (const [index, hop] of later.entries()) {
    const before = hops[index] as FilledHop
    const target = targets.get(hop.hop_no) ?? greatest(1n, neededAfter(side, before))
    complete &&= hop.amount >= target
    if (hop.amount < target) amount = (amount * hop.amount) / target
    volume = divideInteger(volume * before.volume, target, side === 'BUY' ? 'up' : 'down')
  }
  if (!complete) amount = round(amount, base_scale, 'down')
  return { amount, volume, closed: true, complete, hops }
}

function sumTradesOfHop(
  trades: readonly Trade[],
  { hop_no, venue_id, base_asset, quote_asset }: PathHop,
): FilledHop {
  const own = trades.filter((trade) => trade.hop_no === hop_no)
  const fees = new Map<string, Decimal>()
  for (const { fee_asset, fee } of own) fees.set(fee_asset, (fees.get(fee_asset) ?? 0n) + fee)
  return {
    hop_no,
    venue_id,
    base_asset,
    quote_asset,
    amount: sum(own.map((trade) => trade.quantity)),
    volume: sum(own.map((trade) => trade.volume)),
    fees,
  }
}

/**
 * Each customer's part of what was filled, all at the same price; the parts add up to the whole in
 * every digit.
 */
export function splitFilled(
  filled: FilledPosition,
  weights: readonly Decimal[],
  base_scale: number,
): FilledPosition[] {
  if (weights.length === 1) return [filled]
  const amounts = allotByWeight(filled.amount, weights, unitOf(base_scale))
  const by = filled.amount > 0n ? amounts : weights
  const volumes = allotByWeight(filled.volume, by, 1n)
  const hops = filled.hops.map((hop, index) => ({
    hop,
    amounts:
      index === 0 && hop.amount === filled.amount ? amounts : allotByWeight(hop.amount, by, 1n),
    volumes: allotByWeight(hop.volume, by, 1n),
    fees: [...hop.fees].map(([asset, fee]) => [asset, allotByWeight(fee, by, 1n)] as const),
  }))
  return weights.map((_weight, no): FilledPosition => ({
    ...filled,
    amount: amounts[no] ?? 0n,
    volume: volumes[no] ?? 0n,
    hops: hops.map((hop) => ({
      ...hop.hop,
      amount: hop.amounts[no] ?? 0n,
      volume: hop.volumes[no] ?? 0n,
      fees: new Map(hop.fees.map(([asset, parts]) => [asset, parts[no] ?? 0n])),
    })),
  }))
}

export function positionFrom(pricing: Pricing, filled: FilledPosition): Position {
  if (!filled.closed)
    return {
      filled,
      base: 0n,
      total: 0n,
      charged: 0n,
      fee: 0n,
      risk: 0n,
      margin: 0n,
      hedge: 0n,
      rounding: 0n,
    }
  const { side, terms, firm, base_scale } = pricing
  const last = filled.hops.at(-1) as FilledHop
  const parts = partsOf(pricing, filled)
  const cash = firm === undefined ? filled.volume : last.volume
  const fee =
    firm === undefined
      ? multiply(filled.volume, terms.taker_fee, 18, 'down')
      : (last.fees.get(last.quote_asset) ?? parts.fee)
  const exact = fee + parts.risk + parts.margin
  const difference = side === 'BUY' ? parts.total - cash - exact : cash - exact - parts.total
  // What the fees between the hops cost in the quote asset is in the last hop's volume already.
  const between = side === 'BUY' ? last.volume - cash : cash - last.volume
  return {
    filled,
    total: parts.total,
    charged: parts.fee,
    fee: fee - between,
    risk: parts.risk,
    margin: parts.margin,
    base: round(filled.amount, base_scale, side === 'BUY' ? 'down' : 'up'),
    hedge: firm === undefined ? 0n : difference,
    rounding: firm === undefined ? difference : 0n,
  }
}

function partsOf(
  { side, terms, firm, all_in, target, quote_scale }: Pricing,
  { amount, volume }: FilledPosition,
): PriceParts {
  if (firm !== undefined) return floorAtZero(shareOf(side, firm, amount, quote_scale))
  const parts = floorAtZero(priceFilled(side, amount, volume, { terms, scale: quote_scale }))
  if (all_in !== undefined) {
    // Rounded up, the parts of a small fill may come to a cent more than the limit allows.
    const limit = multiply(all_in, amount, quote_scale, side === 'BUY' ? 'down' : 'up')
    return {
      ...parts,
      total: side === 'BUY' ? least(parts.total, limit) : greatest(parts.total, limit),
    }
  }
  if (target === undefined) return parts
  const total =
    side === 'BUY' && amount >= target.amount ? target.volume : least(target.volume, parts.total)
  return {
    ...parts,
    total,
    margin: parts.margin + (side === 'BUY' ? total - parts.total : parts.total - total),
  }
}

/** Rounded up, the parts of a few cents may exceed a sale: nobody pays for selling. */
const floorAtZero = (parts: PriceParts): PriceParts =>
  parts.total < 0n ? { ...parts, total: 0n } : parts
