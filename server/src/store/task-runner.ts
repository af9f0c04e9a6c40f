/** Runs due tasks, many at a time, and hears of new ones. */
import type pg from 'pg'
import type { Clock } from '../core/clock.ts'
import { NO_WORKSPACE } from '../core/ids.ts'
import { tracingInUse } from '../core/tracing.ts'
import type { Db } from './db.ts'
import { claimTasks, failTask, finishTask, releaseTask, renewTask, TASK_CHANNEL } from './tasks.ts'
import type { ClaimedTask, TaskHandler, TaskKey } from './tasks.ts'

const CONCURRENCY = 8
const LEASE_MILLISECONDS = 15_000
const POLL_MILLISECONDS = 500

type RunnerOptions = {
  handlers: Record<string, TaskHandler>
  concurrency?: number
  lease_ms?: number
  poll_ms?: number
  /** Whether due work may be claimed now; always when absent. */
  mayClaim?: () => boolean
  onError(task: TaskKey, error: unknown): void
}

export type TaskRunner = {
  /** Looks for due work now instead of at the next poll. */
  wake(): void
  /** Claims nothing more and waits for what runs. */
  stop(): Promise<void>
}

/**
 * Runs due tasks until stopped. Errors of a handler are reported, and the task is tried again with
 * growing pauses.
 */
export function runTasks(db: Db, clock: Clock, options: RunnerOptions): TaskRunner {
  return new Runner(db, clock, options)
}

class Runner implements TaskRunner {
  readonly #db: Db
  readonly #clock: Clock
  readonly #options: Required<RunnerOptions>
  /**
   * What this process does. It is never claimed again: a process that was asleep longer than its
   * leases must not take its own work for that of a dead one.
   */
  readonly #running = new Map<Promise<void>, TaskKey>()
  readonly #ended: Promise<unknown>
  #stopped = false
  #woken = false
  #endPause: () => void = () => undefined
  #claims = 0

  constructor(
    db: Db,
    clock: Clock,
    {
      concurrency = CONCURRENCY,
      lease_ms = LEASE_MILLISECONDS,
      poll_ms = POLL_MILLISECONDS,
      mayClaim = () => true,
      ...options
    }: RunnerOptions,
  ) {
    this.#db = db
    this.#clock = clock
    this.#options = { ...options, concurrency, lease_ms, poll_ms, mayClaim }
    this.#ended = this.#loop()
  }

  readonly #tracing = tracingInUse()

  wake(): void {
    this.#woken = true
    this.#endPause()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#endPause()
    await this.#ended
  }

  async #loop(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = false
      const claimed = await this.#claim()
      for (const task of claimed) this.#begin(task)
      if (claimed.length === 0 && !this.#stopped) await this.#pause()
    }
    await Promise.all(this.#running.keys())
  }

  /**
   * Every other claim takes the latest due first. So a task that has just become due need not wait
   * behind a backlog (of a venue that was down), and the backlog still gets half of the work.
   */
  async #claim(): Promise<ClaimedTask[]> {
    const { handlers, concurrency, lease_ms, mayClaim, onError } = this.#options
    const count = concurrency - this.#running.size
    if (count <= 0 || !mayClaim()) return []
    this.#claims += 1
    try {
      return await claimTasks(this.#db, this.#clock, {
        kinds: Object.keys(handlers),
        count,
        lease_ms,
        first: this.#claims % 2 === 1 ? 'oldest' : 'latest',
        own: [...this.#running.values()],
      })
    } catch (error) {
      onError({ workspace: NO_WORKSPACE, kind: 'claim', subject_id: '' }, error)
      return []
    }
  }

  #begin(task: ClaimedTask): void {
    // Stopped while the claim was on its way: another process need not wait for the lease to end.
    const work = this.#stopped ? this.#release(task) : this.#work(task)
    const run: Promise<void> = work.finally(() => {
      this.#running.delete(run)
      this.wake()
    })
    this.#running.set(run, task)
  }

  async #work(task: ClaimedTask): Promise<void> {
    const { handlers, lease_ms, onError } = this.#options
    const report = (error: unknown): void => {
      onError(task, error)
    }
    const heartbeat = setInterval(() => {
      renewTask(this.#db, task, lease_ms).catch(report)
    }, lease_ms / 3)
    try {
      const handler = handlers[task.kind]
      if (handler === undefined) throw new Error(`no handler for task ${task.kind}`)
      const { kind, subject_id, workspace } = task
      const attributes = {
        'kontor.task': kind,
        'kontor.subject': subject_id,
        'kontor.workspace': workspace,
      }
      const next = await (this.#tracing === undefined
        ? handler(task)
        : this.#tracing.during({ name: `task ${kind}`, attributes }, () => handler(task)))
      await finishTask(this.#db, task, next)
    } catch (error) {
      report(error)
      await failTask(this.#db, this.#clock, task, error).catch(report)
    } finally {
      clearInterval(heartbeat)
    }
  }

  async #release(task: ClaimedTask): Promise<void> {
    await releaseTask(this.#db, task).catch((error: unknown) => {
      this.#options.onError(task, error)
    })
  }

  /** Until the next poll, or until somebody wakes it; not at all when that has happened already. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#woken ? 0 : this.#options.poll_ms)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

const LISTEN_AGAIN_MILLISECONDS = 1_000

/**
 * Calls `wake` with the kinds of tasks that any process has put; without kinds when they cannot be
 * known. Only a hint: the poll finds what a lost connection does not report.
 */
export function listenForTasks(
  db: Db,
  wake: (kinds: readonly string[] | undefined) => void,
): { stop(): Promise<void> } {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let current: Promise<{ end(): Promise<void> } | undefined> = listen()

  async function listen(): Promise<{ end(): Promise<void> } | undefined> {
    let lost = false
    const again = () => {
      if (lost || stopped) return
      lost = true
      timer = setTimeout(() => {
        current = listen()
      }, LISTEN_AGAIN_MILLISECONDS)
    }
    let client: pg.Client | undefined
    try {
      client = await db.connect()
      client.on('error', again)
      client.on('end', again)
      client.on('notification', ({ payload = '' }) => {
        wake(payload === '' ? undefined : payload.split(','))
      })
      await client.query(`listen ${TASK_CHANNEL}`)
      wake(undefined)
      return client
    } catch {
      again()
      // One that did not answer is not left behind.
      client?.end().catch(() => undefined)
      return undefined
    }
  }

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await (await current)?.end()
    },
  }
}
