/**
 * What Kraken holds for us, by asset. Kraken shows some of it apart, under the asset's name with a
 * suffix that cannot be traded or withdrawn by that name ("Get Account Balance",
 * docs.kraken.com/api-reference/account-data/get-account-balance).
 */
import { sum } from '../../../core/decimal.ts'
import type { Decimal } from '../../../core/decimal.ts'
import type { Venue, VenueBalance } from '../../contract.ts'
import { exact, row } from '../answers.ts'
import type { Row } from '../answers.ts'
import { askingFor } from './calls.ts'
import type { KrakenCalls } from './calls.ts'
import { FAILURES } from './vocabulary.ts'

/**
 * `.F` earns rewards by itself and Kraken lets one spend it under the asset's name. Of `.B` (yield
 * products) and `.M` (opt-in rewards) Kraken does not say so: these count as used.
 */
const SUFFIX = /\.([FBM])$/
const SPENDABLE = 'F'

/** What they were before, to see whether something has happened. */
type Known = { text: string }

export function krakenBalances(calls: KrakenCalls): Venue['balances'] {
  const known: Known = { text: '' }
  return ({ signal, fresh } = {}) =>
    calls.quiet.read('balances', { key: '', fresh }, async () => {
      const result = row(
        await FAILURES.reading(() => calls.ask('BalanceEx', {}, { signal, ...askingFor(fresh) })),
      )
      const text = JSON.stringify(result)
      const quiet = known.text === '' || known.text === text
      known.text = text
      calls.follow()
      return { answer: balancesIn(calls, result), quiet, live: false }
    })
}

function balancesIn({ money, terms }: KrakenCalls, result: Row): VenueBalance[] {
  const assetOf = (native: string) =>
    terms.byNative(native)?.asset ?? money.safeCurrencyCode(native)
  const shown = Object.entries(result).map(([native, value]) =>
    balanceOf(assetOf(native.replace(SUFFIX, '')), native, row(value)),
  )
  return [...Map.groupBy(shown, ({ asset }) => asset)]
    .map(([asset, parts]) => ({
      wallet: null,
      asset,
      protocol: terms.ofPot(asset),
      free: sum(parts.map(({ free }) => free)),
      used: sum(parts.map(({ used }) => used)),
      total: sum(parts.map(({ total }) => total)),
    }))
    .filter(({ total, protocol }) => total !== 0n || protocol !== null)
}

/** `credit` is a line Kraken may grant: it can be used and is not owned. */
function balanceOf(asset: string, native: string, value: Row) {
  const figure = (field: string) => (value[field] === undefined ? 0n : exact(value, field))
  const total = exact(value, 'balance')
  const credit = value['credit'] === undefined ? 0n : figure('credit') - figure('credit_used')
  const used = usedOf(total, native, value)
  return { asset, free: total + credit - used, used, total }
}

function usedOf(total: Decimal, native: string, value: Row): Decimal {
  const [, suffix] = SUFFIX.exec(native) ?? []
  if (suffix === undefined) return exact(value, 'hold_trade')
  return suffix === SPENDABLE ? 0n : total
}
