/** What Kraken moves for this account, and by which methods. */
import type { AssetProtocols, Protocol } from '../../contract.ts'
import { isNetwork, isTagged } from '../../terms.ts'
import type { Term } from '../../terms.ts'
import { assetProtocols } from '../../unserved.ts'
import { exact, rows } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { KrakenCalls } from './calls.ts'
import { decimalsOf } from './decimals.ts'
import { FAILURES } from './vocabulary.ts'

export async function krakenProtocols(calls: KrakenCalls): Promise<AssetProtocols[]> {
  const withdrawals = rows(await FAILURES.reading(() => calls.ask('WithdrawMethods', {})))
  const deposits = new Map<string, Row[] | string>()
  for (const { native } of calls.terms.all)
    if (isListed(calls, native) && !deposits.has(native))
      deposits.set(native, await depositMethods(calls, native))
  return assetProtocols(calls.terms.all, (term) => {
    const ofAsset = deposits.get(term.native)
    if (ofAsset === undefined) return `kraken lists no asset ${term.native}`
    const leaving = withdrawals.filter((row) => row['asset'] === term.native)
    if (typeof ofAsset !== 'string') return protocolOf(calls, term, leaving, ofAsset)
    const sending = protocolOf(calls, term, leaving, [])
    return typeof sending === 'string' ? `kraken refuses ${term.native}: ${ofAsset}` : sending
  })
}

/** What Kraken refuses of one asset (`EFunding:No funding method`) says nothing of the others. */
const OF_ONE_ASSET = /^(EFunding|EQuery):/

/** Or why Kraken says none. */
const depositMethods = (calls: KrakenCalls, native: string): Promise<Row[] | string> =>
  FAILURES.reading(async () => {
    try {
      return rows(await calls.ask('DepositMethods', { asset: native }))
    } catch (error) {
      const { native: reason } = FAILURES.failureOf(error)
      if (reason === null || !OF_ONE_ASSET.test(reason)) throw error
      return reason
    }
  })

/** Of an asset that Kraken does not know the methods cannot be asked for. */
const isListed = ({ money }: KrakenCalls, native: string): boolean =>
  money.currencies === undefined || Object.values(money.currencies).some(({ id }) => id === native)

/** Or why not: Kraken moves the asset by other methods only. */
function protocolOf(
  { money }: KrakenCalls,
  term: Term,
  withdrawals: readonly Row[],
  deposits: readonly Row[],
): Protocol | string {
  const withdrawal = withdrawals.find(
    (row) => isNetwork(term, row['method']) || isNetwork(term, row['network']),
  )
  const deposit = deposits.some((row) => isNetwork(term, row['method']))
  if (withdrawal === undefined && !deposit) {
    const others = new Set([...withdrawals, ...deposits].map((row) => String(row['method'])))
    const meant = term.networks.join(' or ')
    return others.size === 0
      ? `kraken moves no ${term.native} for this account`
      : `kraken moves ${term.native} by ${[...others].join(', ')}, and not by ${meant}`
  }
  return {
    protocol: term.protocol,
    native: term.native,
    decimals: decimalsOf(money, term),
    tag_required: isTagged(term),
    min_withdrawal: withdrawal?.['minimum'] === undefined ? null : exact(withdrawal, 'minimum'),
    max_withdrawal: null,
    deposit,
    withdraw: withdrawal !== undefined,
  }
}
