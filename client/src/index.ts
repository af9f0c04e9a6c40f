/**
 * The typed client of Kontor.
 *
 *     const kontor = await connect({ base_url: 'https://kontor.example.com', api_key })
 *     const accounts = await kontor.get('/accounts')
 *     for await (const booking of kontor.all('/bookings')) …
 *     for await (const event of kontor.events()) …
 *
 * It renews access tokens (and logs in again when the session has expired), sends every write with
 * an Idempotency-Key, repeats what fails for the moment with the same key, and throws KontorError
 * when the service refuses, NoAnswerError when none comes.
 */
import { openClient } from './client.ts'
import type { components } from './generated.ts'
import type { Client } from './client.ts'
import type { Patience } from './patience.ts'
import { sender } from './send.ts'
import type { ServiceAddress } from './send.ts'
import type { Tokens } from './tokens.ts'

export { formatAmount, isAmount, NUMBER_FORMATS, plainAmount, readAmount } from './amount-text.ts'
export type { AmountProblem, NumberFormat, NumberFormatName, Reading } from './amount-text.ts'
export { openClient } from './client.ts'
export type { Client, Opened } from './client.ts'
export {
  addAmounts,
  compareAmounts,
  groupsOf,
  isZero,
  multiplyAmounts,
  negated,
  roundAmount,
  subtractAmounts,
} from './decimal.ts'
export { csvField, readCsv } from './csv.ts'
export { ERROR_CODES } from './error-codes.ts'
export type { DetailCode } from './error-codes.ts'
export { KontorError, NoAnswerError } from './errors.ts'
export type { ErrorDetail, ErrorName } from './errors.ts'
export type { Event, Following } from './events.ts'
export type { components, paths } from './generated.ts'
export type { Patience } from './patience.ts'
export { checkProof, ProofError } from './proofs.ts'
export type { BalanceProof, CheckedBalance } from './proofs.ts'
export type { ServiceAddress } from './send.ts'
export type { Session, Tokens } from './tokens.ts'
export type { AcceptOf, DataOf, ListPath, Method, PathOf, RequestOf, Rest, RowOf } from './types.ts'
export { verifyWebhook, WebhookError } from './webhooks.ts'
export type { WebhookDelivery, WebhookEvent } from './webhooks.ts'

type Schemas = components['schemas']

/**
 * `id_token`: of an earlier login; whoever sends it is not held up by the failures of others.
 * `code` or `passkey`: of the second factor, where there is one. Each works once.
 */
export type Credentials = {
  email: string
  password: string
  id_token?: string
  code?: string
  /** The answer of the browser to `askForPasskey`. */
  passkey?: Schemas['PasskeyProof']
}
export type Options = ServiceAddress & Credentials

type LoginTokens = Tokens & { id_token: string }

/** `idle_ms`: after so long without use the session ends. */
export type ConsoleSession = Pick<LoginTokens, 'id_token' | 'access_token'> & {
  email: string
  session_id: string
  idle_ms: number
}

const beside = ({ id_token, code, passkey }: Credentials) => ({
  ...(id_token === undefined ? {} : { id_token }),
  ...(code === undefined ? {} : { code }),
  ...(passkey === undefined ? {} : { passkey }),
})

/**
 * Throws KontorError: 3002 wrong address or password, 1004 when the password must be changed first,
 * 1007 when the second factor is missing or wrong.
 */
export async function login(options: Options): Promise<LoginTokens> {
  const { email, password } = options
  const body = { email, password, ...beside(options) }
  return (await sender(options)('post', '/auth/login', { body })).data as LoginTokens
}

/** In a browser, by a page of the service itself. Throws what login() throws. */
export async function loginToConsole(options: Options): Promise<ConsoleSession> {
  const { email, password } = options
  const body = { email, password, ...beside(options) }
  return (await sender(options)('post', '/auth/console/login', { body })).data as ConsoleSession
}

/** What a passkey must sign for a login; null for who has none. Throws what login() throws. */
export async function askForPasskey(
  options: Options,
): Promise<Schemas['PasskeyRequestOptions'] | null> {
  const { email, password, id_token } = options
  const body = { email, password, ...beside({ email, password, ...(id_token && { id_token }) }) }
  const { data } = await sender(options)('post', '/auth/passkeys', { body })
  return (data as Schemas['AskedPasskey']).options
}

/** The providers of single sign-on that the sign-in page shows. */
export async function loginProviders(
  service: ServiceAddress,
): Promise<Schemas['ListedProvider'][]> {
  const { data } = await sender(service)('get', '/auth/providers', {})
  return data as Schemas['ListedProvider'][]
}

/**
 * Answers where the browser goes to sign in by a provider. `again`: also whom the provider knows
 * types there who they are. Throws KontorError: 4004, 3001.
 */
export async function beginProviderLogin({
  provider_id,
  again = false,
  ...service
}: ServiceAddress & { provider_id: string; again?: boolean }): Promise<string> {
  const params = { provider_id }
  const path = '/auth/console/providers/{provider_id}'
  const query = again ? { again } : {}
  const { data } = await sender(service)('post', path, { params, query })
  return (data as Schemas['BegunSignIn']).address
}

/** `answer`: the query with which the provider sent the browser back. Throws KontorError: 3001. */
export async function finishProviderLogin({
  provider_id,
  answer,
  ...service
}: ServiceAddress & { provider_id: string; answer: string }): Promise<ConsoleSession> {
  const body = { provider_id, answer }
  const { data } = await sender(service)('post', '/auth/console/provider', { body })
  return data as ConsoleSession
}

/** Goes on with the session of this browser. Throws KontorError: 1006 when there is none. */
export async function continueInConsole(service: ServiceAddress): Promise<ConsoleSession> {
  return (await sender(service)('post', '/auth/console/refresh', { body: {} }))
    .data as ConsoleSession
}

/**
 * Sets a new password, also where 1004 demands it. Throws KontorError: 3002 wrong address or
 * password, 3001 WEAK_PASSWORD.
 */
export async function changePassword(options: Options & { new_password: string }): Promise<void> {
  const { email, password, new_password } = options
  await sender(options)('post', '/auth/password', {
    body: { email, old_password: password, new_password, ...beside(options) },
  })
}

/** Chooses the password, with the token of the link. Throws KontorError: 3001. */
export async function acceptInvitation({
  token,
  new_password,
  ...service
}: ServiceAddress & { token: string; new_password: string }): Promise<{ email: string }> {
  const body = { token, new_password }
  return (await sender(service)('post', '/auth/invitation', { body })).data as { email: string }
}

/**
 * With an API key, or by logging in; then it throws what login() throws. A key is looked at with
 * the first call.
 */
export async function connect(
  options: ServiceAddress & Patience & (Credentials | { api_key: string }),
): Promise<Client> {
  if ('api_key' in options) return openClient(options)
  const tokens = await login(options)
  let { id_token } = tokens
  return openClient({
    ...options,
    tokens,
    async login_again(error) {
      if (!error.is('RefreshTokenInvalid')) throw error
      const renewed = await login({ ...options, id_token })
      ;({ id_token } = renewed)
      return renewed
    },
  })
}
