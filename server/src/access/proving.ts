/**
 * A second factor is shown: by a code that changes with time, a passkey or a recovery code. Each
 * answer works once, over all processes. Every attempt is counted before it is looked at, so that
 * many at once guess no more than one after another.
 */
import { ApiError } from '../core/errors.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import type { Source } from '../http/index.ts'
import { besideCall } from '../store/calls.ts'
import type { Db } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { AccessApp } from './access.ts'
import { factorsOf, openSecret, USER_FACTORS } from './factor-rows.ts'
import type { Owner } from './factor-rows.ts'
import type { StoredFactor } from './factors.schema.ts'
import { countFailure, factorThrottle, forgetFailures } from './login-throttle.ts'
import { passkeySite, refusedPasskey, wrongPasskey } from './passkey-proof.ts'
import type { PasskeyProof } from './passkeys.schema.ts'
import { plainCode, useRecoveryCode } from './recovery-codes.ts'
import { securityEntries } from './security-log.ts'
import { DIGITS, stepOf } from './totp.ts'

export type Proof = 'TOTP' | 'RECOVERY_CODE' | 'PASSKEY'

/** Either; a passkey is looked at first. */
export type ShownFactor = { code?: string | undefined; passkey?: PasskeyProof | undefined }

type Prover = { workspace: WorkspaceId; id: UserId; email: string }

const TYPED = new RegExp(`^\\d{${DIGITS}}$`)

export const wrongCode = (): ApiError =>
  new ApiError('SecondFactorRequired', 'the code is wrong, or was used before', [
    { path: 'code', code: 'WRONG_CODE', message: 'the code is wrong, or was used before' },
  ])

/** Throws 1007 without anything and for what is wrong, 4291 after repeated failures. */
export async function proveFactor(
  app: AccessApp,
  user: Prover,
  { code, passkey }: ShownFactor,
  source: Source,
): Promise<Proof> {
  const look = lookAt(app, user, { code, passkey }, source)
  const { db, clock, access } = app
  const throttles = [factorThrottle(user.id)]
  let details: Readonly<Record<string, string>> = { reason: 'SLOWED_DOWN' }
  try {
    await besideCall(() => countFailure(db, clock, throttles))
    const { proof, ...refused } = await look()
    if (proof === undefined) {
      details = { ...refused }
      throw passkey === undefined ? wrongCode() : wrongPasskey()
    }
    await besideCall(() => forgetFailures(db, throttles))
    return proof
  } catch (error) {
    const { workspace } = user
    if (error instanceof ApiError)
      access.security.note({ kind: 'SIGN_IN_FAILED', workspace, user, source, details })
    throw error
  }
}

type Looked = { proof: Proof } | { proof?: undefined; reason: string; why?: string }

/** What the look will be, once the attempt is counted. Throws 1007 where there is nothing. */
function lookAt(
  app: AccessApp,
  user: Prover,
  { code, passkey }: ShownFactor,
  source: Source,
): () => Promise<Looked> {
  if (passkey !== undefined) {
    const asked = { site: passkeySite(app), session_id: source.session_id }
    return async () =>
      (await refusedPasskey(app, user, passkey, asked)) ?? { proof: 'PASSKEY' as const }
  }
  if (code === undefined) throw new ApiError('SecondFactorRequired')
  return async () => {
    const proof = await proofOf(app, user, plainCode(code), source)
    return proof === undefined ? { reason: 'WRONG_CODE' } : { proof }
  }
}

async function proofOf(
  app: AccessApp,
  user: Prover,
  code: string,
  source: Source,
): Promise<Proof | undefined> {
  if (!TYPED.test(code))
    return (await spendRecoveryCode(app, user, code, source)) ? 'RECOVERY_CODE' : undefined
  for (const factor of await factorsOf(app.db, user))
    if (factor.confirmed_at !== null && (await spendCode(app, user, factor, code))) return 'TOTP'
  return undefined
}

/** One later than any that was used; the database decides between two at once. */
export async function spendCode(
  { clock, access, db }: Pick<AccessApp, 'clock' | 'access'> & { db: Pick<Db, 'query'> },
  owner: Owner,
  factor: StoredFactor,
  code: string,
): Promise<boolean> {
  const secret = openSecret(access.tokens.wrapping, owner, factor)
  const now = clock.now()
  const step = secret === undefined ? undefined : stepOf(secret, plainCode(code), now)
  if (step === undefined) return false
  const spending = sql`
    ${updateRow(USER_FACTORS, {
      where: sql`
        workspace = ${owner.workspace}
          and id = ${factor.id}
          and (last_step is null or last_step < ${step})`,
      set: { last_step: step, last_used_at: now },
      by: owner.id,
      now,
    })}
    returning 1`
  const spent = await besideCall(() => db.query(spending))
  return spent.length > 0
}

function spendRecoveryCode(
  { db, clock }: AccessApp,
  user: Prover,
  code: string,
  source: Source,
): Promise<boolean> {
  return db.tx(async (tx) => {
    if (!(await useRecoveryCode(tx, clock, user, code))) return false
    await tx.query(
      securityEntries(user.workspace, clock.now(), [
        { kind: 'RECOVERY_CODE_USED', user, actor: user.id, source },
      ]),
    )
    return true
  })
}
