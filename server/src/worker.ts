/** Names every task: which due work is done by what. */
import { NO_WORKSPACE } from './core/ids.ts'
import { forgetOldAccess } from './access/index.ts'
import { webhooksPart } from './app.ts'
import type { App } from './app.ts'
import { mustExist } from './core/assert.ts'
import { approvalsTasks } from './approvals/index.ts'
import { BOOK_TRANSFER_TASK, bookTransferTask } from './customers/index.ts'
import {
  deskTasks,
  erasureTasks,
  forgetOldNotifications,
  MAIL_TASK,
  notificationMailTasks,
  RECONCILE_TASK,
  SILENCE_TASK,
  TELL_TASK,
  tellingTasks,
} from './desk/index.ts'
import { accountMailTasks, mailTasks, WRITE_TASK } from './events/index.ts'
import { CHAIN_TASK, HEADS_TASK, headTasks } from './heads/index.ts'
import type { HeadsConfiguration } from './heads/index.ts'
import { forgetOldKeys } from './http/index.ts'
import {
  forgetOldSpending,
  forgetOldTotals,
  forgetOldWriters,
  keepMarks,
  releaseExpiredHolds,
} from './ledger/index.ts'
import {
  DAILY_PRICES_TASK,
  dailyPricesTask,
  suppliesTask,
  SUPPLIES_TASK,
} from './market-data/index.ts'
import { endpointsOf, FEEDS_BESIDE_DESK } from './server.ts'
import { settlementsTasks } from './settlements/index.ts'
import { recordingCalls } from './store/calls.ts'
import { keepDueTimes, limitDueTimes } from './store/due-times.ts'
import type { LongestWaits } from './store/due-times.ts'
import { listenForTasks, runTasks } from './store/task-runner.ts'
import type { TaskRunner } from './store/task-runner.ts'
import { putTasks } from './store/tasks.ts'
import type { TaskHandler, TaskResult } from './store/tasks.ts'
import {
  dropOldQuotes,
  expireQuotes,
  hearOrders,
  makeQuotePartitions,
  TRADES_TASK,
  tradingTasks,
} from './trading/index.ts'
import { hearTransfers, POLL_TASK, treasuryTasks, WITHDRAWAL_TASK } from './treasury/index.ts'
import { forgetOldQuestions, venuesTasks } from './venues/index.ts'

import {
  DELIVER_TASK,
  DELIVERED_AT_ONCE,
  deliveryTasks,
  FOLLOW_TASK,
  forgetOldDeliveries,
  webhookMailTasks,
  webhookTasks,
} from './webhooks/index.ts'

const MINUTE_MILLISECONDS = 60_000
/** The longest that a task waits for its next turn, where nothing else is said. */
const WAIT_MILLISECONDS = 10 * MINUTE_MILLISECONDS
/** Due again and again for as long as Kontor runs, at least once in this time. */
const STANDING: LongestWaits = {
  release_expired_holds: MINUTE_MILLISECONDS,
  expire_quotes: MINUTE_MILLISECONDS,
  keep_quotes: WAIT_MILLISECONDS,
  mark_books: MINUTE_MILLISECONDS,
  housekeeping: WAIT_MILLISECONDS,
  [CHAIN_TASK]: MINUTE_MILLISECONDS,
  [HEADS_TASK]: WAIT_MILLISECONDS,
  connect_venue: MINUTE_MILLISECONDS,
  snapshot_venue: MINUTE_MILLISECONDS,
  [POLL_TASK]: MINUTE_MILLISECONDS,
  [TRADES_TASK]: MINUTE_MILLISECONDS,
  [RECONCILE_TASK]: MINUTE_MILLISECONDS,
  [SILENCE_TASK]: MINUTE_MILLISECONDS,
  [DAILY_PRICES_TASK]: WAIT_MILLISECONDS,
  [WRITE_TASK]: MINUTE_MILLISECONDS,
  [FOLLOW_TASK]: MINUTE_MILLISECONDS,
  [TELL_TASK]: MINUTE_MILLISECONDS,
  [SUPPLIES_TASK]: 60 * MINUTE_MILLISECONDS,
}
/** What waits longer by intent is looked at once an hour. */
const PATIENT: LongestWaits = {
  run_job: 60 * MINUTE_MILLISECONDS,
  send_payment: 60 * MINUTE_MILLISECONDS,
  expire_batch: 60 * MINUTE_MILLISECONDS,
  expire_approval: 60 * MINUTE_MILLISECONDS,
  send_mail: 60 * MINUTE_MILLISECONDS,
  [DELIVER_TASK]: 60 * MINUTE_MILLISECONDS,
  [MAIL_TASK]: 60 * MINUTE_MILLISECONDS,
}

/** Work that belongs to no workspace: one task of each kind serves them all. */
const COMMON_TASKS: readonly string[] = [
  'release_expired_holds',
  'expire_quotes',
  'keep_quotes',
  'mark_books',
  'housekeeping',
  CHAIN_TASK,
  HEADS_TASK,
  WRITE_TASK,
  FOLLOW_TASK,
  TELL_TASK,
  SILENCE_TASK,
  DAILY_PRICES_TASK,
]

const EXPIRED_HOLDS_MILLISECONDS = 1_000
const EXPIRED_QUOTES_MILLISECONDS = 500
const HOUSEKEEPING_MILLISECONDS = 600_000
const MARK_BOOKS_MILLISECONDS = 10_000
const QUOTES_KEPT_MILLISECONDS = 86_400_000

type TaskGroup = {
  handlers: Record<string, TaskHandler>
  withVenues: boolean
  /** The usual number of slots when absent. */
  concurrency?: number
}

/**
 * Each group has slots of its own, so that a venue that hangs holds up neither another part's work
 * nor what needs no venue. Work with venues is done by the process that holds their lease.
 */
function taskGroupsOf(
  app: App,
  { quotes_kept_ms, heads }: { quotes_kept_ms: number; heads: HeadsConfiguration | undefined },
): TaskGroup[] {
  const { clock } = app
  // What is done because it was approved stands in the audit trail like any call.
  const recorded = { ...app, db: recordingCalls(app.db, () => clock.now()) }
  const { [CHAIN_TASK]: chain, [HEADS_TASK]: keepHeads } = headTasks(app, heads)
  const webhooks = webhooksPart(app)
  const keeping: Record<string, TaskHandler> = {
    ...webhookTasks(webhooks),
    ...tellingTasks(app, FEEDS_BESIDE_DESK),
    [BOOK_TRANSFER_TASK]: bookTransferTask(app),
    ...erasureTasks(app),
    ...approvalsTasks(recorded, () => endpointsOf(recorded)),
    release_expired_holds: async () => {
      await releaseExpiredHolds(app)
      return { again_at: clock.now() + EXPIRED_HOLDS_MILLISECONDS }
    },
    expire_quotes: async () => {
      await expireQuotes(app)
      return { again_at: clock.now() + EXPIRED_QUOTES_MILLISECONDS }
    },
    keep_quotes: async () => {
      const now = clock.now()
      await makeQuotePartitions(app, quotes_kept_ms)
      if (!(await isClockRight(app))) return { again_at: now + MINUTE_MILLISECONDS }
      const { busy } = await dropOldQuotes(app, quotes_kept_ms)
      return { again_at: now + (busy ? MINUTE_MILLISECONDS : HOUSEKEEPING_MILLISECONDS) }
    },
    mark_books: async () => {
      await keepMarks(app)
      return { again_at: clock.now() + MARK_BOOKS_MILLISECONDS }
    },
    [DAILY_PRICES_TASK]: dailyPricesTask(app),
    [CHAIN_TASK]: chain,
    housekeeping: () => keepHouse(app),
  }
  // Withdrawals have slots of their own: however many are followed, what arrives is read and
  // booked.
  const { [WITHDRAWAL_TASK]: withdrawals, ...others } = treasuryTasks(app)
  const ofVenues = [
    tradingTasks(app),
    { [WITHDRAWAL_TASK]: mustExist(withdrawals, 'the task of withdrawals') },
    others,
    { ...venuesTasks(app), ...deskTasks(app), ...settlementsTasks(app) },
  ]
  return [
    { handlers: keeping, withVenues: false },
    ...ofVenues.map((handlers) => ({ handlers, withVenues: true })),
    {
      handlers: {
        ...mailTasks(app),
        ...accountMailTasks(app),
        ...webhookMailTasks(webhooks),
        ...notificationMailTasks(app, FEEDS_BESIDE_DESK),
        [SUPPLIES_TASK]: suppliesTask(app),
        [HEADS_TASK]: keepHeads,
      },
      withVenues: false,
    },
    {
      handlers: deliveryTasks(webhooks),
      withVenues: false,
      concurrency: DELIVERED_AT_ONCE,
    },
  ]
}

async function keepHouse(app: App): Promise<TaskResult> {
  const { db, clock } = app
  if (!(await isClockRight(app))) return { again_at: clock.now() + MINUTE_MILLISECONDS }
  await forgetOldKeys(db)
  await forgetOldAccess(db, clock)
  await forgetOldWriters(db, clock)
  await forgetOldSpending(db, clock)
  await forgetOldTotals(db, clock)
  await forgetOldQuestions(db)
  await forgetOldDeliveries(app)
  await forgetOldNotifications(app)
  return { again_at: clock.now() + HOUSEKEEPING_MILLISECONDS }
}

/** What is deleted by its age, a clock that has just jumped deletes too early. */
async function isClockRight({ clockWatch }: App): Promise<boolean> {
  await clockWatch?.compare()
  return clockWatch?.mayClaim() !== false
}

type Worker = { wake(): void; stop(): Promise<void> }

export async function startWorker(
  served: App,
  {
    quotes_kept_ms = QUOTES_KEPT_MILLISECONDS,
    heads,
    ...options
  }: { lease_ms?: number; quotes_kept_ms?: number; heads?: HeadsConfiguration } = {},
): Promise<Worker> {
  const app = { ...served, db: served.background }
  const now = app.clock.now()
  await putTasks(
    app.db,
    COMMON_TASKS.map((kind) => ({
      workspace: NO_WORKSPACE,
      kind,
      subject_id: NO_WORKSPACE,
      due_at: now,
    })),
  )
  const groups = taskGroupsOf(app, { quotes_kept_ms, heads })
  // Whatever a process with a wrong clock has put off.
  await limitDueTimes(app.db, now, atOnce(STANDING))
  const mayClaim = (): boolean => app.clockWatch?.mayClaim() ?? true
  const dueTimes = keepDueTimes(app.db, app.clock, {
    waits: waitsOf(groups.map(({ handlers }) => handlers)),
    mayLook: mayClaim,
    onError: (error) => {
      app.log.error({ error: describe(error) }, 'due times could not be looked at')
    },
  })
  const runners = groups.map(({ handlers, withVenues, concurrency }): TaskRunner =>
    runTasks(app.db, app.clock, {
      handlers,
      ...(concurrency === undefined ? {} : { concurrency }),
      mayClaim: () => mayClaim() && (!withVenues || app.lease.held),
      ...options,
      onError: (task, error) => {
        app.log.error(
          {
            task: task.kind,
            subject_id: task.subject_id,
            workspace: task.workspace,
            error: describe(error),
          },
          'task failed',
        )
      },
    }),
  )
  const wake = () => {
    for (const runner of runners) runner.wake()
  }
  const listening = listenForTasks(app.db, (kinds) => {
    for (const [index, { handlers }] of groups.entries())
      if (kinds?.some((kind) => kind in handlers) ?? true) runners[index]?.wake()
  })
  const hearing = [hearTransfers(app), hearOrders(app)].map((hear) => app.venues.listen(hear))
  hearing.push(app.lease.onChange(wake))
  return {
    wake,
    async stop() {
      for (const stopHearing of hearing) stopHearing()
      await dueTimes.stop()
      await listening.stop()
      await Promise.all(runners.map((runner) => runner.stop()))
    },
  }
}

const atOnce = (waits: LongestWaits): LongestWaits =>
  Object.fromEntries(Object.keys(waits).map((kind) => [kind, 0]))

/** Of every kind that the groups handle. */
const waitsOf = (groups: readonly Record<string, TaskHandler>[]): LongestWaits => ({
  ...Object.fromEntries(
    groups.flatMap((group) => Object.keys(group).map((kind) => [kind, WAIT_MILLISECONDS])),
  ),
  ...PATIENT,
  ...STANDING,
})

function describe(error: unknown): { name: string; message: string; stack: string | undefined } {
  return error instanceof Error
    ? { name: error.name, message: error.message, stack: error.stack }
    : { name: typeof error, message: String(error), stack: undefined }
}
