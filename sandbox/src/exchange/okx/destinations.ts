/**
 * Where the client may withdraw to: "The API can only make withdrawal to verified addresses", which
 * a person sets by web or app ("Withdrawal").
 */
import type { FastifyInstance } from 'fastify'
import { bad } from '../bad-request.ts'
import type { Exchange } from '../exchange.ts'
import { findAsset } from './listing.ts'

export type Destinations = {
  /** `toAddr` as a withdrawal names it: with its tag behind a colon. */
  knows(asset: string, toAddr: string): boolean
  add(asset: string, toAddr: string): void
  /** All of this asset; of money they are bank accounts. */
  of(asset: string): string[]
}

export function openDestinations({ world: { db }, rules }: Exchange): Destinations {
  const table = `${rules.tables}_destinations`
  db.exec(`
    create table if not exists ${table} (
      asset text not null,
      to_addr text not null,
      primary key (asset, to_addr)
    )`)
  const insert = db.prepare(`
    insert or ignore into ${table} (asset, to_addr)
    values (?, ?)`)
  const select = db.prepare(`
    select 1
    from ${table}
    where asset = ?
      and to_addr = ?`)
  const ofAsset = db.prepare(`
    select to_addr
    from ${table}
    where asset = ?
    order by to_addr`)
  return {
    of: (asset) => (ofAsset.all(asset) as { to_addr: string }[]).map(({ to_addr }) => to_addr),
    knows: (asset, toAddr) => select.get(asset, toAddr) !== undefined,
    add: (asset, toAddr) => {
      insert.run(asset, toAddr)
    },
  }
}

export const DESTINATION_ROUTES = ['POST destinations {asset, address, tag?}']

export function mountDestinations(
  server: FastifyInstance,
  part: string,
  destinations: Destinations,
): void {
  server.post<{ Body: Record<string, unknown> }>(
    `/control/${part}/destinations`,
    async (request, reply) => {
      const { asset: name, address, tag = null } = request.body ?? {}
      const asset = findAsset(String(name))
      if (asset === undefined || typeof address !== 'string')
        return bad(reply, 'asset and address are needed')
      const toAddr = tag === null ? address : `${address}:${String(tag)}`
      destinations.add(asset.id, toAddr)
      return { asset: asset.id, toAddr }
    },
  )
}
