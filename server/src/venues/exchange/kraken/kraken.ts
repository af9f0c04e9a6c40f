/**
 * Kraken by ccxt. Kraken has one pot per asset, so balances name no wallet. One process per API
 * key, the one that holds the credential's lease.
 */
import type { Venue } from '../../contract.ts'
import type { Credential } from '../../lease/credential.ts'
import { loadMoney } from '../ccxt.ts'
import type { ExchangeConfig } from '../ccxt.ts'
import { openPrices } from '../prices.ts'
import { openTrading } from '../trading.ts'
import { krakenBalances } from './balances.ts'
import { krakenBooks } from './books.ts'
import { krakenCalls } from './calls.ts'
import { krakenOrders } from './orders.ts'
import type { KrakenMoney } from './money.ts'
import { takerFees } from './fees.ts'
import { krakenTransfers } from './transfers.ts'
import { krakenProtocols } from './protocols.ts'
import { FAILURES } from './vocabulary.ts'

const LISTING_GRACE_MILLISECONDS = 10_000
/** Kraken promises no time for the list of withdrawals, and a second one would be paid. */
const WITHDRAWAL_ABSENT_MILLISECONDS = 180_000
const HOUR_MILLISECONDS = 3_600_000
/** Reading all lists costs five points, a lookup of an order with its trades two. */
const NEWS_EVERY_MILLISECONDS = 10_000

export async function openKraken(config: ExchangeConfig, credential: Credential): Promise<Venue> {
  const money = await loadMoney<KrakenMoney>(config, credential)
  money.nonce = () => credential.nonce()
  const calls = krakenCalls(money, config, credential)
  const { act, ready } = calls
  const listingGrace = config.listing_grace_ms ?? LISTING_GRACE_MILLISECONDS
  const prices = openPrices({
    money,
    books: krakenBooks(config),
    failures: FAILURES,
    takerFee: takerFees(calls),
  })
  return {
    kind: 'EXCHANGE',
    balances: krakenBalances(calls),
    protocols: hourly(calls.counted, () => krakenProtocols(calls)),
    transfers: krakenTransfers(calls, {
      sendWithin: listingGrace,
      absentAfter: config.listing_grace_ms ?? WITHDRAWAL_ABSENT_MILLISECONDS,
    }),
    trading: openTrading({
      money,
      act: (work) => act('AddOrder', listingGrace, work),
      ready,
      patience: { sendWithin: listingGrace, absentAfter: listingGrace },
      failures: FAILURES,
      orders: krakenOrders(calls, listingGrace),
    }),
    prices,
    ...(calls.listen === undefined ? {} : { listen: calls.listen }),
    ...(calls.counted ? { news_every_ms: NEWS_EVERY_MILLISECONDS } : {}),
    budget: () => calls.budget(),
    async close() {
      calls.close()
      await prices.close()
      await money.close()
    },
  }
}

/**
 * Where calls are counted, what hardly changes is asked once an hour. Who gave up waiting finds the
 * same reading, which goes on.
 */
function hourly<Answer>(counted: boolean, read: () => Promise<Answer>): () => Promise<Answer> {
  let known: { at: number; answer: Answer } | undefined
  let reading: Promise<Answer> | undefined
  const readNow = async (): Promise<Answer> => {
    try {
      const [at, answer] = [Date.now(), await read()]
      known = { at, answer }
      return answer
    } finally {
      reading = undefined
    }
  }
  return async () => {
    if (counted && known !== undefined && Date.now() - known.at < HOUR_MILLISECONDS)
      return known.answer
    reading ??= readNow()
    return reading
  }
}
