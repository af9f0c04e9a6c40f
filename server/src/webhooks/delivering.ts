/**
 * Delivers what is due to one webhook. A webhook has one task, which one process at a time works
 * off (store/tasks.ts), and slots that no other kind of work needs: a receiver that is slow or dead
 * delays nobody else.
 *
 * An attempt is stored before it is sent, under the next number of its delivery, which is not due
 * for as long as a call may last. Only who has that number records what came of it: a process that
 * lost its claim changes nothing. A kill in between means another attempt with the same message id.
 * A receiver may get an event twice, never not.
 */
import { failpoint } from '../core/failpoint.ts'
import { activeCaller } from '../access/index.ts'
import { permissionOfEvent } from '../events/index.ts'
import { stateIn } from '../store/states.ts'
import { updateRow } from '../store/rows.ts'
import { raw, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import type { TaskKey, TaskResult } from '../store/tasks.ts'
import { attempt } from './attempts.ts'
import type { Ready } from './attempts.ts'
import { WORKER } from './app.ts'
import type { WebhooksApp } from './app.ts'
import { DELIVERY_MOVES, TEST_TYPE } from './deliveries.schema.ts'
import type { Delivery } from './deliveries.schema.ts'
import { pauseByItself } from './pausing.ts'
import { DELIVERIES, findWebhook, progressOf } from './rows.ts'
import type { Progress } from './rows.ts'
import { openSecrets } from './secrets.ts'
import { move } from '../core/moves.ts'

/** Of one webhook at once; one alone while its receiver is not well. */
const AT_ONCE = 8
/** A turn begins nothing more after this, so that a claim is never held for long. */
const TURN_MILLISECONDS = 10_000

export async function deliver(
  app: WebhooksApp,
  { workspace, subject_id: webhook_id }: Pick<TaskKey, 'workspace' | 'subject_id'>,
): Promise<TaskResult> {
  const end = performance.now() + TURN_MILLISECONDS
  while (performance.now() < end) {
    // Each time anew: it may be paused, changed or deleted meanwhile, and its owner may less.
    const ready = await makeReady(app, { workspace, webhook_id })
    if (ready === undefined) return 'done'
    const now = app.clock.now()
    if (ready.progress.not_before > now) return { again_at: ready.progress.not_before }
    const due = await dueDeliveries(app, ready, ready.progress.failures > 0 ? 1 : AT_ONCE)
    if (due.length === 0) return nextTurn(app, ready)
    await failpoint('webhook.claimed', webhook_id)
    const verdicts = await Promise.all(due.map((delivery) => deliverOne(app, ready, delivery)))
    const stop = verdicts.find((verdict) => verdict !== undefined)
    if (stop === undefined) continue
    await pauseByItself(app, { workspace, webhook_id }, stop.cause, stop.reason)
    return 'done'
  }
  return { again_at: app.clock.now() }
}

/** What an attempt needs; undefined where there is nothing to be sent. */
async function makeReady(
  app: WebhooksApp,
  of: { workspace: Delivery['workspace']; webhook_id: string },
): Promise<Ready | undefined> {
  const { db, clock, wrapping } = app
  const webhook = await findWebhook(db, of.workspace, of.webhook_id)
  const progress = await progressOf(db, of.workspace, of.webhook_id)
  if (webhook?.state !== 'ACTIVE' || progress === undefined) return undefined
  const owner = await activeCaller(db, of.workspace, webhook.owner_id, clock.now())
  if (owner?.permissions.has('events.read') !== true) {
    await pauseByItself(app, of, 'OWNER', 'its owner may no longer read events')
    return undefined
  }
  try {
    const secrets = openSecrets(wrapping, webhook, clock.now()).map(({ secret }) => secret)
    return { webhook, progress, secrets, permissions: owner.permissions }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    await pauseByItself(app, of, 'SECRET', `its secret cannot be opened (${why}): rotate it`)
    return undefined
  }
}

async function deliverOne(
  app: WebhooksApp,
  ready: Ready,
  delivery: Delivery & { step: number },
): ReturnType<typeof attempt> {
  const { workspace, id, event_type } = delivery
  if (event_type === TEST_TYPE || ready.permissions.has(permissionOfEvent(event_type)))
    return attempt(app, ready, delivery)
  await app.db.query(
    updateRow(DELIVERIES, {
      where: { workspace, id },
      move: move(DELIVERY_MOVES, 'PENDING', 'CANCELED'),
      set: { reason: `the owner lacks ${permissionOfEvent(event_type)}` },
      by: WORKER,
      now: app.clock.now(),
    }),
  )
  return undefined
}

type OfProgress = { progress: Pick<Progress, 'workspace' | 'webhook_id'> }

const isWaiting = ({ progress }: OfProgress, table: 'd' | 'earlier'): Query => sql`
  ${raw(table)}.workspace = ${progress.workspace}
    and ${raw(table)}.webhook_id = ${progress.webhook_id}
    and ${stateIn(DELIVERY_MOVES, 'PENDING', `${table}.state`)}`

/** Of one record only the earliest, where the webhook wants them in order. */
const inTurn = ({ webhook, progress }: Ready): Query =>
  webhook.ordered
    ? sql`
        not exists (
          select
          from webhook_deliveries earlier
          where ${isWaiting({ progress }, 'earlier')}
            and earlier.resource_id = d.resource_id
            and earlier.event_sequence < d.event_sequence
        )`
    : sql`true`

const dueDeliveries = (
  { db, clock }: WebhooksApp,
  ready: Ready,
  count: number,
): Promise<(Delivery & { step: number })[]> =>
  db.query<Delivery & { step: number }>(sql`
    select ${raw([...DELIVERIES.columns.keys()].map((name) => `d.${name}`).join(', '))}
    from webhook_deliveries d
    where ${isWaiting(ready, 'd')}
      and d.due_at <= ${clock.now()}
      and ${inTurn(ready)}
    order by d.due_at, d.event_sequence
    limit ${count}`)

/** When something waits that may be sent then. */
async function nextTurn({ db, clock }: WebhooksApp, ready: Ready): Promise<TaskResult> {
  const [next] = await db.query<{ due_at: number }>(sql`
    select d.due_at
    from webhook_deliveries d
    where ${isWaiting(ready, 'd')}
      and ${inTurn(ready)}
    order by d.due_at
    limit 1`)
  if (next === undefined) return 'done'
  return { again_at: Math.max(next.due_at, ready.progress.not_before, clock.now()) }
}
