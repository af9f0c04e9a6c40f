/**
 * A simulated Bitstamp at /bitstamp: REST version 2, websocket at /bitstamp/ws, withdrawals to
 * any address, fees on top.
 */
import { randomBytes } from 'node:crypto'
import type { BankRails, Chain } from '../../part.ts'
import type { World } from '../../world.ts'
import { LIMIT_ROUTES, mountLimits } from '../call-counts.ts'
import { mountControl } from '../control.ts'
import { exchangePart, openExchange } from '../exchange.ts'
import type { ExchangePart } from '../exchange.ts'
import { BITSTAMP, findAsset, findPair } from './listing.ts'
import { BITSTAMP_TIERS, openLimits } from './limits.ts'
import { mountOddMovements, ODD_MOVEMENT_ROUTES } from './odd-movements.ts'
import { mountRest } from './rest.ts'
import { openStream } from './stream.ts'

const word = () => randomBytes(24).toString('base64url').replaceAll(/[-_]/g, 'A')

const FAULTS = [
  'order (all six kinds)',
  'withdrawal (coins and money)',
  'and every other REST path as it is (order_status, withdrawal-requests, …)',
  'token (the next one for the stream has ended), reconnect (the stream asks for it)',
]

type BitstampPart = ExchangePart & {
  /** Of the client's account. */
  tier(): string
}

export function openBitstamp(world: World, chain: Chain, bank: BankRails): BitstampPart {
  const exchange = openExchange(
    world,
    { chain, bank },
    {
      rules: BITSTAMP,
      createCredentials: () => ({ api_key: word(), api_secret: word() }),
      knowsPayer: () => false,
    },
  )
  const stream = openStream(exchange)
  const limits = openLimits(exchange.settings)
  const part = exchangePart(exchange, {
    mount(server) {
      mountRest(server, exchange, limits, stream.operations)
      mountOddMovements(server, exchange)
      mountLimits(server, exchange.rules.part, exchange.settings, {
        tiers: BITSTAMP_TIERS,
        counts: limits.counts,
      })
      mountControl(server, exchange, {
        findAsset,
        findPair,
        moreRoutes: [...LIMIT_ROUTES, ...ODD_MOVEMENT_ROUTES],
        faults: `operations: ${FAULTS.join(', ')}`,
        setStatus: (status) => {
          exchange.settings.set('status', status)
        },
      })
    },
    upgrade: stream.upgrade,
    close: stream.close,
  })
  return { ...part, tier: limits.counts.tier }
}
