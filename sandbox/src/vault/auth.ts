/**
 * How the vault knows its client: the API key in a header and a JWT (RS256, by the client's own
 * key) over path and body, younger than a minute and used once. Nonces live as long as tokens do,
 * in memory.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
} from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { errors, jwtVerify } from 'jose'
import { credential } from '../credentials.ts'

const LONGEST_LIFE_SECONDS = 60
const CLOCK_TOLERANCE_SECONDS = 30

type AuthFailure = { message: string; code: number }
/** Answers why a request is not accepted, undefined when it is. */
export type Authenticate = (
  request: FastifyRequest,
  body: Buffer,
) => Promise<AuthFailure | undefined>

export function openAuth(dir: string): Authenticate {
  const pem = credential(
    dir,
    'fireblocks.pem',
    () =>
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      }) as string,
  )
  const { api_key } = JSON.parse(
    credential(
      dir,
      'fireblocks.json',
      () => `${JSON.stringify({ api_key: randomUUID() }, null, 2)}\n`,
    ),
  ) as { api_key: string }
  const key = createPublicKey(createPrivateKey(pem))
  const nonces = new Map<string, number>()

  return async (request, body) => {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (bearer === undefined) return { message: 'Unauthorized: JWT is missing', code: -3 }
    if (request.headers['x-api-key'] !== api_key)
      return { message: 'Unauthorized: Token was not accepted', code: -7 }
    try {
      const { payload } = await jwtVerify(bearer, key, {
        algorithms: ['RS256'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp', 'iat', 'sub', 'nonce', 'uri', 'bodyHash'],
      })
      if (payload.sub !== api_key)
        return { message: 'Unauthorized: Wrong user in the JWT', code: -6 }
      if ((payload.exp ?? 0) - (payload.iat ?? 0) > LONGEST_LIFE_SECONDS)
        return { message: 'Unauthorized: Token was not accepted', code: -7 }
      if (payload['uri'] !== request.url)
        return { message: 'Unauthorized: Wrong URL in the JWT', code: -4 }
      if (payload['bodyHash'] !== createHash('sha256').update(body).digest('hex'))
        return { message: 'Unauthorized: Wrong body hash in the JWT', code: -7 }
      return useOnce(String(payload['nonce']))
        ? undefined
        : { message: 'Unauthorized: Nonce was used before', code: -7 }
    } catch (error) {
      if (error instanceof errors.JWTExpired)
        return { message: 'Unauthorized: The request has expired', code: -10 }
      if (error instanceof errors.JOSEError)
        return { message: 'Unauthorized: Invalid signature', code: -1 }
      throw error
    }
  }

  function useOnce(nonce: string): boolean {
    const now = Date.now()
    for (const [old, until] of nonces) {
      if (until > now) break
      nonces.delete(old)
    }
    if (nonces.has(nonce)) return false
    nonces.set(nonce, now + (LONGEST_LIFE_SECONDS + CLOCK_TOLERANCE_SECONDS) * 1000)
    return true
  }
}
