/**
 * What a person or a test may do to the chain:
 *   POST /control/chain/send                 coins from outside: {asset, quantity, to_address,
 *                                            tag?, from_address?}
 *   POST /control/chain/addresses            a new address of somebody outside: {protocol, name?}
 *   GET  /control/chain/addresses            the addresses of the outside
 *   GET  /control/chain/addresses/:address   what this address received
 *   GET  /control/chain/transactions/:hash   one transaction
 *   POST /control/chain/drop                 {transaction_hash}: out of the mempool, unconfirmed
 */
import type { FastifyInstance } from 'fastify'
import { fits, plain, tryAmount } from '../amount.ts'
import type { World } from '../world.ts'
import { isAddress } from './address.ts'
import { findCoin, PROTOCOLS } from './protocols.ts'
import type { ChainPart } from './protocols.ts'

const text = { type: 'string', minLength: 1, maxLength: 140 }
const sendSchema = {
  body: {
    type: 'object',
    required: ['asset', 'quantity', 'to_address'],
    additionalProperties: false,
    properties: {
      asset: text,
      quantity: text,
      to_address: text,
      tag: { ...text, type: ['string', 'null'] },
      from_address: text,
    },
  },
}
const addressSchema = {
  body: {
    type: 'object',
    required: ['protocol'],
    additionalProperties: false,
    properties: { protocol: text, name: text },
  },
}

type SendBody = {
  asset: string
  quantity: string
  to_address: string
  tag?: string | null
  from_address?: string
}

type SentFromOutside = {
  transaction_hash: string
  from_address: string
  fee: string
  output_index: number | undefined
}

export function mountControl(server: FastifyInstance, world: World, chain: ChainPart): void {
  server.post<{ Body: SendBody }>(
    '/control/chain/send',
    { schema: sendSchema },
    (request, reply) => {
      const sent = sendFromOutside(world, chain, request.body)
      return 'error' in sent ? reply.code(400).send(sent) : reply.send(sent)
    },
  )
  server.post<{ Body: { protocol: string; name?: string } }>(
    '/control/chain/addresses',
    { schema: addressSchema },
    (request, reply) => {
      const { protocol: name, name: locator = 'somebody' } = request.body
      if (!PROTOCOLS.some(({ protocol }) => protocol === name))
        return reply.code(400).send({ error: `there is no protocol ${name}` })
      return reply.send({
        address: world.commit(() => chain.newAddress(name, { part: 'outside', locator })),
      })
    },
  )
  server.get('/control/chain/addresses', (_request, reply) =>
    reply.send(
      chain
        .outside()
        .map(({ address, protocol, locator }) => ({ address, protocol, name: locator })),
    ),
  )
  server.get<{ Params: { address: string } }>(
    '/control/chain/addresses/:address',
    (request, reply) => {
      const { address } = request.params
      return reply.send({ address, received: chain.received(address) })
    },
  )
  server.get<{ Params: { hash: string } }>(
    '/control/chain/transactions/:hash',
    (request, reply) => {
      const outputs = chain.find(request.params.hash)
      return outputs[0] === undefined
        ? reply.code(404).send({ error: 'no such transaction' })
        : reply.send({ ...outputs[0], outputs })
    },
  )
  mountDrop(server, world, chain)
}

function mountDrop(server: FastifyInstance, world: World, chain: ChainPart): void {
  const schema = {
    body: {
      type: 'object',
      required: ['transaction_hash'],
      additionalProperties: false,
      properties: { transaction_hash: text },
    },
  }
  server.post<{ Body: { transaction_hash: string } }>(
    '/control/chain/drop',
    { schema },
    (request, reply) => {
      const { transaction_hash } = request.body
      return world.commit(() => chain.drop(transaction_hash))
        ? reply.send({ transaction_hash })
        : reply.code(409).send({ error: 'it is in no mempool' })
    },
  )
}

function sendFromOutside(
  world: World,
  chain: ChainPart,
  body: SendBody,
): { error: string } | SentFromOutside {
  const { asset, quantity, to_address, tag = null } = body
  const listed = findCoin(asset)
  if (listed === undefined) return { error: `there is no coin ${asset}` }
  const { decimals } = listed
  const { protocol } = listed.protocol
  const value = tryAmount(quantity)
  if (value === undefined || value <= 0n || !fits(value, decimals))
    return { error: `quantity must be above 0 with at most ${decimals} decimals` }
  if (!isAddress(protocol, to_address)) return { error: `to_address is no ${protocol} address` }
  const outside = chain.outside().filter((address) => address.protocol === protocol)
  const from_address =
    body.from_address ?? outside.find((address) => address.locator === 'mankind')?.address
  if (from_address === undefined || !outside.some((row) => row.address === from_address))
    return { error: 'from_address must be an address of the outside' }
  const { fee } = chain.fee(protocol, 'MEDIUM', asset)
  const transfer = { asset, protocol, from_address, to_address, tag, quantity: plain(value), fee }
  const sent = world.commit(() => chain.send(transfer))
  const [output] = chain.find(sent.transaction_hash)
  return { ...sent, from_address, fee, output_index: output?.output_index }
}
