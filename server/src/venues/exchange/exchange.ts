/**
 * Kraken by ccxt. Kraken has one pot per asset, so balances name no wallet. Private calls go one after another, because a nonce
 * must be above every earlier one; one process per API key, the one that holds the credential's lease.
 */
import type { AssetProtocols, Protocol, Venue, VenueBalance } from '../contract.ts'
import { loadMoney } from './ccxt.ts'
import type { ExchangeConfig } from './ccxt.ts'
import { PROTOCOLS, exact, isOurMethod, row, rows } from './kraken.ts'
import type { Row } from './kraken.ts'
import { openPrices } from './prices.ts'
import { openTrading } from './trading.ts'
import { openTransfers } from './transfers.ts'
import { reading, serial } from './wire.ts'

export type { ExchangeConfig } from './ccxt.ts'

const LISTING_GRACE_MILLISECONDS = 10_000

/** Does not talk to the exchange yet: the first call does, and an exchange that is down answers VenueUnreachable there. */
export async function openExchange(config: ExchangeConfig): Promise<Venue> {
  const money = await loadMoney(config)
  const serially = serial()
  // A failed load stays in ccxt as a rejected promise; asked to reload, it tries again.
  const ready = async () => { if (money.markets === undefined) await money.loadMarkets(true) }
  const parts = { money, serially, ready, listingGrace: config.listing_grace_ms ?? LISTING_GRACE_MILLISECONDS }
  const prices = openPrices(config, money)
  const ask = (work: () => Promise<{ result?: unknown }>): Promise<unknown> => reading(() => serially(async () => { await ready(); return (await work()).result }))

  return {
    kind: 'EXCHANGE',
    async balances() {
      const result = row(await ask(() => money.privatePostBalanceEx({})))
      return Object.entries(result).map(([native, value]) => balanceOf(money.safeCurrencyCode(native), native, row(value)))
        .filter((each) => each.total !== 0n || PROTOCOLS.some((one) => one.asset === each.asset))
    },
    async protocols() {
      const withdrawals = rows(await ask(() => money.privatePostWithdrawMethods({})))
      const answer: AssetProtocols[] = []
      for (const entry of PROTOCOLS) {
        const deposits = rows(await ask(() => money.privatePostDepositMethods({ asset: entry.native })))
        const withdrawal = withdrawals.find((each) => each['asset'] === entry.native && (isOurMethod(entry, each['method']) || isOurMethod(entry, each['network'])))
        const deposit = deposits.some((each) => isOurMethod(entry, each['method']))
        if (withdrawal === undefined && !deposit) continue
        const protocol: Protocol = {
          protocol: entry.protocol, native: entry.native, decimals: entry.decimals, tag_required: entry.tagged,
          min_withdrawal: withdrawal?.['minimum'] === undefined ? null : exact(withdrawal, 'minimum'), max_withdrawal: null,
          deposit, withdraw: withdrawal !== undefined,
        }
        answer.push({ asset: entry.asset, protocols: [protocol] })
      }
      return answer
    },
    transfers: openTransfers(parts),
    trading: openTrading(parts),
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
  const credit = value['credit'] === undefined ? 0n : exact(value, 'credit') - (value['credit_used'] === undefined ? 0n : exact(value, 'credit_used'))
  const protocol = PROTOCOLS.find((each) => each.native === native)?.protocol ?? null
  return { wallet: null, asset, protocol, free: total + credit - used, used, total }
}
