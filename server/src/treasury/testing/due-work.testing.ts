/** For tests: the tasks of treasury, done when the test says. */
import { sql } from '../../store/sql.ts'
import { treasuryTasks } from '../index.ts'
import type { Workplace } from './venue.fixture.ts'

export function dueWork({ app, db, clock, workspace }: Workplace) {
  const handlers = treasuryTasks(app)
  /** Does what is due until nothing is. */
  async function work(): Promise<void> {
    for (let rounds = 0; rounds < 100; rounds += 1) {
      const [task] = await db.query<{ kind: string; subject_id: string }>(
        sql`
          select kind, subject_id
          from tasks
          where due_at <= ${clock.now()}
            and kind = any(${Object.keys(handlers)})
          order by due_at, kind, subject_id
          limit 1`,
      )
      if (task === undefined) return
      const result = await handlers[task.kind]?.({ workspace, attempts: 1, ...task })
      if (result === 'done')
        await db.query(
          sql`
            delete from tasks
            where kind = ${task.kind}
              and subject_id = ${task.subject_id}`,
        )
      else
        await db.query(
          sql`
            update tasks
            set due_at = ${result?.again_at ?? 0}
            where kind = ${task.kind}
              and subject_id = ${task.subject_id}`,
        )
    }
    throw new Error('due work does not end')
  }
  return {
    work,
    later: async (milliseconds: number): Promise<void> => {
      clock.advance(milliseconds)
      await work()
    },
  }
}
