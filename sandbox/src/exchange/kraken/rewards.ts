/**
 * What Kraken shows apart from the plain balance of an asset, under the asset's name with a suffix:
 * `.F` what earns rewards by itself and stays spendable, `.B` yield products, `.M` opt-in rewards
 * ("Get Account Balance", docs.kraken.com/api-reference/account-data/get-account-balance).
 */
import type { FastifyInstance } from 'fastify'
import { bad } from '../bad-request.ts'
import type { Exchange } from '../exchange.ts'
import { figure, plain, tryFigure } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { findAsset } from './assets.ts'
import type { Asset } from './assets.ts'

const SUFFIXES = ['F', 'B', 'M'] as const
type Suffix = (typeof SUFFIXES)[number]
const SPENDABLE: readonly Suffix[] = ['F']

export type Reward = { name: string; quantity: Figure; spendable: boolean }

const settingOf = (asset: Asset, suffix: Suffix): string => `rewards ${asset.id}.${suffix}`

export function rewardsOf({ settings }: Exchange, asset: Asset): Reward[] {
  return SUFFIXES.map((suffix) => ({
    name: `${asset.altname}.${suffix}`,
    quantity: figure(settings.get(settingOf(asset, suffix)) ?? '0'),
    spendable: SPENDABLE.includes(suffix),
  })).filter(({ quantity }) => quantity > 0n)
}

export const REWARD_ROUTES = ['POST rewards {asset, suffix: F|B|M, quantity}']

export function mountRewards(server: FastifyInstance, part: string, exchange: Exchange): void {
  const { accounts, settings, world } = exchange
  server.post<{ Body: Record<string, unknown> }>(
    `/control/${part}/rewards`,
    async (request, reply) => {
      const asset = findAsset(String(request.body?.['asset']))
      const suffix = SUFFIXES.find((known) => known === request.body?.['suffix'])
      const quantity = tryFigure(String(request.body?.['quantity']))
      if (asset === undefined || suffix === undefined || quantity === undefined)
        return bad(reply, 'asset, suffix (F, B or M) and quantity are needed')
      const setting = settingOf(asset, suffix)
      const more = quantity - figure(settings.get(setting) ?? '0')
      if (more > accounts.free('kontor', asset.id)) return bad(reply, 'less than that is free')
      world.commit(() => {
        if (!SPENDABLE.includes(suffix)) accounts.hold('kontor', asset.id, more)
        settings.set(setting, plain(quantity))
      })
      return { asset: asset.common, suffix, quantity: plain(quantity) }
    },
  )
}
