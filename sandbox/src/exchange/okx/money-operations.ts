/**
 * OKX's private REST operations about money, in euro by SEPA ("Get deposit payment methods", "Get
 * withdrawal payment methods", "Create withdrawal order", "Get withdrawal order history", "Get
 * deposit order history"). A withdrawal goes to a bank account that a person has registered, which
 * is a verified destination here.
 */
import { createHash } from 'node:crypto'
import type { Deposit } from '../deposits.ts'
import type { Exchange } from '../exchange.ts'
import { floored, plain } from '../figures.ts'
import type { Withdrawal } from '../withdrawals.ts'
import type { Destinations } from './destinations.ts'
import { ASSETS } from './listing.ts'
import type { Asset } from './listing.ts'
import { clientIdIn, figureIn, needed, refusal } from './request.ts'
import type { Fields } from './request.ts'
import type { Operations } from './rest.ts'

const METHOD = 'SEPA'
const LISTED = 100_000
const PAGE = 100
const MOST = '1000000'

export function moneyOperations(exchange: Exchange, destinations: Destinations): Operations {
  const { funding } = exchange
  const money = () => ASSETS.filter(({ chain }) => chain === null)
  const isMoneyRow = ({ asset }: { asset: string }) => money().some(({ id }) => id === asset)
  return {
    'GET fiat/deposit-payment-methods': (fields) => methods(fields, '0', []),
    'GET fiat/withdrawal-payment-methods': (fields) => {
      const asset = moneyIn(fields)
      const accounts = destinations.of(asset.id).map((iban) => ({
        paymentAcctId: accountId(iban),
        acctNum: iban,
        recipientName: 'Kontor',
        bankName: 'Sandbox Bank',
        bankCode: 'SANDDEFFXXX',
        state: 'active',
      }))
      return methods(fields, plain(funding.fee(asset)), accounts)
    },
    'POST fiat/create-withdrawal': (fields) => [withdraw(exchange, destinations, fields)],
    'GET fiat/withdrawal-order-history': (fields) =>
      pageOf(fields, funding.withdrawals({ limit: LISTED }).filter(isMoneyRow).map(withdrawalView)),
    'GET fiat/deposit-order-history': (fields) =>
      pageOf(fields, funding.deposits({ limit: LISTED }).filter(isMoneyRow).map(depositView)),
  }
}

const accountId = (iban: string): string =>
  createHash('sha256').update(iban).digest('hex').slice(0, 16)

function moneyIn(fields: Fields): Asset {
  const ccy = needed(fields, 'ccy')
  const asset = ASSETS.find(({ id, chain }) => id === ccy && chain === null)
  if (asset === undefined) throw refusal('58401', 'Payment method is not supported')
  return asset
}

function methods(fields: Fields, minFee: string, accounts: object[]): object[] {
  const { id, withdraw_minimum } = moneyIn(fields)
  const unlimited = { dailyLimit: MOST, dailyLimitRemaining: MOST, lifetimeLimit: '' }
  const limits = { ...unlimited, minAmt: withdraw_minimum, maxAmt: MOST }
  return [{ ccy: id, paymentMethod: METHOD, feeRate: '0', minFee, limits, accounts }]
}

/** `after` is "a begin timestamp … (inclusive)", `before` "an end timestamp … (inclusive)". */
function pageOf<Row extends { cTime: string }>(fields: Fields, rows: readonly Row[]): Row[] {
  const { after = '', before = '', limit = String(PAGE) } = fields
  return rows
    .filter(
      ({ cTime }) =>
        (after === '' || Number(cTime) >= Number(after)) &&
        (before === '' || Number(cTime) <= Number(before)),
    )
    .slice(0, Math.min(Number(limit), PAGE))
}

const ORDER_STATE: Readonly<Record<Withdrawal['status'], string>> = {
  Initial: 'inqueue',
  Pending: 'processing',
  Settled: 'processing',
  Success: 'completed',
  Failure: 'failed',
}

const withdrawalView = (row: Withdrawal) => ({
  ordId: row.refid,
  clientId: row.key,
  amt: row.amount,
  ccy: row.asset,
  fee: row.fee,
  paymentAcctId: accountId(row.address),
  paymentMethod: METHOD,
  state: row.status_prop === 'canceled' ? 'canceled' : ORDER_STATE[row.status],
  cTime: String(row.at),
  uTime: String(row.at),
})

const DEPOSIT_STATE: Readonly<Record<Deposit['status'], string>> = {
  Pending: 'pending',
  Success: 'completed',
  Failure: 'failed',
}

const depositView = (row: Deposit) => ({
  ordId: row.refid,
  // "If it's a deposit, it's most likely an empty string."
  clientId: '',
  ccy: row.asset,
  amt: row.amount,
  fee: '0',
  paymentAcctId: '',
  paymentMethod: METHOD,
  state: DEPOSIT_STATE[row.status],
  cTime: String(row.at),
  uTime: String(row.at),
})

function withdraw(exchange: Exchange, destinations: Destinations, fields: Fields): object {
  const { funding } = exchange
  const asset = moneyIn(fields)
  const amount = figureIn(fields, 'amt')
  if (needed(fields, 'paymentMethod') !== METHOD)
    throw refusal('58401', 'Payment method is not supported')
  const paymentAcctId = needed(fields, 'paymentAcctId')
  const iban = destinations.of(asset.id).find((known) => accountId(known) === paymentAcctId)
  if (iban === undefined) throw refusal('58402', 'Invalid payment account')
  if (floored(amount, asset.transfer_decimals) !== amount)
    throw refusal('51000', 'Parameter amt error', 400)
  needed(fields, 'clientId')
  const key = clientIdIn(fields, 'clientId') ?? ''
  if (funding.withdrawals({ limit: LISTED }).some((row) => row.key === key))
    throw refusal('58404', 'ClientId already exists')
  const fee = funding.fee(asset)
  const made = funding.withdraw(asset, { key, address: iban, tag: null, amount, fee })
  if (made === undefined) throw refusal('58350', 'Insufficient balance.')
  const row = funding.withdrawals({ limit: 1 })[0]
  if (row?.refid !== made.refid) throw new Error('the order is not listed')
  return { ...withdrawalView(row), state: 'processing' }
}
