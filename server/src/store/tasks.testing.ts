/** For tests: due work on a database of its own, with handlers that can be held. */
import { after, beforeEach } from 'node:test'
import { manualClock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { sql } from './sql.ts'
import { runTasks } from './task-runner.ts'
import type { TaskRunner } from './task-runner.ts'
import { putTasks } from './tasks.ts'
import type { TaskHandler } from './tasks.ts'
import { testDatabase } from './testing.ts'

type Row = { due_at: number; attempts: number; leased: boolean; last_error: string | null }

/** Every test begins with an empty table. */
export async function openDueWork() {
  const { db, drop, url } = await testDatabase()
  const clock = manualClock(1_000_000)
  const workspace = newId<WorkspaceId>()
  const runners: TaskRunner[] = []
  const doors: { open(): void }[] = []
  /** Also after a test that failed half-way: no handler is left behind a closed door. */
  async function stopAll(): Promise<void> {
    const stopped = runners.splice(0).map((runner) => runner.stop())
    for (const door of doors.splice(0)) door.open()
    await Promise.all(stopped)
  }
  after(async () => {
    await stopAll()
    await drop()
  })
  beforeEach(async () => {
    await stopAll()
    await db.query(sql`delete from tasks`)
  })
  return {
    db,
    url,
    clock,
    workspace,
    rows: () =>
      db.query<Row>(sql`
        select due_at, attempts, leased_until is not null as leased, last_error
        from tasks
        order by due_at`),
    put: (subject_id: string, due_at = clock.now()) =>
      putTasks(db, [{ workspace, kind: 'work', subject_id, due_at }]),
    run(
      handler: TaskHandler,
      more: { lease_ms?: number; concurrency?: number; mayClaim?: () => boolean } = {},
    ): { runner: TaskRunner; errors: string[] } {
      const errors: string[] = []
      const runner = runTasks(db, clock, {
        handlers: { work: handler },
        poll_ms: 10,
        onError: (_task, error) => {
          errors.push((error as Error).message)
        },
        ...more,
      })
      runners.push(runner)
      return { runner, errors }
    },
    /** A handler that waits at a door until it is let through. */
    door() {
      const waiting: (() => void)[] = []
      const made = {
        waiting,
        wait: () =>
          new Promise<void>((resolve) => {
            waiting.push(resolve)
          }),
        open() {
          for (const resolve of waiting.splice(0)) resolve()
        },
      }
      doors.push(made)
      return made
    },
  }
}
