/**
 * What an exchange owes a client who trades on credit: paid where the client has named, when the
 * client owes nothing any more and has no open order, or by hand. What is finer than can be paid
 * stays with the house then.
 */
import type { FastifyInstance } from 'fastify'
import { bad } from './bad-request.ts'
import type { Exchange } from './exchange.ts'
import { floored, plain, stepOf, tryFigure } from './figures.ts'
import type { Figure } from './figures.ts'
import type { Asset } from './rules.ts'
import { PAYOUT_KEY } from './withdrawals.ts'
import type { Withdrawal } from './withdrawals.ts'

type Payouts = {
  /** False when nobody named where to, or the client is not owed that much. */
  pay(asset: Asset, quantity: Figure): boolean
  all(): Withdrawal[]
  automatic(on: boolean): void
}

export function openPayouts(
  { world, rules, settings, accounts, orders, funding }: Exchange,
  payee: (asset: Asset) => { address: string; tag: string | null } | undefined,
): Payouts {
  const owned = (asset: Asset) => accounts.of('kontor', asset.id).total
  const unit = (asset: Asset) => stepOf(asset.transfer_decimals)

  const pay = (asset: Asset, quantity: Figure): boolean => {
    const to = payee(asset)
    if (to === undefined || quantity > owned(asset)) return false
    return (
      funding.withdraw(asset, {
        key: PAYOUT_KEY,
        address: to.address,
        tag: to.tag,
        amount: quantity,
        fee: 0n,
      }) !== undefined
    )
  }
  const settle = () => {
    const owes = rules.assets.some((asset) => owned(asset) <= -unit(asset))
    const owed = rules.assets.filter((asset) => owned(asset) >= unit(asset))
    if (owes || owed.length === 0 || orders.open().length > 0) return
    if (!owed.every((asset) => pay(asset, floored(owned(asset), asset.transfer_decimals)))) return
    world.commit(() => {
      for (const asset of rules.assets) accounts.move('kontor', 'house', asset.id, owned(asset))
    })
  }
  world.onTick(() => {
    if (settings.get('payouts') !== 'by hand') settle()
  })
  return {
    pay,
    all: () => funding.payouts(1000),
    automatic: (on) => {
      settings.set('payouts', on ? 'automatic' : 'by hand')
    },
  }
}

export const PAYOUT_ROUTES = [
  'GET payouts',
  'POST payouts {asset, quantity}',
  'POST payouts/automatic {on}',
]

export function mountPayouts(
  server: FastifyInstance,
  part: string,
  payouts: Payouts,
  findAsset: (name: string) => Asset | undefined,
): void {
  const path = `/control/${part}/payouts`
  server.get(path, async () => payouts.all())
  server.post<{ Body: Record<string, unknown> }>(path, async (request, reply) => {
    const asset = findAsset(String(request.body?.['asset']))
    const quantity = tryFigure(String(request.body?.['quantity']))
    if (
      asset === undefined ||
      quantity === undefined ||
      quantity === 0n ||
      floored(quantity, asset.transfer_decimals) !== quantity
    )
      return bad(reply, 'asset and a quantity that can be paid are needed')
    if (!payouts.pay(asset, quantity))
      return bad(reply, `${plain(quantity)} ${asset.common} are not owed, or nobody named where to`)
    return payouts.all()
  })
  server.post<{ Body: Record<string, unknown> }>(`${path}/automatic`, async (request, reply) => {
    const on = request.body?.['on']
    if (typeof on !== 'boolean') return bad(reply, 'on is true or false')
    payouts.automatic(on)
    return { automatic: on }
  })
}
