/**
 * Sign-ins that browsers have begun. The browser keeps a secret in a cookie, from which state,
 * nonce and verifier follow; here stands its hash. So what comes back counts in this browser alone,
 * once and for ten minutes, over all processes.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { SignInProviderId, WorkspaceId } from '../../core/ids.ts'
import { closed, id, time, Type } from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { allColumnsOf, insertRow, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'

export const BEGUN_MILLISECONDS = 10 * 60_000
const SECRET_BYTES = 32

const BegunRow = closed({
  secret_hash: Type.Unsafe<Buffer>({ type: 'string', 'x-column': 'bytea' }),
  workspace: id<WorkspaceId>(),
  provider_id: id<SignInProviderId>(),
  expires_at: time(),
})
type Begun = Static<typeof BegunRow>
const BEGUN_SIGN_INS = tableOf('begun_sign_ins', BegunRow)

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** RFC 7636, 4.1: a verifier has 43 characters at least. */
const derived = (secret: string, what: string): string =>
  hashOf(`${what} ${secret}`).toString('base64url')

export type Secrets = ReturnType<typeof secretsOf>
export const secretsOf = (secret: string) => ({
  state: derived(secret, 'state'),
  nonce: derived(secret, 'nonce'),
  verifier: derived(secret, 'verifier'),
})

/** Answers the browser's secret. */
export async function begin(
  reader: Reader,
  clock: Clock,
  of: Pick<Begun, 'workspace' | 'provider_id'>,
): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  const now = clock.now()
  const row = {
    ...of,
    secret_hash: hashOf(secret),
    expires_at: now + BEGUN_MILLISECONDS,
  }
  await reader.query(insertRow(BEGUN_SIGN_INS, row, { by: null, now }))
  return secret
}

/** Undefined where there is none, or no more. Of two who end it at once, one does. */
export async function endBegun(
  reader: Reader,
  clock: Clock,
  secret: string,
): Promise<Begun | undefined> {
  return only(
    await reader.query<Begun>(sql`
      delete from begun_sign_ins
      where secret_hash = ${hashOf(secret)}
        and expires_at > ${clock.now()}
      returning ${allColumnsOf(BEGUN_SIGN_INS)}`),
  )
}

export async function forgetOldSignIns(reader: Reader, clock: Clock): Promise<number> {
  const forgotten = await reader.query(sql`
    delete from begun_sign_ins
    where expires_at <= ${clock.now()}
    returning 1`)
  return forgotten.length
}
