/**
 * A simulated custodian of managed wallets at /managed/v1: wallets are made on request for its
 * customers, withdrawals are asynchronous requests. What its wallets hold in sum is what lies at
 * its addresses on the chain.
 *
 *   GET  /control/managed                customers, wallets
 *   POST /control/managed/customers      {customer_id, name}: a further customer
 *   POST /control/managed/withdrawals    {wallet_id, amount, address, asset?}: one made at the
 *                                        custodian's own desk, of the coin or a token
 *   POST /control/managed/requests/:id   {decision}: hold, release, CANCELLED,
 *                                        COMPLIANCE_REJECTED, before the coins leave; id or
 *                                        reference
 */
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { tryAmount } from '../amount.ts'
import { isAddress } from '../chain/address.ts'
import type { Chain, Part } from '../part.ts'
import type { World } from '../world.ts'
import { openAuth } from './auth.ts'
import { openDeposits } from './deposits.ts'
import { openRequests } from './requests.ts'
import type { Decision, Requests } from './requests.ts'
import { mountRest } from './rest.ts'
import { houseWallet, openWallets, PART } from './wallets.ts'
import type { Wallet, Wallets } from './wallets.ts'

type ManagedWalletPart = Part & {
  /** Kontor's own wallet of this asset. */
  wallet(asset: string): Pick<Wallet, 'wallet_id' | 'address'>
}

export function openManagedWallets(world: World, chain: Chain): ManagedWalletPart {
  const authenticate = openAuth(world.dir)
  const wallets = openWallets(world, chain)
  const requests = openRequests(world, chain, wallets)
  const deposits = openDeposits(world, chain, wallets)
  return {
    name: PART,
    mount(server) {
      mountRest(server, { world, chain, wallets, requests, deposits, authenticate })
      mountControl(server, world, wallets, requests)
    },
    holdings: wallets.holdings,
    wallet(asset) {
      const found = houseWallet(wallets, asset)
      if (found === undefined) throw new Error(`Kontor has no managed wallet of ${asset}`)
      return found
    },
  }
}

const textSchema = { type: 'string', minLength: 1, maxLength: 100 }
const body = (properties: Record<string, object>, more: Record<string, object> = {}) => ({
  body: {
    type: 'object',
    required: Object.keys(properties),
    additionalProperties: false,
    properties: { ...properties, ...more },
  },
})

function mountControl(
  server: FastifyInstance,
  world: World,
  wallets: Wallets,
  requests: Requests,
): void {
  const root = `/control/${PART}`
  server.get(root, (_request, reply) =>
    reply.send({ customers: wallets.customers(), wallets: wallets.all() }),
  )
  server.post<{ Body: { customer_id: string; name: string } }>(
    `${root}/customers`,
    { schema: body({ customer_id: textSchema, name: textSchema }) },
    (request, reply) => {
      wallets.addCustomer(request.body)
      return reply.send(wallets.customers())
    },
  )
  server.post<{ Body: { wallet_id: string; amount: string; address: string; asset?: string } }>(
    `${root}/withdrawals`,
    {
      schema: body(
        { wallet_id: textSchema, amount: textSchema, address: textSchema },
        { asset: textSchema },
      ),
    },
    (request, reply) => {
      const { wallet_id, amount, address, asset } = request.body
      const wallet = wallets.wallet(wallet_id, asset)
      if (
        wallet === undefined ||
        tryAmount(amount) === undefined ||
        !isAddress(wallet.network, address)
      )
        return reply.code(400).send({ error: 'wallet, amount or address is not valid' })
      return reply.send(
        world.commit(() =>
          requests.take(`desk-${randomUUID()}`, 'WITHDRAW', {
            wallet_id,
            asset: wallet.asset,
            network: wallet.network,
            amount,
            address,
          }),
        ),
      )
    },
  )
  server.post<{ Params: { id: string }; Body: { decision: Decision } }>(
    `${root}/requests/:id`,
    {
      schema: body({
        decision: { enum: ['hold', 'release', 'CANCELLED', 'COMPLIANCE_REJECTED', 'boost'] },
      }),
    },
    (request, reply) => {
      const found = requests.byId(request.params.id) ?? requests.byReference(request.params.id)
      if (found === undefined) return reply.code(404).send({ error: 'no such request' })
      if (!world.commit(() => requests.decide(found.request_id, request.body.decision)))
        return reply.code(409).send({ error: `it is ${found.status}` })
      return reply.send(requests.byId(found.request_id))
    },
  )
}
