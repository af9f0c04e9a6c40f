/** The vault's API at /fireblocks/v1, as the official client calls it. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { COINS } from '../chain/protocols.ts'
import { mountAccounts } from './account-routes.ts'
import { ok, openAnswerer } from './answer.ts'
import { ROOT, openApi } from './api.ts'
import type { Vault } from './api.ts'
import type { Deviations } from './deviations.ts'
import { mountExternalWallets } from './external-wallet-routes.ts'
import { mountTransactions } from './transaction-routes.ts'

const NAMES: Record<string, string> = {
  BTC: 'Bitcoin',
  ETH: 'Ethereum',
  XRP: 'XRP',
  LTC: 'Litecoin',
  XLM: 'Stellar',
  USDC: 'USD Coin',
}

export function mountRest(server: FastifyInstance, vault: Vault, deviations: Deviations): void {
  const api = openApi(server, openAnswerer(vault.world))
  const bodies = new WeakMap<FastifyRequest, Buffer>()

  // The token signs the bytes of the body, so they are kept beside the parsed body.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    bodies.set(request, bytes)
    try {
      done(null, bytes.length === 0 ? {} : JSON.parse(bytes.toString('utf8')))
    } catch {
      done(Object.assign(new Error('body is not JSON'), { statusCode: 400 }))
    }
  })
  server.addHook('preHandler', async (request, reply) => {
    if (!request.url.startsWith(ROOT)) return
    const failure = await vault.authenticate(request, bodies.get(request) ?? Buffer.alloc(0))
    if (failure !== undefined) await reply.code(401).send(failure)
  })
  deviations.watch(server, (request) => bodies.get(request))
  api.read('/supported_assets', 'supported_assets', () =>
    ok(
      COINS.map(({ asset, decimals, protocol, contract }) => ({
        id: asset,
        name: NAMES[asset] ?? asset,
        type: contract === null ? 'BASE_ASSET' : 'ERC20',
        contractAddress: contract ?? '',
        nativeAsset: protocol.asset,
        decimals,
      })),
    ),
  )
  // What this workspace does not have.

  api.read('/internal_wallets', 'list_internal_wallets', () => ok([]))
  api.read('/exchange_accounts/paged', 'list_exchange_accounts', () =>
    ok({ exchanges: [], total: 0 }),
  )
  mountAccounts(api, vault.accounts)
  mountExternalWallets(api, vault.external)
  mountTransactions(api, vault)
}
