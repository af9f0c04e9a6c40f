/**
 * What an authenticator must sign. A challenge is of one user, of the session in which it was asked
 * for, and of the factor that it sets up; it works once and for five minutes, over all processes.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import { closed, id, nullable, time, Type } from '../http/index.ts'
import type { Reader } from '../store/db.ts'
import { insertRow, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Owner } from './factor-rows.ts'

export const CHALLENGE_MILLISECONDS = 5 * 60_000
const CHALLENGE_BYTES = 32

const PASSKEY_CHALLENGES = tableOf(
  'passkey_challenges',
  closed({
    workspace: id<WorkspaceId>(),
    user_id: id<UserId>(),
    challenge: Type.Unsafe<Buffer>({ 'x-column': 'bytea' }),
    factor_id: nullable(id()),
    session_id: nullable(id()),
    expires_at: time(),
  }),
)

/** `factor_id`: of the passkey that is being set up. */
type Purpose = { session_id?: string | undefined; factor_id?: string }

export async function newChallenge(
  reader: Reader,
  clock: Clock,
  { workspace, id: user_id }: Owner,
  { session_id = undefined, factor_id }: Purpose,
): Promise<string> {
  const challenge = randomBytes(CHALLENGE_BYTES)
  const now = clock.now()
  const row = {
    workspace,
    user_id,
    challenge,
    factor_id: factor_id ?? null,
    session_id: session_id ?? null,
    expires_at: now + CHALLENGE_MILLISECONDS,
  }
  await reader.query(insertRow(PASSKEY_CHALLENGES, row, { by: user_id, now }))
  return challenge.toString('base64url')
}

/** Whether it was asked for this, and nobody has used it. Of two who use it at once, one has. */
export async function spendChallenge(
  reader: Reader,
  clock: Clock,
  { workspace, id: user_id }: Owner,
  { challenge, session_id, factor_id }: Purpose & { challenge: string },
): Promise<boolean> {
  const spent = await reader.query(sql`
    delete from passkey_challenges
    where workspace = ${workspace}
      and user_id = ${user_id}
      and challenge = ${Buffer.from(challenge, 'base64url')}
      and factor_id is not distinct from ${factor_id ?? null}
      and session_id is not distinct from ${session_id ?? null}
      and expires_at > ${clock.now()}
    returning 1`)
  return spent.length > 0
}

export async function forgetOldChallenges(reader: Reader, clock: Clock): Promise<number> {
  const forgotten = await reader.query(sql`
    delete from passkey_challenges
    where expires_at <= ${clock.now()}
    returning 1`)
  return forgotten.length
}
