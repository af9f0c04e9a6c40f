/**
 * One attempt to deliver: signed, stored, sent, and what follows from the answer.
 *
 * The ladder is that of Standard Webhooks. A receiver that cannot be reached, or asks for time, is
 * left alone for a while altogether; one that refuses an event is only asked again for that event.
 */
import { createHash } from 'node:crypto'
import { mustExist } from '../core/assert.ts'
import { withFailpoints } from '../core/failpoint.ts'
import type { Move } from '../core/moves.ts'
import { move } from '../core/moves.ts'
import { VERSION } from '../core/version.ts'
import { id } from '../http/index.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { insertRow, tableOf, updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { callReceiver } from '../core/calling.ts'
import type { Answer, Call, Outcome } from '../core/calling.ts'
import { bodyOf } from './deliveries.ts'
import { AttemptRecord, DELIVERY_MOVES } from './deliveries.schema.ts'
import type { Delivery } from './deliveries.schema.ts'
import { DELIVERIES, PROGRESS } from './rows.ts'
import type { Progress, WebhookRow } from './rows.ts'
import { signatureOf } from '../core/signing.ts'
import { WORKER } from './app.ts'
import type { WebhooksApp } from './app.ts'
import type { PauseCause } from './webhooks.schema.ts'

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]
/** Before each attempt since the one before it: three days in all. */
const LADDER: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
/** Later by up to so much, so that what failed together does not come back together. */
const JITTER_PERCENT = 10
/** A receiver that took nothing for so long is paused. */
const FAILING_MILLISECONDS = 72 * HOUR
const LEFT_ALONE_FIRST = SECOND
const LEFT_ALONE_LONGEST = MINUTE
/** A receiver that asks for more gets this. */
const LONGEST_RETRY_AFTER = 24 * HOUR
/** Longer than a call. After so long an attempt without an outcome counts as cut off. */
const CLAIM_MILLISECONDS = 20 * SECOND
const ASK_FOR_TIME: ReadonlySet<number> = new Set([429, 502, 503, 504])
const GONE = 410

const ATTEMPTS = tableOf('webhook_attempts', AttemptRecord, {
  inside: { workspace: id<WorkspaceId>(), delivery_id: id() },
})

/** `progress` is kept up to date while some are sent together. */
export type Ready = {
  webhook: WebhookRow
  progress: Progress
  secrets: readonly string[]
  permissions: ReadonlySet<string>
}

type Due = Delivery & { step: number }
/** Why the webhook is to be paused. */
type Stop = { cause: PauseCause; reason: string }

/** Answers why the webhook has to pause. */
export async function attempt(
  app: WebhooksApp,
  ready: Ready,
  delivery: Due,
): Promise<Stop | undefined> {
  const call = await signedCall(app, ready, delivery)
  const begun = { started_at: app.clock.now(), mark: performance.now() }
  const number = await begin(app, delivery, call, begun.started_at)
  if (number === undefined) return undefined
  const outcome = await withFailpoints('webhook.send', delivery.id, () =>
    callReceiver(call, { rules: app.targets }),
  )
  const duration_ms = Math.floor(performance.now() - begun.mark)
  const verdict = verdictOf(outcome, app.clock.now())
  const stop = await noteProgress(app, ready, verdict, begun.started_at)
  const came = { outcome, verdict, duration_ms, stop }
  await recordOutcome(app, { ...delivery, attempts: number }, came)
  return stop
}

async function signedCall(
  { db, clock }: WebhooksApp,
  { webhook, secrets }: Ready,
  delivery: Due,
): Promise<Call> {
  const body = await bodyOf(db, delivery)
  const timestamp = Math.floor(clock.now() / SECOND)
  const message = { id: delivery.message_id, timestamp, body }
  return {
    url: webhook.url,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:`,
      'user-agent': `Kontor/${VERSION}`,
      'webhook-id': message.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secrets, message),
    },
    body,
  }
}

/** The number of the attempt; undefined when somebody else has changed the delivery meanwhile. */
function begin(
  { db }: WebhooksApp,
  { workspace, id: delivery_id, attempts }: Due,
  { url, headers }: Call,
  started_at: number,
): Promise<number | undefined> {
  return db.tx(async (tx) => {
    const number = attempts + 1
    const [mine] = await tx.query(sql`
      ${updateRow(DELIVERIES, {
        where: { workspace, id: delivery_id, state: 'PENDING', attempts },
        set: { attempts: number, due_at: started_at + CLAIM_MILLISECONDS },
        by: WORKER,
        now: started_at,
      })}
      returning 1`)
    if (mine === undefined) return undefined
    const row = { workspace, delivery_id, number, started_at, url, request_headers: headers }
    await tx.query(insertRow(ATTEMPTS, row, { by: WORKER, now: started_at }))
    return number
  })
}

/** `wait_ms`: for how long it asks to be left alone. `isDown`: it is not well as a whole. */
type Verdict =
  | { taken: true }
  | { taken: false; reason: string; isDown: boolean; isGone: boolean; wait_ms: number }

function verdictOf(outcome: Outcome, now: number): Verdict {
  const { answer } = outcome
  if (answer === undefined)
    return { taken: false, reason: outcome.reason, isDown: true, isGone: false, wait_ms: 0 }
  const { status } = answer
  if (status >= 200 && status < 300) return { taken: true }
  const asks = ASK_FOR_TIME.has(status)
  const reason =
    status >= 300 && status < 400
      ? `it answered ${status}: redirects are not followed`
      : `it answered ${status}`
  return {
    taken: false,
    reason,
    isDown: asks,
    isGone: status === GONE,
    wait_ms: asks ? retryAfter(answer, now) : 0,
  }
}

/** Seconds or a date (RFC 9110). */
function retryAfter({ headers }: Answer, now: number): number {
  const text = headers['retry-after'] ?? ''
  const wait = /^[0-9]{1,9}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), LONGEST_RETRY_AFTER) : 0
}

/** How the receiver is doing. Written only when that has changed. */
async function noteProgress(
  { db, clock }: WebhooksApp,
  { progress }: Ready,
  verdict: Verdict,
  started_at: number,
): Promise<Stop | undefined> {
  const now = clock.now()
  const before = { ...progress }
  if (verdict.taken) Object.assign(progress, { failing_since: null, failures: 0 })
  else {
    progress.failing_since ??= now
    if (verdict.isDown) leaveAlone(progress, { now, started_at, wait_ms: verdict.wait_ms })
  }
  const { workspace, webhook_id, failing_since, failures, not_before } = progress
  const isChanged =
    before.failing_since !== failing_since ||
    before.failures !== failures ||
    before.not_before !== not_before
  if (isChanged)
    await db.query(
      updateRow(PROGRESS, {
        where: { workspace, webhook_id },
        set: { failing_since, failures, not_before },
        by: WORKER,
        now,
      }),
    )
  return verdict.taken ? undefined : stopFor(verdict, now - (failing_since ?? now))
}

/** Those that went out together fail together, and count once. */
function leaveAlone(
  progress: Progress,
  { now, started_at, wait_ms }: { now: number; started_at: number; wait_ms: number },
): void {
  const isFirst = progress.not_before <= started_at
  const alone = LEFT_ALONE_FIRST * 2 ** Math.min(progress.failures, 10)
  const wait = Math.max(isFirst ? Math.min(alone, LEFT_ALONE_LONGEST) : 0, wait_ms)
  progress.not_before = Math.max(progress.not_before, now + wait)
  if (isFirst) progress.failures += 1
}

function stopFor(
  { isGone, reason }: { isGone: boolean; reason: string },
  failing_ms: number,
): Stop | undefined {
  if (isGone) return { cause: 'GONE', reason: 'it answered 410, and so wants no more' }
  if (failing_ms < FAILING_MILLISECONDS) return undefined
  return { cause: 'FAILING', reason: `it has taken nothing for three days (${reason})` }
}

type Came = {
  outcome: Outcome
  verdict: Verdict
  duration_ms: number
  stop: Stop | undefined
}

async function recordOutcome(
  { db, clock }: WebhooksApp,
  delivery: Due,
  { outcome, verdict, duration_ms, stop }: Came,
): Promise<void> {
  const { workspace, id: delivery_id, attempts: number } = delivery
  const now = clock.now()
  const status = outcome.answer?.status ?? null
  const reason = verdict.taken ? null : verdict.reason
  const { state, ...next } = nextOf(delivery, verdict, { now, isPausing: stop !== undefined })
  await db.tx(async (tx) => {
    await tx.query(
      updateRow(ATTEMPTS, {
        where: { workspace, delivery_id, number },
        set: {
          duration_ms,
          status,
          reason,
          response_headers: outcome.answer?.headers ?? null,
          response_body: outcome.answer?.body ?? null,
        },
        by: WORKER,
        now,
      }),
    )
    await tx.query(
      updateRow(DELIVERIES, {
        where: { workspace, id: delivery_id, state: 'PENDING', attempts: number },
        ...(state === undefined ? {} : { move: state }),
        set: { ...next, status, reason },
        by: WORKER,
        now,
      }),
    )
  })
}

type Next = Partial<Pick<Due, 'step' | 'due_at' | 'delivered_at'>> & {
  state?: Move<Delivery['state']>
}

/** One whose attempts are used up waits on where the webhook pauses: resumed, it begins anew. */
function nextOf(
  { step }: Due,
  verdict: Verdict,
  { now, isPausing }: { now: number; isPausing: boolean },
): Next {
  if (verdict.taken)
    return { state: move(DELIVERY_MOVES, 'PENDING', 'DELIVERED'), delivered_at: now }
  if (isPausing) return { due_at: now }
  const following = step + 1
  if (following >= LADDER.length) return { state: move(DELIVERY_MOVES, 'PENDING', 'FAILED') }
  const pause = mustExist(LADDER[following], 'a step of the ladder')
  const jitter = Math.floor((pause * Math.random() * JITTER_PERCENT) / 100)
  return { step: following, due_at: now + Math.max(pause + jitter, verdict.wait_ms) }
}
