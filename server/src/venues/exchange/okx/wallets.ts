/**
 * The account's two wallets. Coins come to and go from the funding wallet, orders are paid from the
 * trading wallet ("Funds transfer"). For Kontor both are one pot. What one of them lacks is moved
 * when an order or a withdrawal needs it; each move has a client id of its own that follows from
 * what it is for, so nothing is moved twice. A move changes nothing that we own.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { format, sum } from '../../../core/decimal.ts'
import type { Decimal } from '../../../core/decimal.ts'
import type { VenueBalance } from '../../contract.ts'
import { exact, rows, text, unreadableAnswer } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { Call } from '../call-limiter.ts'
import type { OkxCalls } from './calls.ts'
import { FAILURES, TRANSFER_NOT_FOUND } from './vocabulary.ts'

const FUNDING = '6'
const TRADING = '18'
/** So many times the same order or withdrawal may find a wallet empty again. */
const MOVES = 5
/** So many times the wallets are read until nothing moved meanwhile. */
const READINGS = 4

/** Funding and trading together, at one moment: nothing moved between them while they were read. */
export async function readBalances(
  calls: OkxCalls,
  asking: Pick<Call, 'signal'>,
): Promise<VenueBalance[]> {
  let funding = holdings(await calls.ask('GetAssetBalances', {}, asking), 'bal')
  let trading: Holding[] = []
  for (let attempt = 1; ; attempt += 1) {
    const { details } = await calls.askOne('GetAccountBalance', {}, asking)
    trading = holdings(rows(details), 'cashBal')
    const before = funding
    funding = holdings(await calls.ask('GetAssetBalances', {}, asking), 'bal')
    if (isDeepStrictEqual(before, funding)) break
    if (attempt === READINGS) throw unreadableAnswer('balances that stand still')
  }
  return [...Map.groupBy([...funding, ...trading], ({ ccy }) => assetOf(calls, ccy))]
    .map(([asset, parts]) => {
      const total = sum(parts.map((part) => part.total))
      const used = sum(parts.map((part) => part.used))
      const protocol = calls.terms.ofPot(asset)
      return { wallet: null, asset, protocol, free: total - used, used, total }
    })
    .filter(({ total, protocol }) => total !== 0n || protocol !== null)
}

const assetOf = ({ terms, money }: OkxCalls, ccy: string): string =>
  terms.byNative(ccy)?.asset ?? money.safeCurrencyCode(ccy)

type Holding = { ccy: string; total: Decimal; used: Decimal }

/** One for each asset, however often it is listed. */
function holdings(listed: readonly Row[], total: string): Holding[] {
  const byAsset = new Map(listed.map((row) => [text(row, 'ccy'), row]))
  return [...byAsset].map(([ccy, row]) => ({
    ccy,
    total: exact(row, total),
    used: exact(row, 'frozenBal'),
  }))
}

/** What is free in the funding wallet; an asset that is not listed there is not there. */
export async function freeForFunding(calls: OkxCalls, ccy: string): Promise<Decimal> {
  const listed = await calls.ask('GetAssetBalances', { ccy }, { urgency: 'act' })
  const found = listed.find((row) => row['ccy'] === ccy)
  return found === undefined ? 0n : exact(found, 'availBal')
}

type Need = { ccy: string; reference: string }

/** Why a withdrawal cannot be paid yet; undefined when the funding wallet lacks nothing. */
export async function fund(
  calls: OkxCalls,
  { missing: amount, ...need }: Need & { missing: Decimal },
): Promise<string | undefined> {
  return amount <= 0n ? undefined : move(calls, { ...need, amount, from: TRADING, to: FUNDING })
}

/** Moves all that the funding wallet has to the trading wallet. False when it has nothing. */
export async function fundTrading(calls: OkxCalls, need: Need): Promise<boolean> {
  const amount = await freeForFunding(calls, need.ccy)
  if (amount <= 0n) return false
  return (await move(calls, { ...need, amount, from: FUNDING, to: TRADING })) === undefined
}

type Move = Need & { amount: Decimal; from: string; to: string }

/** Undefined once it is done; otherwise why not. */
async function move(calls: OkxCalls, wanted: Move): Promise<string | undefined> {
  const { ccy, reference, amount, from, to } = wanted
  for (let attempt = 0; attempt < MOVES; attempt += 1) {
    const clientId = moveId(reference, `${from} ${to} ${attempt}`)
    const state = await stateOf(calls, clientId)
    // This one was made earlier for the same reason, and what it moved has been used since.
    if (state === 'success' || state === 'failed') continue
    if (state === undefined) {
      const transfer = { ccy, amt: format(amount), from, to, type: '0', clientId }
      await calls.ask('PostAssetTransfer', transfer, { urgency: 'act' })
    }
    const after = await stateOf(calls, clientId)
    return after === 'success'
      ? undefined
      : `the transfer between the wallets is ${after ?? 'not known yet'}`
  }
  return `${MOVES} transfers between the wallets were not enough`
}

/** 32 letters and figures, for one move of one order or withdrawal. */
const moveId = (reference: string, which: string): string =>
  createHash('sha256').update(`${reference} ${which}`).digest('hex').slice(0, 32)

/**
 * "success", "pending" or "failed"; undefined when OKX knows no such transfer. "The success or
 * failure of the request does not necessarily reflect the actual transfer result": so it is always
 * asked.
 */
async function stateOf(calls: OkxCalls, clientId: string): Promise<string | undefined> {
  try {
    const [found] = await calls.ask('GetAssetTransferState', { clientId }, { urgency: 'act' })
    return found === undefined ? undefined : text(found, 'state')
  } catch (error) {
    const { native } = FAILURES.failureOf(error)
    if (native !== null && TRANSFER_NOT_FOUND.test(native)) return undefined
    throw error
  }
}
