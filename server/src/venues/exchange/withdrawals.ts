/**
 * Withdrawals, as far as all exchanges are alike: what the exchange would refuse or round is
 * refused before it is sent, who has waited too long is not sent any more, and what an exception
 * means is decided once.
 */
import { scaleOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { FeeEstimate, Incoming, Outcome, TransferOrder, TransferReport } from '../contract.ts'
import type { Term, Terms } from '../terms.ts'
import { refusal } from './wire.ts'
import type { Failures } from './wire.ts'

type Sending = {
  name: string
  terms: Terms
  failures: Failures
  /** How fine the exchange moves it, where it says so itself. */
  decimalsOf?(entry: Term): Promise<number>
  /** Of this exchange alone. */
  objectionTo(order: TransferOrder, entry: Term): string | undefined
  /** `started`: when the order was handed over, before anything was asked for it. */
  send(entry: Term, started: number): Promise<Outcome<TransferReport>>
}

export async function sendWithdrawal(
  order: TransferOrder,
  { name, terms, failures, decimalsOf, objectionTo, send }: Sending,
): Promise<Outcome<TransferReport>> {
  const started = Date.now()
  const entry = terms.find(order.asset, order.protocol)
  if (entry === undefined)
    return refusal(`${name} does not move ${order.asset} over ${order.protocol}`)
  try {
    const decimals = (await decimalsOf?.(entry)) ?? entry.decimals
    const way = { ...entry, decimals }
    const objection = generalObjection(name, order, way) ?? objectionTo(order, entry)
    return objection === undefined ? await send(entry, started) : refusal(objection)
  } catch (error) {
    return failures.outcomeOf(error)
  }
}

function generalObjection(name: string, order: TransferOrder, way: Term): string | undefined {
  if (order.speed_level === 'CUSTOM') return `${name} takes no custom fee`
  if (order.quantity <= 0n || scaleOf(order.quantity) > way.decimals)
    return `${name} moves ${way.asset} with at most ${way.decimals} decimals`
  return undefined
}

/** What one of both, the protocol and the exchange, does not have is not moved. */
export function coarser({ decimals }: Pick<Term, 'decimals'>, said: unknown): number {
  const digits = Number(said ?? decimals)
  return Number.isSafeInteger(digits) && digits >= 0 ? Math.min(digits, decimals) : decimals
}

/**
 * Does `work` unless `started` is too long ago: by then somebody may have given the withdrawal up,
 * and `absent` may have been answered.
 */
export async function inTime<Result>(
  { started, within }: { started: number; within: number },
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  return Date.now() - started > within ? undefined : work()
}

/** The exchange has given it a name, and says no more yet. */
export const acceptedWithdrawal = (
  report: Pick<TransferReport, 'foreign_id' | 'sub_state' | 'fee' | 'fee_asset'>,
): Outcome<TransferReport> => ({
  outcome: 'accepted',
  report: {
    state: 'PENDING',
    reason: null,
    transaction_hash: null,
    confirmations: null,
    ...report,
  },
})

/** One fee, however urgent. */
export const oneFee = (asset: string, fee: Decimal): FeeEstimate => ({
  asset,
  custom: false,
  speed_levels: { DEFAULT: fee, FAST: fee, SLOW: fee },
})

/** What exchanges do not say of what arrives in their one pot. */
export const ANONYMOUS = {
  wallet: null,
  output_index: null,
  source_address: null,
  tag: null,
  reference_text: null,
  counterparty: null,
  confirmations: null,
  required_confirmations: null,
  related_external_id: null,
} as const satisfies Partial<Incoming>
