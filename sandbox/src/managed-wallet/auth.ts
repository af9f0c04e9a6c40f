/**
 * The custodian knows its client by an API key and an HMAC-SHA256 over time, method, path and
 * body, at most 30 s old by real time.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { credential } from '../credentials.ts'

const OLDEST_MILLISECONDS = 30_000

type ApiKey = { api_key: string; api_secret: string }

/** Answers why a request is not accepted, undefined when it is. */
export type Authenticate = (request: FastifyRequest, body: string) => string | undefined

export function openAuth(dir: string): Authenticate {
  const { api_key, api_secret } = JSON.parse(
    credential(dir, 'managed.json', () => `${JSON.stringify(newKey(), null, 2)}\n`),
  ) as ApiKey

  return (request, body) => {
    const { 'x-api-key': key, 'x-timestamp': timestamp, 'x-signature': signature } = request.headers
    if (key !== api_key || typeof timestamp !== 'string' || typeof signature !== 'string')
      return 'the API key is not known'
    if (!(Math.abs(Date.now() - Number(timestamp)) <= OLDEST_MILLISECONDS))
      return 'the timestamp is too far from now'
    const expected = createHmac('sha256', api_secret)
      .update(`${timestamp}${request.method}${request.url}${body}`)
      .digest()
    const given = Buffer.from(signature, 'hex')
    return given.length === expected.length && timingSafeEqual(given, expected)
      ? undefined
      : 'the signature is wrong'
  }
}

function newKey(): ApiKey {
  return {
    api_key: `mk_${randomBytes(12).toString('hex')}`,
    api_secret: randomBytes(32).toString('hex'),
  }
}
