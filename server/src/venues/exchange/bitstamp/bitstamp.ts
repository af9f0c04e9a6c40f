/**
 * Bitstamp by ccxt. Bitstamp has one pot per asset, so balances name no wallet. Every request
 * carries a random nonce and its time, so calls need no order; in exchange a request may be
 * accepted until its time is too old.
 */
import { format } from '../../../core/decimal.ts'
import type { Venue, VenueBalance } from '../../contract.ts'
import type { Credential } from '../../lease/credential.ts'
import { AccountStream, listenTo } from '../account-stream.ts'
import { exact, row, rows, text, word } from '../answers.ts'
import type { Row } from '../answers.ts'
import { loadMoney, marketsOf } from '../ccxt.ts'
import type { ExchangeConfig, Market } from '../ccxt.ts'
import { shippedTerms, termsOf } from '../../terms.ts'
import type { Terms } from '../../terms.ts'
import { openPrices } from '../prices.ts'
import { hourlyFees } from '../taker-fees.ts'
import { openTrading } from '../trading.ts'
import { bitstampDialect } from './account-stream.ts'
import { bitstampBooks } from './books.ts'
import { limitCalls } from './calls.ts'
import type { BitstampMoney } from './money.ts'
import { bitstampOrders } from './orders.ts'
import { bitstampTransfers } from './transfers.ts'
import { bitstampCurrencies, bitstampProtocols } from './protocols.ts'
import { FAILURES, isWord } from './vocabulary.ts'

const LISTING_GRACE_MILLISECONDS = 10_000
/** Bitstamp refuses what was signed earlier. */
const REQUEST_WINDOW_MILLISECONDS = 150_000

export async function openBitstamp(config: ExchangeConfig, credential: Credential): Promise<Venue> {
  const terms = termsOf('bitstamp', config.terms ?? shippedTerms('bitstamp'))
  const calls = limitCalls(await loadMoney<BitstampMoney>(config, credential), config)
  const { money, act, budget } = calls
  const ready = marketsOf(money)
  const grace = config.listing_grace_ms ?? LISTING_GRACE_MILLISECONDS
  // Signed at the latest after the first grace time, accepted at the latest a window later, listed
  // after another grace time.
  const patience = {
    sendWithin: grace,
    absentAfter: 2 * grace + (config.request_window_ms ?? REQUEST_WINDOW_MILLISECONDS),
  }
  const currencies = bitstampCurrencies(money)
  const dialect = bitstampDialect({ money, ready, terms }, config)
  const streams = dialect === undefined ? [] : [new AccountStream(dialect, credential)]
  const prices = openPrices({
    money,
    books: bitstampBooks(config),
    failures: FAILURES,
    takerFee: takerFees(money),
  })
  const ask = (work: () => Promise<unknown>): Promise<unknown> =>
    FAILURES.reading(async () => {
      await ready()
      return work()
    })

  return {
    kind: 'EXCHANGE',
    async balances({ signal } = {}) {
      const balances = rows(await ask(() => calls.balances(signal)))
      return balances
        .map((row) => balanceOf(money, terms, row))
        .filter((balance) => balance.total !== 0n || balance.protocol !== null)
    },
    protocols: async () => bitstampProtocols(terms, rows(await ask(currencies))),
    transfers: bitstampTransfers({ money, act, ready, patience, terms, currencies }),
    trading: openTrading({
      money,
      act: (work) => act(grace, work),
      ready,
      patience,
      failures: FAILURES,
      orders: bitstampOrders({ money, act, ready, sendWithin: grace }),
    }),
    prices,
    ...(streams.length === 0 ? {} : { listen: listenTo(streams) }),
    budget,
    async close() {
      for (const stream of streams) stream.close()
      await prices.close()
      await money.close()
    },
  }
}

function balanceOf(money: BitstampMoney, terms: Terms, row: Row): VenueBalance {
  const currency = text(row, 'currency')
  const asset =
    terms.all.find((term) => isWord(term, currency))?.asset ??
    money.safeCurrencyCode(currency.toUpperCase())
  return {
    wallet: null,
    asset,
    protocol: terms.ofPot(asset),
    free: exact(row, 'available'),
    used: exact(row, 'reserved'),
    total: exact(row, 'total'),
  }
}

/** Bitstamp writes what this account pays in percent. */
const takerFees = (money: BitstampMoney): ((market: Market) => Promise<string>) =>
  hourlyFees(
    async () =>
      new Map(
        rows(await money.privatePostFeesTrading({})).map((fee) => {
          const percent = row(fee['fees'])
          return [word(fee, 'market'), format(exact(percent, 'taker') / 100n)]
        }),
      ),
  )
