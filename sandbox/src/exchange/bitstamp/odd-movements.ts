/**
 * Movements of types that Bitstamp's manual does not list, made by hand: new ones appear ("User
 * transactions": a client of Kraken's broke on three, JKorf/Kraken.Net issue 2). The money comes
 * from the house.
 */
import type { FastifyInstance } from 'fastify'
import { bad } from '../bad-request.ts'
import type { Exchange } from '../exchange.ts'
import { plain, tryFigure } from '../figures.ts'
import { findAsset } from './listing.ts'

type OddMovement = {
  refid: string
  type: string
  asset: string
  amount: string
  at: number
}

const SETTING = 'odd_movements'

export const oddMovements = ({ settings }: Exchange): OddMovement[] =>
  JSON.parse(settings.get(SETTING) ?? '[]') as OddMovement[]

export const ODD_MOVEMENT_ROUTES = ['POST movements {type, asset, quantity}']

export function mountOddMovements(server: FastifyInstance, exchange: Exchange): void {
  const { world, rules, accounts, settings } = exchange
  server.post<{ Body: Record<string, unknown> }>(
    `/control/${rules.part}/movements`,
    async (request, reply) => {
      const { type, asset: name, quantity } = request.body ?? {}
      const asset = findAsset(String(name))
      const amount = tryFigure(String(quantity))
      if (asset === undefined || amount === undefined || !/^[0-9]{1,3}$/.test(String(type)))
        return bad(reply, 'type (a number), asset and quantity are needed')
      const movement: OddMovement = {
        refid: rules.transfer_id(),
        type: String(type),
        asset: asset.id,
        amount: plain(amount),
        at: world.now(),
      }
      world.commit(() => {
        accounts.move('house', 'kontor', asset.id, amount)
        settings.set(SETTING, JSON.stringify([...oddMovements(exchange), movement]))
      })
      return movement
    },
  )
}
