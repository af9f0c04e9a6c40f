/** What the console gets of a session, beside the cookie. */
import type { AccessApp } from './access.ts'
import type { Identity } from './tokens.ts'

export type ConsoleTokens = {
  id_token: string
  access_token: string
  email: string
  session_id: string
}

export function consoleTokensOf({ access }: AccessApp, identity: Identity): ConsoleTokens {
  const { email, session_id } = identity
  return { ...access.tokens.sign(identity), email, session_id }
}
