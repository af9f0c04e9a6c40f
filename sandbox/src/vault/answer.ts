/**
 * One way to answer, for every operation of the vault's API: first the fault that may be set for
 * it (venue `fireblocks`), then the count of what was received, then the work in one commit. A
 * POST with an Idempotency-Key is answered as the first time for 24 hours; a key has 40 characters
 * at most (developers.fireblocks.com/reference/api-idempotency).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { underFault } from '../under-fault.ts'
import type { Answer } from '../under-fault.ts'
import type { World } from '../world.ts'

const IDEMPOTENCY_MILLISECONDS = 86_400_000
const LONGEST_KEY = 40

export type { Answer }
type Operation = {
  name: string
  /** The client's id of a request that changes something; null for reads. */
  reference: string | null
}

export const ok = (body: unknown, headers?: Record<string, string>): Answer => ({
  status: 200,
  body,
  ...(headers && { headers }),
})
export const no = (status: number, code: number, message: string): Answer => ({
  status,
  body: { message, code },
})

export type Answerer = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  work: () => Answer,
) => Promise<FastifyReply>

export function openAnswerer(world: World): Answerer {
  const { db } = world
  db.exec(`
    create table if not exists vault_idempotency (
      key text primary key,
      path text not null,
      status integer not null,
      body text not null,
      at integer not null
    )`)
  const select = db.prepare(`
    select status, body
    from vault_idempotency
    where key = ?
      and path = ?
      and at > ?`)
  const insert = db.prepare(`
    insert or replace into vault_idempotency (key, path, status, body, at)
    values (?, ?, ?, ?, ?)`)

  const once = (request: FastifyRequest, work: () => Answer): Answer => {
    const key = request.headers['idempotency-key']
    if (request.method !== 'POST' || typeof key !== 'string') return work()
    if (key.length > LONGEST_KEY) return no(400, 1400, 'Idempotency-Key is too long')
    const known = select.get(key, request.url, world.now() - IDEMPOTENCY_MILLISECONDS) as
      | { status: number; body: string }
      | undefined
    if (known !== undefined)
      return { status: known.status, body: JSON.parse(known.body) as unknown }
    const answer = work()
    insert.run(key, request.url, answer.status, JSON.stringify(answer.body), world.now())
    return answer
  }

  return (request, reply, { name, reference }, work) =>
    underFault({ world, venue: 'fireblocks', operation: name, request, reply }, (refuse) =>
      world.commit(() => {
        if (reference !== null) world.received('fireblocks', name, reference)
        return refuse ? no(400, 1400, `${name} was refused`) : once(request, work)
      }),
    )
}
