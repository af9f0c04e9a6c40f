/** Kraken's private REST operations, version 0, about balances, deposits and withdrawals. */
import type { Exchange } from '../exchange.ts'
import { figure, fixed, floored, tryFigure } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { isMoney } from '../rules.ts'
import type { ListFilter } from '../tables.ts'
import { ASSETS, asset as assetOf } from './assets.ts'
import type { Asset } from './assets.ts'
import type { Keys, WithdrawalKey } from './keys.ts'
import { Refusal, assetNamed, periodOf } from './request.ts'
import type { Fields, Operation } from './request.ts'
import { rewardsOf } from './rewards.ts'
import type { Reward } from './rewards.ts'
import { depositView, withdrawalView } from './views.ts'

const PAGE = 500

export function fundingOperations(exchange: Exchange, keys: Keys): Record<string, Operation> {
  const { accounts, funding } = exchange
  return {
    Balance: () =>
      Object.fromEntries(
        ASSETS.flatMap((asset) => balancesOf(exchange, asset)).map(({ name, balance }) => [
          name,
          balance,
        ]),
      ),
    BalanceEx: () =>
      Object.fromEntries(
        ASSETS.flatMap((asset) => balancesOf(exchange, asset)).map(({ name, ...view }) => [
          name,
          view,
        ]),
      ),
    DepositMethods: ({ asset }) => [depositMethodView(assetNamed(asset))],
    DepositAddresses: (fields) => depositAddresses(exchange, fields),
    DepositStatus: (fields) => funding.deposits(listFilter(fields)).map(depositView),
    WithdrawMethods: ({ asset }) =>
      ASSETS.filter((listed) => asset === undefined || listed === assetNamed(asset)).map(
        withdrawMethodView,
      ),
    WithdrawAddresses: (fields) => withdrawAddresses(keys, fields),
    WithdrawInfo(fields) {
      const asset = assetNamed(fields['asset'])
      const { gross, fee } = plan(exchange, keys, asset, fields)
      return {
        method: asset.withdraw_method,
        limit: fixed(accounts.free('kontor', asset.id), asset.decimals),
        amount: fixed(gross - fee, asset.decimals),
        fee: fixed(fee, asset.decimals),
      }
    },
    Withdraw: (fields) => withdraw(exchange, keys, fields),
    WithdrawStatus: (fields) => funding.withdrawals(listFilter(fields)).map(withdrawalView),
    WithdrawCancel: (fields) => funding.cancel(fields['refid'] ?? ''),
  }
}

/** The plain balance of an asset, and what stands apart from it. */
function balancesOf(exchange: Exchange, asset: Asset): { name: string; balance: string }[] {
  const { accounts, rules } = exchange
  const { total, held } = accounts.of('kontor', asset.id)
  const sumOf = (some: Reward[]) => some.reduce((sum, { quantity }) => sum + quantity, 0n)
  const locked = sumOf(rewardsOf(exchange, asset).filter(({ spendable }) => !spendable))
  // What is spent beyond the plain balance is taken from what stays spendable.
  const rewards = rewardsOf(exchange, asset).map((reward) =>
    reward.spendable && reward.quantity > total - locked
      ? { ...reward, quantity: total - locked }
      : reward,
  )
  const shown = (quantity: Figure) => fixed(quantity, asset.decimals)
  const line = rules.credit?.[asset.common]
  const plainBalance = {
    name: asset.id,
    balance: shown(total - sumOf(rewards)),
    hold_trade: shown(held - locked),
    ...(line === undefined ? {} : { credit: shown(figure(line)), credit_used: shown(0n) }),
  }
  const apart = rewards.map(({ name, quantity }) => ({
    name,
    balance: shown(quantity),
    hold_trade: shown(0n),
  }))
  return [plainBalance, ...apart]
}

function depositMethodView(asset: Asset): object {
  return {
    method: asset.deposit_method,
    limit: false,
    fee: fixed(0n, asset.decimals),
    'gen-address': !isMoney(asset),
    minimum: asset.deposit_minimum,
  }
}

function depositAddresses({ funding }: Exchange, fields: Fields): object[] {
  const asset = assetNamed(fields['asset'])
  if (fields['method'] !== undefined && fields['method'] !== asset.deposit_method)
    throw new Refusal('EFunding:Invalid method')
  const { address, tag } = funding.address(asset)
  return [
    {
      address,
      expiretm: '0',
      new: false,
      ...tagged(asset, tag),
      ...(isMoney(asset) ? { reference: funding.reference } : {}),
    },
  ]
}

const tagged = ({ memo }: Asset, tag: string | null): object =>
  tag === null ? {} : { [memo === true ? 'memo' : 'tag']: tag }

function withdrawMethodView(asset: Asset): object {
  const maximum = asset.withdraw_limit
  return {
    asset: asset.id,
    method: asset.withdraw_method,
    network: asset.network,
    network_id: asset.network_id,
    minimum: fixed(figure(asset.withdraw_minimum), asset.decimals),
    limits: [
      {
        limit_type: 'amount',
        description: '',
        limits: { 86400: { remaining: maximum, used: '0', maximum } },
      },
    ],
  }
}

function withdrawAddresses(keys: Keys, fields: Fields): object[] {
  const wanted = fields['asset'] === undefined ? undefined : assetNamed(fields['asset']).id
  return keys
    .all()
    .filter(({ asset }) => wanted === undefined || asset === wanted)
    .filter(({ key }) => fields['key'] === undefined || key === fields['key'])
    .map(({ address, asset, key, tag }) => ({
      address,
      asset,
      method: assetOf(asset).withdraw_method,
      key,
      ...tagged(assetOf(asset), tag),
      verified: true,
    }))
}

/** The fee comes out of the requested amount. */
function withdraw(exchange: Exchange, keys: Keys, fields: Fields): object {
  const asset = assetNamed(fields['asset'])
  const { target, gross, fee } = plan(exchange, keys, asset, fields)
  if (fields['address'] !== undefined && fields['address'] !== target.address)
    throw new Refusal('EFunding:Invalid withdrawal address')
  if (fields['max_fee'] !== undefined && (tryFigure(fields['max_fee']) ?? 0n) < fee)
    throw new Refusal('EFunding:Max fee exceeded')
  if (gross < figure(asset.withdraw_minimum)) throw new Refusal('EFunding:Amount less than minimum')
  if (gross <= fee) throw new Refusal('EFunding:Invalid amount')
  const made = exchange.funding.withdraw(asset, { ...target, amount: gross - fee, fee })
  if (made === undefined) throw new Refusal('EFunding:Insufficient funds')
  return made
}

/** The registered destination, the requested amount, and the fee inside it. */
function plan(
  { funding }: Exchange,
  keys: Keys,
  asset: Asset,
  fields: Fields,
): { target: WithdrawalKey; gross: Figure; fee: Figure } {
  const target = keys.all().find((key) => key.key === fields['key'] && key.asset === asset.id)
  if (target === undefined) throw new Refusal('EFunding:Unknown withdraw key')
  const gross = tryFigure(fields['amount'] ?? '')
  if (gross === undefined || gross === 0n || floored(gross, asset.transfer_decimals) !== gross)
    throw new Refusal('EFunding:Invalid amount')
  return { target, gross, fee: funding.fee(asset) }
}

function listFilter(fields: Fields): ListFilter {
  const asset = fields['asset'] === undefined ? {} : { asset: assetNamed(fields['asset']).id }
  const limit = Math.min(Number(fields['limit'] ?? PAGE), PAGE)
  return { ...asset, ...periodOf(fields), limit }
}
