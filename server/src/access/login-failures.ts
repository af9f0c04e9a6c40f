/**
 * Repeated failures slow an e-mail address down, then lock it for a while, over all processes. An
 * unknown address is counted like a known one. A right password does not pass while the address is
 * blocked, also when the block came while it was being checked: guessing in parallel gains nothing.
 */
import type { Clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { closed, text, time, Type } from '../http/index.ts'
import type { Reader } from '../store/db.ts'
import { insertRow, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { MAXIMUM_EMAIL } from './users.schema.ts'

const LOCK_MILLISECONDS = 15 * 60_000
/** Pause after the 1st, 2nd, … failure in milliseconds; the last holds for all further ones. */
const PAUSES = [0, 0, 0, 0, 1000, 2000, 4000, 8000, 16_000, LOCK_MILLISECONDS]
export const FAILURES_TO_LOCK = PAUSES.length
const FORGOTTEN_MILLISECONDS = 60 * 60_000

const LOGIN_FAILURES = tableOf(
  'login_failures',
  closed({
    email: text(MAXIMUM_EMAIL),
    failures: Type.Integer(),
    failed_at: time(),
    blocked_until: time(),
  }),
)

/** Throws 4291 with the seconds left. */
export async function assertNotBlocked(reader: Reader, clock: Clock, email: string): Promise<void> {
  const now = clock.now()
  const [blocked] = await reader.query<{ blocked_until: number }>(sql`
    select blocked_until
    from login_failures
    where email = ${email}
      and blocked_until > ${now}`)
  if (blocked !== undefined) throw tooManyFailures(blocked.blocked_until - now)
}

/** Counts a failure; throws 4291 when the address is blocked meanwhile. */
export async function countFailure(reader: Reader, clock: Clock, email: string): Promise<void> {
  const now = clock.now()
  const first = { email, failures: 1, failed_at: now, blocked_until: now + (PAUSES[0] ?? 0) }
  const failures = sql`
    case
      when login_failures.failed_at < ${now - FORGOTTEN_MILLISECONDS} then 1
      else login_failures.failures + 1
    end`
  const counted = await reader.query(sql`
    ${insertRow(LOGIN_FAILURES, first, { by: null, now })}
    on conflict (email) do update
    set
      failures = ${failures},
      failed_at = excluded.failed_at,
      blocked_until = ${now} + (${PAUSES}::bigint[])[least(${failures}, ${PAUSES.length})]
    where login_failures.blocked_until <= ${now}
    returning 1`)
  if (counted.length === 0) await assertNotBlocked(reader, clock, email)
}

/** After a password that matched. Throws 4291 when the address is blocked. */
export async function forgetFailures(reader: Reader, clock: Clock, email: string): Promise<void> {
  await reader.query(sql`
    delete from login_failures
    where email = ${email}
      and blocked_until <= ${clock.now()}`)
  await assertNotBlocked(reader, clock, email)
}

/** Deletes what no longer counts; answers how many. */
export async function forgetOldFailures(reader: Reader, clock: Clock): Promise<number> {
  const forgotten = await reader.query(sql`
    delete from login_failures
    where failed_at < ${clock.now() - FORGOTTEN_MILLISECONDS}
    returning 1`)
  return forgotten.length
}

function tooManyFailures(milliseconds: number): ApiError {
  const seconds = Math.ceil(milliseconds / 1000)
  return new ApiError(
    'RateLimited',
    `too many failed attempts: try again in ${seconds} s`,
    [],
    seconds,
  )
}
