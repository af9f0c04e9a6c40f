/**
 * Where requests, answers and webhooks deviate from the vault's published description, each
 * deviation once. Stored with the world, so that a kill loses none.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { World } from '../world.ts'
import { ROOT } from './api.ts'
import { readDescription } from './description.ts'
import type { Description } from './description.ts'

/** Who deviates: the client, in a request that was refused or not, or this vault. */
type Deviation = { side: 'REQUEST' | 'REFUSED_REQUEST' | 'ANSWER' | 'WEBHOOK'; text: string }

export type Deviations = {
  /** `GET /control/fireblocks/deviations`: whether there is a description, and what deviates. */
  mount(server: FastifyInstance): void
  watch(server: FastifyInstance, bodyOf: (request: FastifyRequest) => Buffer | undefined): void
  webhook(type: string, data: unknown): void
}

/** Without a path nothing is compared. */
export function openDeviations(world: World, path: string | undefined): Deviations {
  const { db } = world
  db.exec(`
    create table if not exists vault_deviations (
      side text not null,
      text text not null,
      primary key (side, text)
    )`)
  const insert = db.prepare('insert or ignore into vault_deviations (side, text) values (?, ?)')
  const select = db.prepare('select side, text from vault_deviations order by side, text')
  const note = (side: Deviation['side'], texts: string[]) => {
    for (const text of texts) insert.run(side, text)
  }
  const description = path === undefined ? undefined : readDescription(path)
  return {
    mount(server) {
      server.get('/control/fireblocks/deviations', (_request, reply) =>
        reply.send({ described: description !== undefined, deviations: select.all() }),
      )
    },
    watch(server, bodyOf) {
      if (description !== undefined) watch(server, description, { note, bodyOf })
    },
    webhook: (type, data) => {
      note('WEBHOOK', description?.webhook(type, JSON.parse(JSON.stringify(data))) ?? [])
    },
  }
}

function watch(
  server: FastifyInstance,
  description: Description,
  {
    note,
    bodyOf,
  }: {
    note: (side: Deviation['side'], texts: string[]) => void
    bodyOf: (request: FastifyRequest) => Buffer | undefined
  },
): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (!request.url.startsWith(ROOT)) return
    const exchange = {
      method: request.method,
      url: request.url.slice(ROOT.length),
      body: (bodyOf(request)?.length ?? 0) > 0 ? request.body : undefined,
      status: reply.statusCode,
      answer: typeof payload === 'string' ? (JSON.parse(payload) as unknown) : undefined,
    }
    const refused = reply.statusCode >= 400
    note(refused ? 'REFUSED_REQUEST' : 'REQUEST', description.request(exchange))
    note('ANSWER', description.answer(exchange))
  })
}
