/**
 * A simulated Kraken at /kraken, or another house that speaks its protocol at /<its name>: REST
 * version 0, websocket version 2 at /kraken/ws/v2 (public) and /kraken/ws-auth/v2 (private),
 * withdrawals to registered keys.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { isAddress } from '../../chain/address.ts'
import type { BankRails, Chain } from '../../part.ts'
import type { World } from '../../world.ts'
import { bad } from '../bad-request.ts'
import { LIMIT_ROUTES, mountLimits } from '../call-counts.ts'
import { mountControl } from '../control.ts'
import { exchangePart, openExchange } from '../exchange.ts'
import type { Exchange, ExchangePart } from '../exchange.ts'
import { mountPayouts, openPayouts, PAYOUT_ROUTES } from '../payouts.ts'
import { isMoney } from '../rules.ts'
import { openAccountStream } from './account-stream.ts'
import { KEY_ROUTES, keyOperations, mountApiKey } from './api-key.ts'
import { openKeys } from './keys.ts'
import type { Keys } from './keys.ts'
import type { Rules } from '../rules.ts'
import { findAsset } from './assets.ts'
import { fundingOperations } from './funding-operations.ts'
import { orderOperations } from './order-operations.ts'
import { KRAKEN_TIERS, openLimits } from './limits.ts'
import type { KrakenLimits } from './limits.ts'
import { KRAKEN } from './listing.ts'
import { findPair } from './pairs.ts'
import { publicOperations } from './public-operations.ts'
import { mountRest } from './rest.ts'
import { mountRewards, REWARD_ROUTES } from './rewards.ts'
import { openStream } from './stream.ts'
import type { Stream } from './stream.ts'

export type KrakenPart = ExchangePart & {
  /** Of the client's account. */
  tier(): string
  /** Registers where the client may withdraw to; `asset` is the common word. */
  addWithdrawalKey(key: { key: string; asset: string; address: string; tag: string | null }): void
}

export function openKraken(
  world: World,
  chain: Chain,
  bank: BankRails,
  rules: Rules = KRAKEN,
): KrakenPart {
  const keys = openKeys(world, rules.tables)
  const createCredentials = () => ({
    api_key: randomBytes(42).toString('base64'),
    api_secret: randomBytes(64).toString('base64'),
  })
  const exchange = openExchange(
    world,
    { chain, bank },
    { rules, createCredentials, knowsPayer: keys.knowsAccount },
  )
  const stream = openStream(exchange)
  const accountStream = openAccountStream(exchange)
  const limits = openLimits(exchange.settings)
  const payouts =
    rules.credit === undefined
      ? undefined
      : openPayouts(exchange, (asset) =>
          keys.all().find((withdrawalKey) => withdrawalKey.asset === asset.id),
        )
  const part = exchangePart(exchange, {
    mount(server) {
      mountRest(server, {
        ...exchange,
        publicOperations: publicOperations(exchange),
        privateOperations: {
          ...fundingOperations(exchange, keys),
          ...orderOperations(exchange, limits),
          ...keyOperations(exchange),
          ...accountStream.operations,
        },
        limits,
      })
      mountControls(server, exchange, { keys, stream, limits, payouts })
      if (payouts !== undefined) mountPayouts(server, rules.part, payouts, findAsset)
    },
    upgrade: (request, socket, head) => {
      const isPrivate = request.url?.startsWith(`/${rules.part}/ws-auth/`) === true
      ;(isPrivate ? accountStream : stream).upgrade(request, socket, head)
    },
    close: () => {
      stream.close()
      accountStream.close()
    },
  })
  return {
    ...part,
    tier: limits.counts.tier,
    addWithdrawalKey({ asset: name, ...key }) {
      const asset = findAsset(name)
      if (asset === undefined) throw new Error(`${name} is not listed`)
      keys.add({ ...key, asset: asset.id })
    },
  }
}

type Controlled = {
  keys: Keys
  stream: Stream
  limits: KrakenLimits
  payouts: object | undefined
}

function mountControls(
  server: FastifyInstance,
  exchange: Exchange,
  { keys, stream, limits, payouts }: Controlled,
): void {
  const { part } = exchange.rules
  mountControl(server, exchange, {
    findAsset,
    findPair,
    moreRoutes: [
      'GET withdrawal-keys',
      'POST withdrawal-keys {key, asset, address, tag?}',
      ...REWARD_ROUTES,
      ...LIMIT_ROUTES,
      ...KEY_ROUTES,
      ...(payouts === undefined ? [] : PAYOUT_ROUTES),
    ],
    faults: 'operations: any REST operation name',
    setStatus: (status) => {
      exchange.settings.set('status', status)
      stream.announce()
    },
  })
  mountKeys(server, part, keys)
  mountRewards(server, part, exchange)
  mountApiKey(server, part, exchange)
  mountLimits(server, part, exchange.settings, {
    tiers: KRAKEN_TIERS,
    counts: limits.counts,
  })
}

function mountKeys(server: FastifyInstance, part: string, keys: Keys): void {
  const path = `/control/${part}/withdrawal-keys`
  server.get(path, async () => keys.all())
  server.post<{ Body: Record<string, unknown> }>(path, async (request, reply) => {
    const { key, asset: name, address, tag } = request.body ?? {}
    const asset = findAsset(String(name))
    if (
      typeof key !== 'string' ||
      key === '' ||
      typeof address !== 'string' ||
      address === '' ||
      asset === undefined
    )
      return bad(reply, 'key, asset and address are needed')
    if (!isMoney(asset) && !isAddress(asset.protocol, address))
      return bad(reply, `address is no ${asset.protocol} address`)
    keys.add({ key, asset: asset.id, address, tag: typeof tag === 'string' ? tag : null })
    return keys.all()
  })
}
