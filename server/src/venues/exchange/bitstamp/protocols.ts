/**
 * What Bitstamp moves, and how fine. Its list of currencies names the networks of each
 * ("Currencies", www.bitstamp.net/api); of money it names none.
 */
import { tryDecimal } from '../../../core/decimal.ts'
import type { AssetProtocols, Protocol } from '../../contract.ts'
import { isMoney, isNetwork, isTagged } from '../../terms.ts'
import type { Term, Terms } from '../../terms.ts'
import { assetProtocols } from '../../unserved.ts'
import { rows } from '../answers.ts'
import type { Row } from '../answers.ts'
import { coarser } from '../withdrawals.ts'
import type { BitstampMoney } from './money.ts'
import { isWord } from './vocabulary.ts'

const HOUR_MILLISECONDS = 3_600_000
const ENABLED = 'Enabled'

/** Asked once an hour; while there is no answer, the one before counts. */
export type Currencies = () => Promise<readonly Row[]>

export function bitstampCurrencies(money: BitstampMoney): Currencies {
  let known: { at: number; currencies: readonly Row[] } | undefined
  return async () => {
    if (known !== undefined && Date.now() - known.at < HOUR_MILLISECONDS) return known.currencies
    try {
      const [at, currencies] = [Date.now(), rows(await money.publicGetCurrencies({}))]
      known = { at, currencies }
    } catch (error) {
      if (known === undefined) throw error
    }
    return known.currencies
  }
}

export function bitstampProtocols(terms: Terms, currencies: readonly Row[]): AssetProtocols[] {
  return assetProtocols(terms.all, (term) => {
    const currency = currencyOf(term, currencies)
    if (currency === undefined) return `bitstamp lists no currency ${term.native}`
    const network = networkRow(term, currency)
    if (network !== undefined) return protocolOf(term, network)
    const names = networksOf(currency).map((row) => String(row['network']))
    const meant = term.networks.join(' or ')
    return `bitstamp moves ${term.native} over ${names.join(', ') || 'no network'}, not ${meant}`
  })
}

export function decimalsOf(term: Term, currencies: readonly Row[]): number {
  const currency = currencyOf(term, currencies)
  return finest(term, currency === undefined ? undefined : networkRow(term, currency))
}

const finest = (term: Term, network: Row | undefined): number =>
  coarser(term, network?.['withdrawal_decimals'])

const currencyOf = (term: Term, currencies: readonly Row[]): Row | undefined =>
  currencies.find((row) => isWord(term, row['currency']))

const networksOf = (currency: Row): Row[] =>
  currency['networks'] === undefined ? [] : rows(currency['networks'])

/** Of money the currency itself. */
const networkRow = (term: Term, currency: Row): Row | undefined =>
  isMoney(term) ? currency : networksOf(currency).find((row) => isNetwork(term, row['network']))

function protocolOf(term: Term, network: Row): Protocol {
  const least = network['withdrawal_minimum_amount']
  return {
    protocol: term.protocol,
    native: term.native,
    decimals: finest(term, network),
    tag_required: isTagged(term),
    min_withdrawal: least === undefined ? null : (tryDecimal(String(least)) ?? null),
    max_withdrawal: null,
    deposit: (network['deposit'] ?? ENABLED) === ENABLED,
    withdraw: (network['withdrawal'] ?? ENABLED) === ENABLED,
  }
}
