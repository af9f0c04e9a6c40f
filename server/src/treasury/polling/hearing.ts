/** A venue that says by itself that something arrived or left is read before its next turn. */
import { hastenTasks } from '../../store/tasks.ts'
import { readingPace } from '../../venues/index.ts'
import type { HearVenue } from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { POLL_TASK } from '../tasks.ts'

type HearingParts = Pick<TreasuryApp, 'db' | 'clock'> & {
  log: { error(details: object, message: string): void }
}

/** A venue whose opening balance is not known yet has no such task, and is not read. */
export function hearTransfers({ db, clock, log }: HearingParts): HearVenue {
  const nextReading = readingPace()
  return ({ workspace, id }, { about }, every_ms) => {
    const due_at = about === 'ORDER' ? undefined : nextReading(id, clock.now(), every_ms)
    if (due_at === undefined) return
    hastenTasks(db, [{ workspace, kind: POLL_TASK, subject_id: id, due_at }]).catch(
      (error: unknown) => {
        log.error({ venue_id: id, error: String(error) }, "a venue's news were not followed")
      },
    )
  }
}
