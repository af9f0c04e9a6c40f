/** OKX's private REST operations about balances, fees, deposits and withdrawals. */
import { isAddress } from '../../chain/address.ts'
import { PROTOCOLS } from '../../chain/protocols.ts'
import type { Deposit } from '../deposits.ts'
import type { Exchange } from '../exchange.ts'
import { figure, floored, plain, stepOf } from '../figures.ts'
import { isMoney } from '../rules.ts'
import type { Withdrawal } from '../withdrawals.ts'
import type { Destinations } from './destinations.ts'
import { ASSETS, findAsset } from './listing.ts'
import type { Asset } from './listing.ts'
import { assetIn, clientIdIn, figureIn, needed, pageOf, refusal } from './request.ts'
import type { Fields } from './request.ts'
import type { Operations } from './rest.ts'

const LISTED = 100_000

export function fundingOperations(exchange: Exchange, destinations: Destinations): Operations {
  const { accounts, funding, rules } = exchange
  return {
    'GET asset/currencies': () =>
      ASSETS.filter(isCoin).map((asset) => currencyView(exchange, asset)),
    // "Only asset information of a currency with a balance greater than 0 will be returned."
    'GET asset/balances': () =>
      ASSETS.map((asset) => ({ asset, ...accounts.of('funding', asset.id) }))
        .filter(({ total }) => total > 0n)
        .map(({ asset, total, held }) => ({
          ccy: asset.id,
          bal: plain(total),
          frozenBal: plain(held),
          availBal: plain(total - held),
        })),
    'GET account/balance': () => [{ totalEq: '', details: ASSETS.map(tradingView(exchange)) }],
    'GET account/trade-fee': () => {
      // "positive number … rebate; negative number … commission"
      const [maker, taker] = [plain(-rules.maker_fee), plain(-rules.taker_fee)]
      const fiat = ASSETS.filter(isMoney).map(({ id }) => ({ ccy: id, maker, taker }))
      return [{ instType: 'SPOT', level: 'VIP9', maker, taker, fiat, ts: String(Date.now()) }]
    },
    'GET asset/deposit-address': (fields) => {
      const asset = assetIn(fields)
      const { address, tag } = funding.address(asset)
      const tagged = tag === null ? {} : { tag }
      return [{ ccy: asset.id, chain: asset.chain, addr: address, to: '6', ...tagged }]
    },
    'GET asset/deposit-history': (fields) =>
      pageOf(fields, depositsOf(exchange).filter(matches(fields, ['ccy', 'depId', 'state']))),
    'POST asset/withdrawal': (fields) => [withdraw(exchange, destinations, fields)],
    'GET asset/withdrawal-history': (fields) =>
      pageOf(
        fields,
        withdrawalsOf(exchange).filter(matches(fields, ['ccy', 'wdId', 'clientId', 'state'])),
      ),
  }
}

const isCoin = ({ chain }: Asset): boolean => chain !== null
const isNameOfCoin = (name: string): boolean => ASSETS.filter(isCoin).some(({ id }) => id === name)

const tradingView =
  ({ accounts }: Exchange) =>
  ({ id }: Asset) => {
    const { total, held } = accounts.of('kontor', id)
    return {
      ccy: id,
      eq: plain(total),
      cashBal: plain(total),
      availBal: plain(total - held),
      frozenBal: plain(held),
      ordFrozen: plain(held),
    }
  }

function currencyView({ funding }: Exchange, asset: Asset): object {
  const protocol = PROTOCOLS.find((known) => known.protocol === asset.protocol)
  return {
    ccy: asset.id,
    name: asset.id,
    chain: asset.chain,
    canDep: true,
    canWd: true,
    canInternal: true,
    mainNet: true,
    needTag: asset.tagged,
    minDep: '0',
    minWd: asset.withdraw_minimum,
    maxWd: '100000',
    wdTickSz: String(asset.transfer_decimals),
    fee: plain(funding.fee(asset)),
    burningFeeRate: '',
    minDepArrivalConfirm: '1',
    minWdUnlockConfirm: String(protocol?.confirmations ?? 1),
  }
}

const matches =
  (fields: Fields, names: readonly string[]) =>
  (row: Readonly<Record<string, unknown>>): boolean =>
    names.every((name) => (fields[name] ?? '') === '' || row[name] === fields[name])

/**
 * 0 waiting for confirmation, 2 successful, 12 frozen. Assumed: one that failed on its chain is not
 * listed any more.
 */
export function depositsOf({ funding }: Exchange, limit: number = LISTED) {
  return funding
    .deposits({ limit })
    .filter(({ asset, status }) => isNameOfCoin(asset) && status !== 'Failure')
    .map((row) => ({
      ccy: row.asset,
      chain: findAsset(row.asset)?.chain,
      amt: row.amount,
      from: '',
      areaCodeFrom: '',
      to: row.address,
      txId: row.txid,
      ts: String(row.at),
      state: depositState(row),
      depId: row.refid,
      fromWdId: '',
      actualDepBlkConfirm: '',
    }))
}

function depositState({ status, status_prop }: Deposit): string {
  if (status === 'Success') return '2'
  return status_prop === 'on-hold' ? '12' : '0'
}

const WITHDRAWAL_STATE: Readonly<Record<Withdrawal['status'], string>> = {
  Initial: '0',
  Pending: '10',
  Settled: '1',
  Success: '2',
  Failure: '-1',
}
/** By hand: a state that OKX's documents do not name. */
const UNDOCUMENTED = '20'

function withdrawalState({ status, status_prop }: Withdrawal): string {
  if (status_prop === 'return') return UNDOCUMENTED
  if (status_prop === 'canceled') return '-2'
  return status_prop === 'onhold' ? '12' : WITHDRAWAL_STATE[status]
}

export function withdrawalsOf({ funding }: Exchange, limit: number = LISTED) {
  return funding
    .withdrawals({ limit })
    .filter(({ asset }) => isNameOfCoin(asset))
    .map((row) => ({
      ccy: row.asset,
      chain: findAsset(row.asset)?.chain,
      nonTradableAsset: false,
      amt: row.amount,
      ts: String(row.at),
      from: '',
      areaCodeFrom: '',
      to: row.address,
      areaCodeTo: '',
      ...(row.tag === null ? {} : { tag: row.tag }),
      txId: row.txid ?? '',
      fee: row.fee,
      feeCcy: row.asset,
      state: withdrawalState(row),
      wdId: row.refid,
      clientId: row.key,
      note: '',
    }))
}

function withdraw(exchange: Exchange, destinations: Destinations, fields: Fields): object {
  const { funding } = exchange
  const asset = assetIn(fields)
  const amount = figureIn(fields, 'amt')
  const toAddr = needed(fields, 'toAddr')
  if (needed(fields, 'dest') !== '4') throw refusal('51000', 'Parameter dest error', 400)
  const { chain = asset.chain } = fields
  if (asset.chain === null || chain !== asset.chain)
    throw refusal('58010', `Chain ${String(chain)} isn't supported`)
  const [address = '', tag = null] = toAddr.split(':')
  if (!isAddress(asset.protocol, address)) throw refusal('58222', 'Invalid withdrawal address')
  if (!destinations.knows(asset.id, toAddr))
    throw refusal('58207', "Withdrawal address isn't on the verified address list.")
  if (floored(amount, asset.transfer_decimals) !== amount)
    throw refusal('51000', `Parameter amt error: ${plain(stepOf(asset.transfer_decimals))}`, 400)
  if (amount < figure(asset.withdraw_minimum))
    throw refusal('58206', 'Withdrawal amount is less than the lower limit.')
  const key = clientIdIn(fields, 'clientId')
  // Assumed: the same code that fiat withdrawals have.
  if (key !== null && funding.withdrawals({ limit: LISTED }).some((row) => row.key === key))
    throw refusal('58404', 'ClientId already exists')
  // "Withdrawal fee is not included in withdrawal amount."
  const fee = funding.fee(asset)
  const made = funding.withdraw(asset, { key: key ?? '', address, tag, amount, fee })
  if (made === undefined) throw refusal('58350', 'Insufficient balance.')
  return { ccy: asset.id, chain, amt: plain(amount), wdId: made.refid, clientId: key ?? '' }
}
