/**
 * Kraken by ccxt. Kraken has one pot per asset, so balances name no wallet. One process per API
 * key, the one that holds the credential's lease.
 */
import type { AssetProtocols, Protocol, Venue } from '../../contract.ts'
import { exact, rows } from '../answers.ts'
import type { Row } from '../answers.ts'
import { loadMoney } from '../ccxt.ts'
import type { ExchangeConfig } from '../ccxt.ts'
import { openPrices } from '../prices.ts'
import { openTrading } from '../trading.ts'
import { balancesOf } from './balances.ts'
import { krakenBooks } from './books.ts'
import { krakenCalls } from './calls.ts'
import type { KrakenCalls } from './calls.ts'
import { krakenOrders } from './orders.ts'
import type { KrakenMoney, RawReply } from './money.ts'
import { krakenTransfers } from './transfers.ts'
import { FAILURES, PROTOCOLS, isOurMethod } from './vocabulary.ts'
import type { ProtocolEntry } from './vocabulary.ts'

const LISTING_GRACE_MILLISECONDS = 10_000

export async function openKraken(config: ExchangeConfig): Promise<Venue> {
  const money = await loadMoney<KrakenMoney>(config)
  money.nonce = growingNonce()
  const calls = krakenCalls(money)
  const { serially, ready } = calls
  const listingGrace = config.listing_grace_ms ?? LISTING_GRACE_MILLISECONDS
  const prices = openPrices({
    money,
    books: krakenBooks(config),
    failures: FAILURES,
    takerFee: async (market) => market.taker,
  })
  return {
    kind: 'EXCHANGE',
    balances: () => balancesOf(calls),
    protocols: () => protocolsOf(calls),
    transfers: krakenTransfers(calls, listingGrace),
    trading: openTrading({
      money,
      calls: serially,
      ready,
      patience: { sendWithin: listingGrace, absentAfter: listingGrace },
      failures: FAILURES,
      orders: krakenOrders(calls),
    }),
    prices,
    async close() {
      await prices.close()
      await money.close()
    },
  }
}

/**
 * Kraken wants a nonce that only grows; milliseconds repeat. Microseconds stay below 2^53 until the
 * year 2255.
 */
function growingNonce(): () => number {
  let last = 0
  return () => {
    last = Math.max(last + 1, Date.now() * 1000)
    return last
  }
}

async function protocolsOf({ money, call }: KrakenCalls): Promise<AssetProtocols[]> {
  const ask = async (work: () => Promise<RawReply>): Promise<Row[]> =>
    rows(await FAILURES.reading(() => call(work)))
  const withdrawals = await ask(() => money.privatePostWithdrawMethods({}))
  const assets: AssetProtocols[] = []
  for (const entry of PROTOCOLS) {
    const deposits = await ask(() => money.privatePostDepositMethods({ asset: entry.native }))
    const protocol = protocolOf(entry, withdrawals, deposits)
    if (protocol !== undefined) assets.push({ asset: entry.asset, protocols: [protocol] })
  }
  return assets
}

/** Undefined when Kraken moves the asset by other methods only. */
function protocolOf(
  entry: ProtocolEntry,
  withdrawals: readonly Row[],
  deposits: readonly Row[],
): Protocol | undefined {
  const withdrawal = withdrawals.find(
    (row) =>
      row['asset'] === entry.native &&
      (isOurMethod(entry, row['method']) || isOurMethod(entry, row['network'])),
  )
  const deposit = deposits.some((row) => isOurMethod(entry, row['method']))
  if (withdrawal === undefined && !deposit) return undefined
  return {
    protocol: entry.protocol,
    native: entry.native,
    decimals: entry.decimals,
    tag_required: entry.tagged,
    min_withdrawal: withdrawal?.['minimum'] === undefined ? null : exact(withdrawal, 'minimum'),
    max_withdrawal: null,
    deposit,
    withdraw: withdrawal !== undefined,
  }
}
