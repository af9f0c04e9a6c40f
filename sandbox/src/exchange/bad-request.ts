import type { FastifyReply } from 'fastify'

/** Answers a control request that cannot be done. */
export function bad(reply: FastifyReply, message: string): FastifyReply {
  return reply.code(400).send({ error: message })
}
