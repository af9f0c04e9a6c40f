/**
 * A simulated OKX at /okx: REST version 5, websockets at /okx/ws/v5/public, private and business, a
 * funding and a trading wallet, withdrawals to verified addresses and bank accounts, fees on top.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { BankRails, Chain } from '../../part.ts'
import type { World } from '../../world.ts'
import { LIMIT_ROUTES, mountLimits } from '../call-counts.ts'
import { mountControl } from '../control.ts'
import { exchangePart, openExchange } from '../exchange.ts'
import type { ExchangePart } from '../exchange.ts'
import { DESTINATION_ROUTES, mountDestinations, openDestinations } from './destinations.ts'
import { fundingOperations } from './funding-operations.ts'
import { OKX_TIERS, openLimits } from './limits.ts'
import { OKX, findAsset, findPair } from './listing.ts'
import { moneyOperations } from './money-operations.ts'
import { orderOperations } from './order-operations.ts'
import { publicOperations } from './public-operations.ts'
import { mountRest } from './rest.ts'
import { openAccountStream } from './account-stream.ts'
import { openStream } from './stream.ts'
import { transferOperations } from './wallet-transfers.ts'

const FAULTS = [
  'order',
  'order-details',
  'withdrawal',
  'transfer',
  'and every other REST path by its last word (withdrawal-history, fills, …)',
  'notice (one of the private streams says that it will end)',
]

type OkxPart = ExchangePart & {
  /** Of the client's account. */
  tier(): string
  /** A verified address of the client, which a person has entered by hand. */
  addDestination(asset: string, toAddr: string): void
}

export function openOkx(world: World, chain: Chain, bank: BankRails): OkxPart {
  const exchange = openExchange(
    world,
    { chain, bank },
    {
      rules: OKX,
      createCredentials: () => ({
        api_key: randomUUID(),
        api_secret: randomBytes(16).toString('hex').toUpperCase(),
        passphrase: randomBytes(12).toString('base64url'),
      }),
      knowsPayer: () => false,
    },
  )
  const stream = openStream(exchange)
  const accountStream = openAccountStream(exchange)
  const limits = openLimits(exchange.settings)
  const destinations = openDestinations(exchange)
  const { part } = exchange.rules
  return {
    ...exchangePart(exchange, {
      mount(server) {
        mountRest(server, exchange, {
          publicOnes: publicOperations(exchange),
          privateOnes: {
            ...fundingOperations(exchange, destinations),
            ...moneyOperations(exchange, destinations),
            ...transferOperations(exchange),
            ...orderOperations(exchange),
          },
          limits,
        })
        mountDestinations(server, part, destinations)
        mountLimits(server, part, exchange.settings, { tiers: OKX_TIERS, counts: limits.counts })
        mountControl(server, exchange, {
          findAsset,
          findPair,
          moreRoutes: [...LIMIT_ROUTES, ...DESTINATION_ROUTES],
          faults: `operations: ${FAULTS.join(', ')}`,
          setStatus: (status) => {
            exchange.settings.set('status', status)
          },
        })
      },
      upgrade(request, socket, head) {
        const service = (['private', 'business'] as const).find(
          (name) => request.url === `/${part}/ws/v5/${name}`,
        )
        const upgrade = service === undefined ? stream.upgrade : accountStream.upgradeTo(service)
        upgrade(request, socket, head)
      },
      close() {
        stream.close()
        accountStream.close()
      },
    }),
    tier: limits.counts.tier,
    addDestination: destinations.add,
  }
}
