/**
 * OKX, with its host for the EEA, by ccxt. OKX has a funding and a trading wallet, which are one
 * pot for Kontor, so balances name no wallet. A request may be accepted until its time is 30
 * seconds old.
 */
import { format } from '../../../core/decimal.ts'
import type { AssetProtocols, Protocol, Venue } from '../../contract.ts'
import type { Credential } from '../../lease/credential.ts'
import { isMoney, isTagged } from '../../terms.ts'
import type { Term } from '../../terms.ts'
import { assetProtocols } from '../../unserved.ts'
import { AccountStream, listenTo } from '../account-stream.ts'
import { exact } from '../answers.ts'
import type { Row } from '../answers.ts'
import { loadMoney } from '../ccxt.ts'
import type { ExchangeConfig, Market } from '../ccxt.ts'
import { openPrices } from '../prices.ts'
import { hourlyFees } from '../taker-fees.ts'
import { openTrading } from '../trading.ts'
import { okxDialects } from './account-stream.ts'
import { okxBooks } from './books.ts'
import { okxCalls } from './calls.ts'
import type { OkxCalls } from './calls.ts'
import { moneyProtocol } from './money-orders.ts'
import type { OkxMoney } from './money.ts'
import { okxOrders, placeOrder } from './orders.ts'
import { okxTransfers } from './transfers.ts'
import { FAILURES, termIn } from './vocabulary.ts'
import { readBalances } from './wallets.ts'
import { decimalsOf } from './withdrawals.ts'

const LISTING_GRACE_MILLISECONDS = 10_000
/**
 * OKX refuses what was signed earlier: "The request will expire 30 seconds after the timestamp."
 */
const REQUEST_WINDOW_MILLISECONDS = 30_000

export async function openOkx(config: ExchangeConfig, credential: Credential): Promise<Venue> {
  if (config.passphrase === undefined)
    throw new RangeError("the venue's configuration lacks passphrase")
  const money = await loadMoney<OkxMoney>(config, credential)
  const calls = okxCalls(money, config)
  const { ready } = calls
  const grace = config.listing_grace_ms ?? LISTING_GRACE_MILLISECONDS
  // Signed at the latest after two grace times (the second goes to the wallets), accepted at the
  // latest a window later by OKX's clock, which may be behind by as much, listed after another
  // grace time.
  const patience = {
    sendWithin: grace,
    absentAfter: 3 * grace + 2 * (config.request_window_ms ?? REQUEST_WINDOW_MILLISECONDS),
  }
  money.createOrder = placeOrder(calls, grace)
  const streams = okxDialects(config).map((dialect) => new AccountStream(dialect, credential))
  const prices = openPrices({
    money,
    books: okxBooks(config),
    failures: FAILURES,
    takerFee: takerFees(calls),
  })
  const reading = <Result>(work: () => Promise<Result>): Promise<Result> =>
    FAILURES.reading(async () => {
      await ready()
      return work()
    })
  return {
    kind: 'EXCHANGE',
    // What moves between the wallets meanwhile would be seen in both, or in none.
    balances: ({ signal } = {}) =>
      reading(() => calls.alone(() => readBalances(calls, { signal }))),
    protocols: () =>
      reading(async () => {
        const money = await Promise.all(
          calls.terms.all
            .filter(isMoney)
            .map(async (term) => [term, await moneyProtocol(calls, term)] as const),
        )
        return protocolsOf(calls, await calls.ask('GetAssetCurrencies', {}), new Map(money))
      }),
    transfers: okxTransfers(calls, patience),
    trading: openTrading({
      money,
      act: (work) => work(),
      ready,
      patience,
      failures: FAILURES,
      orders: okxOrders(calls, grace),
    }),
    prices,
    ...(streams.length === 0 ? {} : { listen: listenTo(streams) }),
    budget: () => calls.budget(),
    async close() {
      for (const stream of streams) stream.close()
      await prices.close()
      await money.close()
    },
  }
}

const protocolsOf = (
  { terms }: OkxCalls,
  currencies: readonly Row[],
  money: ReadonlyMap<Term, Protocol | string>,
): AssetProtocols[] =>
  assetProtocols(terms.all, (term) => {
    const served = money.get(term)
    if (served !== undefined) return served
    const chains = currencies.filter((row) => row['ccy'] === term.native)
    const chain = chains.find((row) => termIn(terms, row) === term)
    if (chain !== undefined) return protocolOf(term, chain)
    const names = chains.map((row) => String(row['chain'])).join(', ')
    return `okx moves ${term.native} over ${names || 'no chain'}, not ${term.networks.join(' or ')}`
  })

const protocolOf = (term: Term, chain: Row): Protocol => ({
  protocol: term.protocol,
  native: term.native,
  decimals: decimalsOf(term, chain),
  tag_required: isTagged(term),
  min_withdrawal: exact(chain, 'minWd'),
  max_withdrawal: exact(chain, 'maxWd'),
  deposit: chain['canDep'] === true,
  withdraw: chain['canWd'] === true,
})

/**
 * OKX writes what this account pays as a negative factor; for money its own list is `fiat` ("Get
 * fee rates").
 */
const takerFees = (calls: OkxCalls): ((market: Market) => Promise<string>) =>
  hourlyFees(async () => {
    await calls.ready()
    const how = { urgency: 'lookup' } as const
    const rates = await calls.askOne('GetAccountTradeFee', { instType: 'SPOT' }, how)
    const fiat = new Map(
      (Array.isArray(rates['fiat']) ? (rates['fiat'] as Row[]) : []).map((fee) => [
        fee['ccy'],
        fee,
      ]),
    )
    return new Map(
      Object.values(calls.money.markets ?? {}).map((market) => [
        market.id,
        format(-exact(fiat.get(market.quote) ?? rates, 'taker')),
      ]),
    )
  })
