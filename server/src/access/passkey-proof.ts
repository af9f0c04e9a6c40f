/**
 * A passkey is shown: the authenticator has signed our challenge for our address. The signature is
 * checked before the counter, so that only the key itself can say that there are two of it.
 */
import { isIP } from 'node:net'
import { ApiError, refuse } from '../core/errors.ts'
import { besideCall } from '../store/calls.ts'
import type { Db } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { AccessApp } from './access.ts'
import { factorsOf, USER_FACTORS } from './factor-rows.ts'
import type { Owner } from './factor-rows.ts'
import type { StoredFactor } from './factors.schema.ts'
import { CHALLENGE_MILLISECONDS, newChallenge, spendChallenge } from './passkey-challenges.ts'
import type { PasskeyProof, RequestOptions } from './passkeys.schema.ts'

/** Of the console, to which the browser binds a passkey. */
export type Site = { origin: string; rp_id: string }

const MAXIMUM_WHY = 300
const WRONG = 'the passkey is none of the user, or its answer is wrong, too late or was used before'

export const wrongPasskey = (): ApiError =>
  new ApiError('SecondFactorRequired', WRONG, [
    { path: 'passkey', code: 'WRONG_PASSKEY', message: WRONG },
  ])

/** Throws 3001 CONFLICT where no browser would make a passkey. */
export function passkeySite({ console_url }: Pick<AccessApp, 'console_url'>): Site {
  if (console_url === undefined)
    throw refuse(
      'CONFLICT',
      '',
      'passkeys are bound to the address of the console: KONTOR_CONSOLE_URL must be set',
    )
  const { origin, hostname, protocol } = new URL(console_url)
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0)
    throw refuse('CONFLICT', '', 'passkeys need a host name in KONTOR_CONSOLE_URL, no IP address')
  if (protocol !== 'https:' && hostname !== 'localhost')
    throw refuse('CONFLICT', '', 'passkeys need https in KONTOR_CONSOLE_URL')
  return { origin, rp_id: hostname }
}

type Passkey = StoredFactor & { credential_id: string; public_key: Buffer }

export const passkeysOf = (factors: readonly StoredFactor[]): Passkey[] =>
  factors.filter(
    (factor): factor is Passkey =>
      factor.confirmed_at !== null && factor.credential_id !== null && factor.public_key !== null,
  )

export const credentialsOf = (passkeys: readonly Passkey[]) =>
  passkeys.map(({ credential_id, transports }) => ({
    type: 'public-key' as const,
    id: credential_id,
    transports,
  }))

/** Null where the user has no passkey. Throws 3001 CONFLICT. */
export async function askForPasskey(
  app: AccessApp,
  owner: Owner,
  session_id?: string,
): Promise<RequestOptions | null> {
  const passkeys = passkeysOf(await factorsOf(app.db, owner))
  if (passkeys.length === 0) return null
  const { rp_id } = passkeySite(app)
  const challenge = await besideCall(() => newChallenge(app.db, app.clock, owner, { session_id }))
  return {
    challenge,
    rpId: rp_id,
    timeout: CHALLENGE_MILLISECONDS,
    userVerification: 'preferred',
    allowCredentials: credentialsOf(passkeys),
  }
}

/** Why a passkey is refused, for the security log. */
type Refused = { reason: string; why?: string }

/** Undefined when it is right. The challenge is used up either way. */
export async function refusedPasskey(
  app: AccessApp,
  owner: Owner,
  proof: PasskeyProof,
  { site, session_id }: { site: Site; session_id: string | undefined },
): Promise<Refused | undefined> {
  const { db, clock } = app
  const challenge = challengeIn(proof.response.clientDataJSON)
  const spent =
    challenge !== undefined &&
    (await besideCall(() => spendChallenge(db, clock, owner, { challenge, session_id })))
  if (!spent) return { reason: 'PASSKEY_CHALLENGE' }
  const passkeys = passkeysOf(await factorsOf(db, owner))
  const passkey = passkeys.find(({ credential_id }) => credential_id === proof.id)
  if (passkey === undefined) return { reason: 'UNKNOWN_PASSKEY' }
  const checked = await checkProof(passkey, proof, { site, challenge })
  if ('why' in checked) return { reason: 'WRONG_PASSKEY', why: checked.why }
  return (await countUp(app, owner, passkey, checked.counter))
    ? undefined
    : { reason: 'PASSKEY_COPIED' }
}

/** What the browser says it was asked; undefined for what is no such text. */
export function challengeIn(client_data: string): string | undefined {
  const read = parsed(Buffer.from(client_data, 'base64url').toString())
  const challenge =
    typeof read === 'object' && read !== null && 'challenge' in read ? read.challenge : undefined
  return typeof challenge === 'string' ? challenge : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A stranger's bytes: no challenge.
    return undefined
  }
}

/** What the library throws says what is wrong with what was sent. */
const whyRefused = (error: unknown): string => String(error).slice(0, MAXIMUM_WHY)

async function checkProof(
  { credential_id, public_key }: Passkey,
  { id, response }: PasskeyProof,
  { site, challenge }: { site: Site; challenge: string },
): Promise<{ counter: number } | { why: string }> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rp_id,
      // The counter is compared in the database, by countUp.
      credential: { id: credential_id, publicKey: Uint8Array.from(public_key), counter: 0 },
      requireUserVerification: false,
    })
    return verified ? { counter: authenticationInfo.newCounter } : { why: 'wrong signature' }
  } catch (error) {
    return { why: whyRefused(error) }
  }
}

/** False where the counter has not grown: a copy of the key has signed in between. */
async function countUp(
  { db, clock }: { db: Pick<Db, 'query'>; clock: AccessApp['clock'] },
  owner: Owner,
  { id }: Passkey,
  counter: number,
): Promise<boolean> {
  const now = clock.now()
  const counting = sql`
    ${updateRow(USER_FACTORS, {
      where: sql`
        workspace = ${owner.workspace}
          and id = ${id}
          and (counter < ${counter} or (counter = 0 and ${counter} = 0))`,
      set: { counter, last_used_at: now },
      by: owner.id,
      now,
    })}
    returning 1`
  const counted = await besideCall(() => db.query(counting))
  return counted.length > 0
}
