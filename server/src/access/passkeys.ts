/** Passkeys of users are set up: the browser makes a key pair, and shows the public one. */
import { refuse } from '../core/errors.ts'
import type { Tx } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { AccessApp } from './access.ts'
import { factorsOf } from './factor-rows.ts'
import { beginFactor, ownerOf, workspaceNameOf } from './begun-factors.ts'
import type { Own } from './begun-factors.ts'
import { confirmedFactor } from './factors.ts'
import type { Factor } from './factors.schema.ts'
import { CHALLENGE_MILLISECONDS, newChallenge, spendChallenge } from './passkey-challenges.ts'
import {
  challengeIn,
  credentialsOf,
  passkeySite,
  passkeysOf,
  wrongPasskey,
} from './passkey-proof.ts'
import type { Site } from './passkey-proof.ts'
import type { CreationOptions, NewCredential } from './passkeys.schema.ts'

const DEFAULT_LABEL = 'Passkey'
/** EdDSA, ES256 and RS256, as COSE numbers them (https://www.iana.org/assignments/cose). */
const ALGORITHMS = [-8, -7, -257]

/** In place of a factor that was never confirmed. Throws 3001 CONFLICT. */
export async function beginPasskey(
  app: AccessApp,
  tx: Tx,
  { principal }: Own,
  { email, label = DEFAULT_LABEL }: { email: string; label?: string | undefined },
): Promise<{ id: string; options: CreationOptions }> {
  const { rp_id } = passkeySite(app)
  const owner = ownerOf(principal)
  const id = await beginFactor(tx, app.clock, owner, { kind: 'PASSKEY', label })
  const { session_id } = principal
  const options: CreationOptions = {
    challenge: await newChallenge(tx, app.clock, owner, { session_id, factor_id: id }),
    rp: { id: rp_id, name: await workspaceNameOf(tx, owner.workspace) },
    user: { id: Buffer.from(owner.id).toString('base64url'), name: email, displayName: email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MILLISECONDS,
    attestation: 'none',
    excludeCredentials: credentialsOf(passkeysOf(await factorsOf(tx, owner))),
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
  }
  return { id, options }
}

/**
 * From now on each login asks for a factor. Throws 1007 WRONG_PASSKEY, 4004, 3001 STATE_NOT_ALLOWED
 * for one that counts already, DUPLICATE for one that is in use.
 */
export function confirmPasskey(
  app: AccessApp,
  tx: Tx,
  own: Own,
  { factor_id, credential }: { factor_id: string; credential: NewCredential },
): Promise<{ kept: Factor; shown: string[] | null }> {
  const site = passkeySite(app)
  const { session_id } = own.principal
  return confirmedFactor(app, tx, own, {
    factor_id,
    async show(_, owner) {
      const challenge = challengeIn(credential.response.clientDataJSON)
      const asked = { challenge: challenge ?? '', session_id, factor_id }
      if (!(await spendChallenge(tx, app.clock, owner, asked))) throw wrongPasskey()
      const shown = await shownCredential(credential, asked.challenge, site)
      await assertNew(tx, shown.credential_id)
      return { ...shown, transports: credential.response.transports ?? [] }
    },
  })
}

async function shownCredential(
  { id, response }: NewCredential,
  challenge: string,
  site: Site,
): Promise<{ credential_id: string; public_key: Buffer; counter: number }> {
  // A quarter of a second and 28 MB, for those alone who set one up.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      response: {
        clientDataJSON: response.clientDataJSON,
        attestationObject: response.attestationObject,
      },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rp_id,
    requireUserVerification: false,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((error: unknown) => {
    throw Object.assign(wrongPasskey(), { cause: error })
  })
  if (!verified || registrationInfo.credential.id !== id) throw wrongPasskey()
  const { publicKey, counter } = registrationInfo.credential
  return { credential_id: id, public_key: Buffer.from(publicKey), counter }
}

/** Also in other workspaces; two at once wait for each other. */
async function assertNew(tx: Tx, credential_id: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${credential_id}, 610))`)
  const others = await tx.query(sql`
    select 1
    from user_factors
    where credential_id = ${credential_id}`)
  if (others.length > 0) throw refuse('DUPLICATE', 'credential.id', 'the passkey is in use already')
}
