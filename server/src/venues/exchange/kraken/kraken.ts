/**
 * Kraken by ccxt. Kraken has one pot per asset, so balances name no wallet. Private calls go one
 * after another, because a nonce must be above every earlier one; one process per API key, the one
 * that holds the credential's lease.
 */
import type { AssetProtocols, Protocol, Venue, VenueBalance } from '../../contract.ts'
import { exact, row, rows } from '../answers.ts'
import type { Row } from '../answers.ts'
import { loadMoney } from '../ccxt.ts'
import type { ExchangeConfig } from '../ccxt.ts'
import { openPrices } from '../prices.ts'
import { openTrading } from '../trading.ts'
import { serial } from '../wire.ts'
import { krakenBooks } from './books.ts'
import { krakenOrders } from './orders.ts'
import type { KrakenMoney, RawReply } from './money.ts'
import { openTransfers } from './transfers.ts'
import { FAILURES, PROTOCOLS, isOurMethod } from './vocabulary.ts'

const LISTING_GRACE_MILLISECONDS = 10_000

export async function openKraken(config: ExchangeConfig): Promise<Venue> {
  const money = await loadMoney<KrakenMoney>(config)
  // Kraken wants a nonce that only grows; milliseconds repeat. Microseconds stay below 2^53 until
  // the year 2255.
  let last = 0
  money.nonce = () => {
    last = Math.max(last + 1, Date.now() * 1000)
    return last
  }
  const serially = serial()
  // A failed load stays in ccxt as a rejected promise; asked to reload, it tries again.
  const ready = async () => {
    if (money.markets === undefined) await money.loadMarkets(true)
  }
  const listingGrace = config.listing_grace_ms ?? LISTING_GRACE_MILLISECONDS
  const prices = openPrices(money, krakenBooks(config), FAILURES, async (market) => market.taker)
  const ask = (work: () => Promise<RawReply>): Promise<unknown> =>
    FAILURES.reading(() =>
      serially(async () => {
        await ready()
        return (await work()).result
      }),
    )

  return {
    kind: 'EXCHANGE',
    async balances() {
      const result = row(await ask(() => money.privatePostBalanceEx({})))
      return Object.entries(result)
        .map(([native, value]) => balanceOf(money.safeCurrencyCode(native), native, row(value)))
        .filter(
          (venueBalance) =>
            venueBalance.total !== 0n || PROTOCOLS.some((one) => one.asset === venueBalance.asset),
        )
    },
    async protocols() {
      const withdrawals = rows(await ask(() => money.privatePostWithdrawMethods({})))
      const answer: AssetProtocols[] = []
      for (const entry of PROTOCOLS) {
        const deposits = rows(
          await ask(() => money.privatePostDepositMethods({ asset: entry.native })),
        )
        const withdrawal = withdrawals.find(
          (withdrawal) =>
            withdrawal['asset'] === entry.native &&
            (isOurMethod(entry, withdrawal['method']) || isOurMethod(entry, withdrawal['network'])),
        )
        const deposit = deposits.some((deposit) => isOurMethod(entry, deposit['method']))
        if (withdrawal === undefined && !deposit) continue
        const protocol: Protocol = {
          protocol: entry.protocol,
          native: entry.native,
          decimals: entry.decimals,
          tag_required: entry.tagged,
          min_withdrawal:
            withdrawal?.['minimum'] === undefined ? null : exact(withdrawal, 'minimum'),
          max_withdrawal: null,
          deposit,
          withdraw: withdrawal !== undefined,
        }
        answer.push({ asset: entry.asset, protocols: [protocol] })
      }
      return answer
    },
    transfers: openTransfers({ money, serially, ready, listingGrace }),
    trading: openTrading({
      money,
      calls: serially,
      ready,
      patience: { sendWithin: listingGrace, absentAfter: listingGrace },
      failures: FAILURES,
      orders: krakenOrders({ money, serially, ready }),
    }),
    prices,
    async close() {
      await prices.close()
      await money.close()
    },
  }
}

/** `credit` is a line Kraken may grant: it can be used and is not owned. */
function balanceOf(asset: string, native: string, value: Row): VenueBalance {
  const total = exact(value, 'balance')
  const used = exact(value, 'hold_trade')
  const credit =
    value['credit'] === undefined
      ? 0n
      : exact(value, 'credit') -
        (value['credit_used'] === undefined ? 0n : exact(value, 'credit_used'))
  const protocol = PROTOCOLS.find((protocol) => protocol.native === native)?.protocol ?? null
  return { wallet: null, asset, protocol, free: total + credit - used, used, total }
}
