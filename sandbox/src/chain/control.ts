/**
 * What a person or a test may do to the chain:
 *   POST /control/chain/send                 coins from outside: {asset, quantity, to_address, tag?, from_address?}
 *   POST /control/chain/addresses            a new address of somebody outside: {protocol, name?}
 *   GET  /control/chain/addresses            the addresses of the outside
 *   GET  /control/chain/addresses/:address   what this address received
 *   GET  /control/chain/transactions/:hash   one transaction
 */
import type { FastifyInstance } from 'fastify'
import { fits, plain, tryAmount } from '../amount.ts'
import type { World } from '../world.ts'
import { isAddress } from './address.ts'
import { PROTOCOLS } from './protocols.ts'
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

export function mountControl(server: FastifyInstance, world: World, chain: ChainPart): void {
  server.post<{ Body: SendBody }>(
    '/control/chain/send',
    { schema: sendSchema },
    (request, reply) => {
      const { asset, quantity, to_address, tag, from_address } = request.body
      const protocol = PROTOCOLS.find((protocol) => protocol.asset === asset)
      if (protocol === undefined)
        return reply.code(400).send({ error: `there is no coin ${asset}` })
      const value = tryAmount(quantity)
      if (value === undefined || value <= 0n || !fits(value, protocol.decimals))
        return reply
          .code(400)
          .send({ error: `quantity must be above 0 with at most ${protocol.decimals} decimals` })
      if (!isAddress(protocol.protocol, to_address))
        return reply.code(400).send({ error: `to_address is no ${protocol.protocol} address` })
      const outside = chain.outside().filter((address) => address.protocol === protocol.protocol)
      const from = from_address ?? outside.find((address) => address.locator === 'mankind')?.address
      if (from === undefined || !outside.some((address) => address.address === from))
        return reply.code(400).send({ error: 'from_address must be an address of the outside' })
      const { fee } = chain.fee(protocol.protocol, 'MEDIUM')
      const sent = world.commit(() =>
        chain.send({
          asset,
          protocol: protocol.protocol,
          from_address: from,
          to_address,
          tag: tag ?? null,
          quantity: plain(value),
          fee,
        }),
      )
      return reply.send({
        ...sent,
        from_address: from,
        fee,
        output_index: chain.find(sent.transaction_hash)[0]?.output_index,
      })
    },
  )

  server.post<{ Body: { protocol: string; name?: string } }>(
    '/control/chain/addresses',
    { schema: addressSchema },
    (request, reply) => {
      const { protocol, name } = request.body
      if (!PROTOCOLS.some((each) => each.protocol === protocol))
        return reply.code(400).send({ error: `there is no protocol ${protocol}` })
      return reply.send({
        address: world.commit(() =>
          chain.newAddress(protocol, { part: 'outside', locator: name ?? 'somebody' }),
        ),
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
    (request, reply) =>
      reply.send({
        address: request.params.address,
        received: chain.received(request.params.address),
      }),
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
}
