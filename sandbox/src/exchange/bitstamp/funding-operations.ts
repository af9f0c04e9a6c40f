/**
 * Bitstamp's private REST operations, version 2, about balances, fees, deposits and withdrawals.
 */
import { isValidIBAN } from 'ibantools'
import { isAddress } from '../../chain/address.ts'
import type { Exchange } from '../exchange.ts'
import { figure, fixed } from '../figures.ts'
import { isMoney } from '../rules.ts'
import { ASSETS } from './listing.ts'
import type { Asset } from './listing.ts'
import { oddMovements } from './odd-movements.ts'
import { Refusal, amountOf, assetNamed, formRefusal, pageOf, wholeNumber } from './request.ts'
import type { Fields, Operation } from './request.ts'
import {
  coinView,
  depositView,
  insufficientFunds,
  movementView,
  percent,
  requestView,
  time,
  userTradeView,
} from './views.ts'

const PAGE = 1_000
/** How many trades the account's list holds at most. */
const LISTED = 100_000
const LONGEST_TIMEDELTA_SECONDS = 50_000_000
const BANK_FIELDS = [
  'account_currency',
  'name',
  'iban',
  'bic',
  'address',
  'postal_code',
  'city',
  'country',
  'type',
]

export function fundingOperations(exchange: Exchange): Record<string, Operation> {
  const { accounts, funding, rules } = exchange
  return {
    account_balances: () =>
      ASSETS.map(({ id, common, decimals }) => {
        const { total, held } = accounts.of('kontor', id)
        return {
          currency: common.toLowerCase(),
          total: fixed(total, decimals),
          available: fixed(total - held, decimals),
          reserved: fixed(held, decimals),
        }
      }),
    user_transactions: (fields) => userTransactions(exchange, fields),
    'crypto-transactions': (fields) => cryptoTransactions(exchange, fields),
    address(_fields, word) {
      const asset = assetNamed(word)
      const { address, tag } = funding.address(asset)
      // `DepositAddressResponse`: the memo is a text, the tag a number.
      const written = asset.tag_field === 'memo_id' ? tag : Number(tag)
      return { address, ...(tag === null ? {} : { [tagFieldOf(asset)]: written }) }
    },
    'fees/trading': () =>
      rules.pairs.map((pair) => ({
        currency_pair: pair.id,
        market: pair.id,
        fees: { maker: percent(rules.maker_fee), taker: percent(rules.taker_fee) },
      })),
    'fees/withdrawal': (_fields, word) => {
      const fees = ASSETS.map((asset) => ({
        currency: asset.common.toLowerCase(),
        fee: fixed(funding.fee(asset), asset.transfer_decimals),
        network: asset.network,
      }))
      return word === '' ? fees : (fees.find((fee) => fee.currency === word) ?? assetNamed(word))
    },
    withdrawal: (fields, word) => withdrawCoins(exchange, fields, assetNamed(word)),
    'withdrawal/open': (fields) => withdrawMoney(exchange, fields),
    'withdrawal-requests': (fields) => withdrawalRequests(exchange, fields),
    'withdrawal/cancel': (fields) => cancelWithdrawal(exchange, fields),
  }
}

/** Deposits, withdrawals and trades in one list, newest first. */
function userTransactions(exchange: Exchange, fields: Fields): object[] {
  const { funding, orders } = exchange
  const since =
    fields['since_timestamp'] === undefined
      ? {}
      : { from: wholeNumber(fields, 'since_timestamp', 0) * 1000 }
  const deposits = funding
    .deposits({ ...since, limit: PAGE })
    .filter(({ status }) => status === 'Success')
    .map(({ at, ...deposit }) => ({ at, row: movementView({ ...deposit, type: '0', fee: '0' }) }))
  const withdrawals = funding
    .withdrawals({ ...since, limit: PAGE })
    .filter(({ status }) => status !== 'Failure')
    .map(({ at, amount, ...withdrawal }) => ({
      at,
      row: movementView({ ...withdrawal, type: '1', amount: `-${amount}` }),
    }))
  const trades = orders
    .trades({ ...since, offset: 0, limit: LISTED })
    .trades.map((trade) => ({ at: trade.at, row: userTradeView(trade) }))
  const odd = oddMovements(exchange).map(({ at, ...movement }) => ({
    at,
    row: movementView({ ...movement, fee: '0' }),
  }))
  const newestFirst = [...deposits, ...withdrawals, ...trades, ...odd].toSorted(
    (a, b) => b.at - a.at,
  )
  return pageOf(
    fields,
    newestFirst.map(({ at, row }) => ({ ...row, datetime: time(at) })),
  )
}

function cryptoTransactions({ funding }: Exchange, fields: Fields): object {
  const deposits = funding
    .deposits({ limit: PAGE })
    .filter((deposit) => !isMoney(assetNamed(deposit.asset)))
    .map(depositView)
  const withdrawals = funding
    .withdrawals({ limit: PAGE })
    .filter(({ txid, asset }) => txid !== null && !isMoney(assetNamed(asset)))
    .map((withdrawal) => coinView(withdrawal, withdrawal.address, withdrawal.txid ?? ''))
  return {
    deposits: pageOf(fields, deposits),
    withdrawals: pageOf(fields, withdrawals),
    ripple_iou_transactions: [],
  }
}

function withdrawCoins(exchange: Exchange, fields: Fields, asset: Asset): object {
  const address = fields['address'] ?? ''
  if (!isAddress(asset.protocol, address)) throw formRefusal('address', 'Invalid address.')
  // The published schema names the network; without one Bitstamp takes the coin's own.
  const network = fields['network'] ?? asset.network
  if (network !== asset.network)
    throw formRefusal('network', `Network ${network} is not supported.`)
  const tag = fields[tagFieldOf(asset)] ?? null
  return { id: withdraw(exchange, fields, asset, { address, tag }) }
}

/**
 * `CryptoWithdrawalRequest`: `destination_tag` is for XRP, `memo_id` for XLM and others. That the
 * one which is not meant is ignored is assumed.
 */
const tagFieldOf = ({ tag_field }: Asset): string => tag_field ?? 'destination_tag'

function withdrawMoney(exchange: Exchange, fields: Fields): object {
  for (const name of BANK_FIELDS)
    if ((fields[name] ?? '') === '') throw formRefusal(name, 'This field is required.')
  if (fields['type'] !== 'sepa') throw formRefusal('type', 'Only SEPA.')
  const asset = assetNamed(fields['account_currency'] ?? '')
  const iban = fields['iban'] ?? ''
  if (!isMoney(asset) || !isValidIBAN(iban)) throw formRefusal('iban', 'Invalid IBAN.')
  return { withdrawal_id: withdraw(exchange, fields, asset, { address: iban, tag: null }) }
}

/** Answers the number of the withdrawal. */
function withdraw(
  exchange: Exchange,
  fields: Fields,
  asset: Asset,
  to: { address: string; tag: string | null },
): number {
  const amount = amountOf(fields, 'amount', asset.transfer_decimals)
  if (amount < figure(asset.withdraw_minimum))
    throw formRefusal(
      'amount',
      `Ensure this value is greater than or equal to ${asset.withdraw_minimum}.`,
    )
  const fee = exchange.funding.fee(asset)
  const made = exchange.funding.withdraw(asset, { key: '', ...to, amount, fee })
  if (made === undefined) throw formRefusal('amount', insufficientFunds(exchange, asset))
  return Number(made.refid)
}

function withdrawalRequests({ world, funding }: Exchange, fields: Fields): object[] {
  const timedelta = wholeNumber(fields, 'timedelta', LONGEST_TIMEDELTA_SECONDS)
  if (timedelta > LONGEST_TIMEDELTA_SECONDS)
    throw formRefusal(
      'timedelta',
      `Ensure this value is less than or equal to ${LONGEST_TIMEDELTA_SECONDS}.`,
    )
  const rows = funding
    .withdrawals({ from: world.now() - timedelta * 1000, limit: PAGE })
    .filter((row) => fields['id'] === undefined || row.refid === fields['id'])
  return pageOf(fields, rows.map(requestView))
}

function cancelWithdrawal({ funding }: Exchange, fields: Fields): object {
  const row = funding.withdrawals({ limit: PAGE }).find(({ refid }) => refid === fields['id'])
  if (row === undefined || !funding.cancel(row.refid))
    throw new Refusal(400, { status: 'error', reason: 'Withdrawal can not be cancelled.' })
  return {
    id: Number(row.refid),
    amount: row.amount,
    currency: row.asset,
    account_currency: row.asset,
    type: String(assetNamed(row.asset).withdrawal_type),
  }
}
