/**
 * Sends ordered payments, one task for each:
 *
 *   wait     for its time, the venue's allow-list, the end of a halt, or a venue that answers
 *   send     the withdrawal and the state SENT, in one commit; or REFUSED with the reason
 *
 * What is refused is not tried again by itself: a person decides.
 */
import { ApiError } from '../../../core/errors.ts'
import { withFailpoints } from '../../../core/failpoint.ts'
import { isLimitExceeded, isPolicyDenied, retryOnStale } from '../../../ledger/index.ts'
import { sql } from '../../../store/sql.ts'
import type { TaskHandler, TaskResult } from '../../../store/tasks.ts'
import { TREASURY_WORKER } from '../../app.ts'
import type { TreasuryApp } from '../../app.ts'
import { routeById } from '../../routes/routes.ts'
import type { Route } from '../../routes/routes.ts'
import { mergeChanges } from '../shared-transaction.ts'
import { withdrawalDraft } from '../withdrawals.ts'
import { destinationDigest } from './making.ts'
import { movedPayment, paymentRow } from './payments.ts'
import type { PaymentRow } from './payments.ts'

const LOOK_AGAIN_MILLISECONDS = 5_000
const MAXIMUM_REASON = 1_000
const CHANGED =
  'the route or the wallet of the payee was changed after the payment was ordered: ' +
  'cancel it, and order it anew'

/** What it waits for when its time has come. */
const ALLOWLIST = "it waits until the venue's allow-list has the destination"
const HALT = 'it waits for the end of a halt of withdrawals'
const VENUE = 'it waits for the venue, which does not answer'

export const paymentTask =
  (app: TreasuryApp): TaskHandler =>
  ({ workspace, subject_id }) =>
    retryOnStale(async (): Promise<TaskResult> => {
      const payment = await paymentRow(app.db, workspace, subject_id as PaymentRow['id'])
      if (payment.state !== 'WAITING') return 'done'
      const now = app.clock.now()
      if (payment.send_at > now) return { again_at: payment.send_at }
      const later = { again_at: now + LOOK_AGAIN_MILLISECONDS }
      const route = await routeById(app.db, workspace, payment.route_id)
      if (destinationDigest(route, payment.reference) !== payment.destination_digest) {
        await app.lane.commit(refused(app, payment, CHANGED))
        return 'done'
      }
      if (route.allowlist_state === 'PENDING_APPROVAL') {
        await noteWhy(app, payment, ALLOWLIST)
        return later
      }
      try {
        await withFailpoints('payment.send', payment.id, () => send(app, payment, route))
      } catch (error) {
        if (!isRefusal(error) || (await isOutdated(app, payment))) throw error
        if (isPassing(error)) {
          await noteWhy(app, payment, error.kind === 'VenueUnreachable' ? VENUE : HALT)
          return later
        }
        await app.lane.commit(refused(app, payment, error.message))
      }
      return 'done'
    })

async function send(app: TreasuryApp, payment: PaymentRow, route: Route): Promise<void> {
  const by = payment.system_created_by ?? TREASURY_WORKER
  const { quantity, speed_level, account_id, third_party, limited_by } = payment
  const texts = { reference: payment.reference, purpose: payment.purpose, note: payment.note }
  const { withdrawal, change } = await withdrawalDraft({ by }, app, route, {
    quantity,
    speed_level,
    third_party,
    ...(account_id === null ? {} : { account_id }),
    ...stated({ ...texts, client_ref: payment.client_ref }),
  })
  const sent = movedPayment(payment, 'SENT', {
    by,
    now: app.clock.now(),
    set: { withdrawal_id: withdrawal.id, reason: null },
    type: 'sent',
  })
  await app.lane.commit({
    ...mergeChanges([change, sent.change]),
    ...(limited_by === null ? {} : { api_key: { id: limited_by, standing: true } }),
  })
}

/** Said of the payment as it is: its version stays, as nothing about the order has changed. */
async function noteWhy(
  { db }: TreasuryApp,
  { workspace, id, version, reason }: PaymentRow,
  why: string,
): Promise<void> {
  if (reason === why) return
  await db.query(sql`
    update payments
    set reason = ${why}
    where workspace = ${workspace}
      and id = ${id}
      and version = ${version}`)
}

/** Somebody changed it meanwhile, for example canceled it. */
async function isOutdated(app: TreasuryApp, { workspace, id, version }: PaymentRow) {
  return (await paymentRow(app.db, workspace, id)).version !== version
}

type Texts<Name extends string> = Readonly<Record<Name, string | null>>

const stated = <Name extends string>(texts: Texts<Name>): { [_ in Name]?: string } =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)) as {
    [_ in Name]?: string
  }

const REFUSALS: ReadonlySet<string> = new Set([
  'BadRequest',
  'NewResourceNotFound',
  'VenueUnreachable',
])

/** What the request for a withdrawal would have been refused with. Anything else is a fault. */
const isRefusal = (error: unknown): error is ApiError =>
  isLimitExceeded(error) ||
  isPolicyDenied(error) ||
  (error instanceof ApiError &&
    REFUSALS.has(error.kind) &&
    !error.details.some(({ code }) => code === 'STALE_VERSION'))

/** It goes by, without anybody doing anything about this payment. */
const isPassing = (error: ApiError): boolean =>
  error.kind === 'VenueUnreachable' || error.details.some(({ code }) => code === 'HALTED')

const refused = (app: TreasuryApp, payment: PaymentRow, why: string) =>
  movedPayment(payment, 'REFUSED', {
    by: TREASURY_WORKER,
    now: app.clock.now(),
    set: { reason: why.slice(0, MAXIMUM_REASON) },
    type: 'refused',
  }).change
