/**
 * Failed logins slow down who failed, and nobody else. A known device, and a network from which the
 * account was logged in to lately, count their own failures alone. Whoever is not known shares two
 * counts more: that of the account, against guesses from many places, and that of the network,
 * against guesses at many accounts.
 *
 * Counts drain with time, over all processes. An unknown address is counted like a known one. A
 * right password does not pass while it is blocked, also when the block came while it was being
 * checked: guessing in parallel gains nothing.
 */
import { addressBlockOf } from '../core/networks.ts'
import type { Clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { closed, MAXIMUM_EMAIL, text, time, Type } from '../http/index.ts'
import type { Reader } from '../store/db.ts'
import { insertRow, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'

const MINUTE = 60_000
const LOCK_MILLISECONDS = 15 * MINUTE
const MAXIMUM_NETWORK = 100
/** How long a device or a network stays known after a login. */
export const KNOWN_MILLISECONDS = 90 * 24 * 60 * MINUTE
/** After this every count has drained. */
const FORGOTTEN_MILLISECONDS = 2 * 60 * MINUTE

/** What failures lead to. */
type Rule = {
  /** How many are free. */
  free: number
  /** Pause after each further one in milliseconds; the last holds for all that follow. */
  pauses: readonly number[]
  /** One failure is forgotten in this time. */
  drained_ms: number
}

/** Of one caller: guessing is slow, and a person has further attempts once the lock has passed. */
const CALLER: Rule = {
  free: 4,
  pauses: [1000, 2000, 4000, 8000, 16_000, LOCK_MILLISECONDS],
  drained_ms: 3 * MINUTE,
}
/** Of all whom nobody knows: a pause and no lock, as it also meets those who mean well. */
const STRANGERS: Rule = { free: 100, pauses: [MINUTE], drained_ms: MINUTE / 2 }
const NETWORK: Rule = { free: 300, pauses: [MINUTE], drained_ms: MINUTE / 5 }

export const FAILURES_TO_LOCK = CALLER.free + CALLER.pauses.length

type Throttle = { subject: string; rule: Rule }

const LOGIN_THROTTLES = tableOf(
  'login_throttles',
  closed({
    subject: text(MAXIMUM_EMAIL + MAXIMUM_NETWORK),
    failures: Type.Integer(),
    failed_at: time(),
    blocked_until: time(),
  }),
)
const LOGIN_NETWORKS = tableOf(
  'login_networks',
  closed({ email: text(MAXIMUM_EMAIL), network: text(MAXIMUM_NETWORK), seen_at: time() }),
)

/** Who tries to log in, as far as it is known before the password is checked. */
type Attempt = {
  email: string
  /** The network address that the request came from. */
  address: string
  /** The session in which this device logged in to the account before. */
  device?: string | undefined
}

/** Of codes for one user, wherever they come from: whoever tries them has the password. */
export const factorThrottle = (user_id: string): Throttle => ({
  subject: `factor ${user_id}`,
  rule: CALLER,
})

export async function forgetFailures(
  reader: Reader,
  throttles: readonly Throttle[],
): Promise<void> {
  await reader.query(sql`
    delete from login_throttles
    where subject = any(${throttles.map(({ subject }) => subject)})`)
}

const networkOf = ({ address }: Attempt) => addressBlockOf(address).slice(0, MAXIMUM_NETWORK)

/** What slows this attempt down, and counts its failure. */
export async function throttlesOf(
  reader: Reader,
  clock: Clock,
  attempt: Attempt,
): Promise<readonly Throttle[]> {
  const { email, device } = attempt
  if (device !== undefined) return [{ subject: `device ${email} ${device}`, rule: CALLER }]
  const network = networkOf(attempt)
  const caller = { subject: `caller ${email} ${network}`, rule: CALLER }
  const known = await reader.query(sql`
    select 1
    from login_networks
    where email = ${email}
      and network = ${network}
      and seen_at > ${clock.now() - KNOWN_MILLISECONDS}`)
  if (known.length > 0) return [caller]
  return [
    caller,
    { subject: `account ${email}`, rule: STRANGERS },
    { subject: `network ${network}`, rule: NETWORK },
  ]
}

/** Throws 4291 with the seconds left. */
export async function assertNotBlocked(
  reader: Reader,
  clock: Clock,
  throttles: readonly Throttle[],
): Promise<void> {
  const now = clock.now()
  const [blocked] = await reader.query<{ blocked_until: number }>(sql`
    select blocked_until
    from login_throttles
    where subject = any(${throttles.map(({ subject }) => subject)})
      and blocked_until > ${now}
    order by blocked_until desc
    limit 1`)
  if (blocked !== undefined) throw tooManyFailures(blocked.blocked_until - now)
}

/** Counts a failure; throws 4291 when one of them is blocked meanwhile. */
export async function countFailure(
  reader: Reader,
  clock: Clock,
  throttles: readonly Throttle[],
): Promise<void> {
  const now = clock.now()
  for (const { subject, rule } of throttles) {
    const first = { subject, failures: 1, failed_at: now, blocked_until: now }
    const drained = sql`(${now} - login_throttles.failed_at) / ${rule.drained_ms}::bigint`
    const failures = sql`greatest(login_throttles.failures - ${drained}, 0) + 1`
    const beyond = sql`least(${failures} - ${rule.free}::bigint, ${rule.pauses.length})`
    const counted = await reader.query(sql`
      ${insertRow(LOGIN_THROTTLES, first, { by: null, now })}
      on conflict (subject) do update
      set
        failures = ${failures},
        failed_at = excluded.failed_at,
        blocked_until = ${now} + coalesce((${rule.pauses}::bigint[])[${beyond}], 0)
      where login_throttles.blocked_until <= ${now}
      returning 1`)
    if (counted.length === 0) await assertNotBlocked(reader, clock, throttles)
  }
}

/**
 * After a password that matched: forgets the caller's failures and remembers the network. Throws
 * 4291 when the caller is blocked.
 */
export async function countSuccess(
  reader: Reader,
  clock: Clock,
  attempt: Attempt,
  throttles: readonly Throttle[],
): Promise<void> {
  const now = clock.now()
  const own = throttles.filter(({ rule }) => rule === CALLER).map(({ subject }) => subject)
  await reader.query(sql`
    delete from login_throttles
    where subject = any(${own})
      and blocked_until <= ${now}`)
  await assertNotBlocked(reader, clock, throttles)
  const seen = { email: attempt.email, network: networkOf(attempt), seen_at: now }
  await reader.query(sql`
    ${insertRow(LOGIN_NETWORKS, seen, { by: null, now })}
    on conflict (email, network) do update
    set seen_at = excluded.seen_at`)
}

/** Deletes what no longer counts; answers how many. */
export async function forgetOldFailures(reader: Reader, clock: Clock): Promise<number> {
  const failures = await reader.query(sql`
    delete from login_throttles
    where failed_at < ${clock.now() - FORGOTTEN_MILLISECONDS}
    returning 1`)
  const networks = await reader.query(sql`
    delete from login_networks
    where seen_at < ${clock.now() - KNOWN_MILLISECONDS}
    returning 1`)
  return failures.length + networks.length
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
