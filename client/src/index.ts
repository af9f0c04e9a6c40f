/**
 * A typed client of Kontor.
 *
 *     const kontor = await connect({ base_url: 'http://localhost:4000', email, password })
 *     const accounts = await kontor.get('/accounts')
 *     for await (const bookings of kontor.pages('/bookings')) …
 *
 * It logs in, refreshes an expired access token (and logs in again when the session has run out), gives every write an
 * Idempotency-Key, and throws KontorError for what the service refuses.
 */
import { openClient, sender } from './client.ts'
import type { Client, Place, Tokens } from './client.ts'

export { openClient } from './client.ts'
export type { Client, Opening, Place, Session, Tokens } from './client.ts'
export {
  addAmounts,
  compareAmounts,
  groupsOf,
  isZero,
  multiplyAmounts,
  negated,
  readAmount,
} from './decimal.ts'
export { KontorError } from './errors.ts'
export type { ErrorDetail } from './errors.ts'
export type { components, paths } from './generated.ts'
export type { DataOf, ListPath, Method, PathOf, RequestOf, Rest } from './types.ts'

const REFRESH_TOKEN_INVALID = 1006

export type Credentials = { email: string; password: string }
export type Options = Place & Credentials

/** Throws KontorError: 3002 wrong address or password, 1004 when the password must be changed first. */
export async function login({ email, password, ...place }: Options): Promise<Tokens> {
  return (await sender(place)('post', '/auth/login', { body: { email, password } })).data as Tokens
}

/** The way out of 1004. Throws KontorError: 3002 wrong address or password, 3001 WEAK_PASSWORD. */
export async function changePassword({
  email,
  password,
  new_password,
  ...place
}: Options & { new_password: string }): Promise<void> {
  await sender(place)('post', '/auth/password', {
    body: { email, old_password: password, new_password },
  })
}

/** Logs in. Throws what login() throws. */
export async function connect(options: Options): Promise<Client> {
  const tokens = await login(options)
  return openClient({
    ...options,
    tokens,
    login_again(error) {
      if (error.error_code !== REFRESH_TOKEN_INVALID) throw error
      return login(options)
    },
  })
}
