/**
 * What a transfer job moves. Pure: amounts in units of the asset, nothing asked and nothing stored.
 *
 *   wantedTransfer   how much the balances ask for, before any fee is known
 *   decideRun        the same with the fee and all limits: a quantity, or the reason why not
 *
 * Never taken: what would leave a sweeping source below its target, or any source below zero.
 * Quantities are floored to the scale.
 */
import { format, greatest, least, multiply, round } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { RunReason } from './jobs.schema.ts'

export type Condition = { side: 'from' | 'to'; predicate: 'GT' | 'LT'; quantity: Decimal }

export type Rule =
  | { condition_type: 'SWEEPING' | 'PROVISION'; target: Decimal; min_quantity: Decimal }
  | { condition_type: 'CONDITIONAL'; conditions: readonly Condition[]; quantity: Decimal }

/**
 * `source`: free less own withdrawals not shown yet. `destination`: total and what is on the way;
 * null where the rule needs none and nobody tells.
 */
type Balances = { source: Decimal; destination: Decimal | null }

export type Terms = {
  /** The asset's fraction digits. */
  scale: number
  fee: Decimal
  fee_asset: string
  /**
   * What the source has of another fee asset, less what is reserved; null: the fee is taken in the
   * asset itself.
   */
  fee_balance: Decimal | null
  /** The largest part of the quantity that a fee in the same asset may be: 0.1 is a tenth. */
  fee_share: Decimal
  least: Decimal | null
  most: Decimal | null
}

export type Refusal = { reason: RunReason; why: string }
type Decision = { quantity: Decimal; why: string } | Refusal

/** Which balance of the destination must be known. */
export const needsDestination = (rule: Rule): boolean =>
  rule.condition_type === 'PROVISION' ||
  (rule.condition_type === 'CONDITIONAL' &&
    rule.conditions.some((condition) => condition.side === 'to'))

export function wantedTransfer(rule: Rule, balances: Balances, scale: number): Decision {
  const { source } = balances
  const destination = needsDestination(rule) ? knownDestination(balances) : 0n
  if (rule.condition_type === 'CONDITIONAL') {
    for (const { side, predicate, quantity } of rule.conditions) {
      const value = side === 'from' ? source : destination
      const holds = predicate === 'GT' ? value > quantity : value < quantity
      const words =
        `${side === 'from' ? 'the source' : 'the destination'} has ${format(value)}, not ` +
        `${predicate === 'GT' ? 'more' : 'less'} than ${format(quantity)}`
      if (!holds) return { reason: 'CONDITION_NOT_MET', why: words }
    }
    return { quantity: rule.quantity, why: 'every condition holds' }
  }
  const { target } = rule
  const [gap, words] =
    rule.condition_type === 'SWEEPING'
      ? [source - target, `the source has ${format(source)} of which ${format(target)} stay`]
      : [target - destination, `the destination has ${format(destination)} of ${format(target)}`]
  const quantity = round(greatest(gap, 0n), scale, 'down')
  if (quantity === 0n) return { reason: 'BALANCE_NOT_DUE', why: words }
  return { quantity, why: words }
}

export function decideRun(rule: Rule, balances: Balances, terms: Terms): Decision {
  const wanted = wantedTransfer(rule, balances, terms.scale)
  if ('reason' in wanted) return wanted
  const refused = (reason: RunReason, why: string): Refusal => ({
    reason,
    why: `${wanted.why}; ${why}`,
  })
  const on_top = terms.fee_balance === null ? terms.fee : 0n
  const fee = `the fee is ${format(terms.fee)} ${terms.fee_asset}`
  const { most } = terms

  let { quantity } = wanted
  if (rule.condition_type === 'SWEEPING') {
    quantity = round(greatest(quantity - on_top, 0n), terms.scale, 'down')
    if (quantity === 0n)
      return refused('FEE_EXCEEDS_QUANTITY', `${fee}: nothing would be left to move`)
  } else if (balances.source < quantity + on_top) {
    return refused(
      'INSUFFICIENT_SOURCE',
      `the source has ${format(balances.source)}, needed are ` +
        `${format(quantity)}${on_top === 0n ? '' : ` and the fee of ${format(on_top)}`}`,
    )
  }
  if (most !== null && quantity > most) {
    if (rule.condition_type === 'CONDITIONAL')
      return refused(
        'ABOVE_VENUE_MAXIMUM',
        `the venue sends at most ${format(most)}, asked are ${format(quantity)}`,
      )
    quantity = least(quantity, round(most, terms.scale, 'down'))
  }
  if (rule.condition_type !== 'CONDITIONAL' && quantity < rule.min_quantity)
    return refused(
      'BELOW_MIN_QUANTITY',
      `${format(quantity)} is less than the job's minimum of ${format(rule.min_quantity)}`,
    )
  if (terms.least !== null && quantity < terms.least)
    return refused(
      'BELOW_VENUE_MINIMUM',
      `${format(quantity)} is less than the venue's minimum of ${format(terms.least)}`,
    )
  if (terms.fee_balance !== null && terms.fee_balance < terms.fee)
    return refused(
      'INSUFFICIENT_FEE_ASSET',
      `${fee}, and the source has ${format(terms.fee_balance)}`,
    )
  if (on_top >= quantity)
    return refused('FEE_EXCEEDS_QUANTITY', `${fee}, as much as the ${format(quantity)} to move`)
  if (on_top > multiply(quantity, terms.fee_share, 18, 'down'))
    return refused(
      'FEE_TOO_HIGH',
      `${fee}, more than ${format(terms.fee_share * 100n)} % of ${format(quantity)}`,
    )
  return { quantity, why: `${wanted.why}; ${fee}` }
}

function knownDestination({ destination }: Balances): Decimal {
  if (destination === null) throw new Error('this rule needs the balance of the destination')
  return destination
}
