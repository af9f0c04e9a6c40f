/**
 * The desk: what a person looks at. overview/ finds, counts and explains the records that other
 * modules describe in their desk feeds. pictures/ sums days and hours for what is drawn.
 * reconciliation/ compares the books with the venues every minute, opens breaks, and keeps the
 * days that are signed off. closing/ closes periods of the books. silence/ tells which venues do
 * not answer. valuation/ says what positions came to at the prices of a day. erasure/ takes
 * personal data out of what all modules store. records/ has orders and transactions in the fields
 * that supervisors ask for. notes/ has what people write on records. notifications/ tells people
 * what concerns them. news/ tells what others did since they looked.
 */
import type { TaskHandler } from '../store/tasks.ts'
import type { Endpoint } from '../http/index.ts'
import type { DeskFeed } from '../store/desk-feed.ts'
import { closingEndpoints } from './closing/closing.http.ts'
import { erasureEndpoints } from './erasure/erasure.http.ts'
import { ERASE_TASK, eraseTask } from './erasure/erasure.ts'
import { generalLedgerEndpoints } from './general-ledger/general-ledger.http.ts'
import { newsEndpoints } from './news/news.http.ts'
import { notesEndpoints } from './notes/notes.http.ts'
import { notificationsEndpoints } from './notifications/notifications.http.ts'
import { overviewEndpoints } from './overview/overview.http.ts'
import { proofsEndpoints } from './proofs/proofs.http.ts'
import { reconciliationEndpoints } from './reconciliation/reconciliation.http.ts'
import { recordsEndpoints } from './records/records.http.ts'
import { RECONCILE_TASK, reconcileTask } from './reconciliation/reconciliation.ts'
import type { ReconciliationApp } from './reconciliation/reconciliation.ts'
import { SILENCE_TASK, silenceTask } from './silence/silence.ts'
import { valuationEndpoints } from './valuation/valuation.http.ts'

export { needFigures } from './overview/need-figures.ts'
export { withNewsFilter } from './news/news.http.ts'
export { forgetOldNotifications } from './notifications/keeping.ts'
export { notificationMailTasks, tellingTasks } from './notifications/tasks.ts'
export { MAIL_TASK, TELL_TASK } from './notifications/telling.ts'
export { picturesEndpoints } from './pictures/pictures.http.ts'
export { SILENCE_TASK } from './silence/silence.ts'
export { RECONCILE_TASK } from './reconciliation/reconciliation.ts'

/** `beside`: what modules on the desk's own floor show of themselves. */
export function deskEndpoints(
  app: ReconciliationApp,
  beside: readonly DeskFeed[] = [],
): Endpoint[] {
  return [
    ...overviewEndpoints(app, beside),
    ...reconciliationEndpoints(app),
    ...closingEndpoints(app),
    ...erasureEndpoints(app),
    ...proofsEndpoints(app),
    ...generalLedgerEndpoints(app),
    ...recordsEndpoints(app),
    ...valuationEndpoints(app),
    ...notesEndpoints(app, beside),
    ...notificationsEndpoints(app, beside),
    ...newsEndpoints(app),
  ]
}

/** Needs no venue. */
export const erasureTasks = (app: ReconciliationApp): Record<string, TaskHandler> => ({
  [ERASE_TASK]: eraseTask(app),
})

export const deskTasks = (app: ReconciliationApp): Record<string, TaskHandler> => ({
  [RECONCILE_TASK]: reconcileTask(app),
  [SILENCE_TASK]: silenceTask(app),
})
