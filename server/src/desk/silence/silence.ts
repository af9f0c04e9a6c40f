/**
 * That a venue falls silent is the absence of an event: nothing that a venue does tells it. So a
 * task looks, and tells each turn once: the row that remembers it is stored with the event.
 */
import type { Clock } from '../../core/clock.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import type { Db, Reader } from '../../store/db.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { SILENT_AFTER_MILLISECONDS, silenceTurns, storeSilence } from '../../venues/index.ts'
import type { SilenceTurn } from '../../venues/index.ts'

export const SILENCE_TASK = 'watch_venues'

const WORKER = 'desk'
const LOOK_MILLISECONDS = 10_000

type SilenceApp = { db: Db; clock: Clock }
type Look = { now: number; mayBegin: boolean }

/**
 * Looks at the venues of all workspaces. A process that has just begun to look, or was away, tells
 * of no new silence: perhaps the venues were quiet because no process asked them.
 */
export function silenceTask(app: SilenceApp): TaskHandler {
  let watching = { since: 0, last: 0 }
  return async () => {
    const now = app.clock.now()
    const wasAway = Math.abs(now - watching.last) > SILENT_AFTER_MILLISECONDS
    watching = { since: wasAway ? now : watching.since, last: now }
    await tellTurns(app, { now, mayBegin: now - watching.since >= SILENT_AFTER_MILLISECONDS })
    return { again_at: now + LOOK_MILLISECONDS }
  }
}

async function tellTurns({ db, clock }: SilenceApp, look: Look): Promise<void> {
  const seen = new Set((await turnsNow()).map(({ workspace }) => workspace))
  for (const workspace of seen)
    await withFailpoints('desk.silence', workspace, () =>
      db.tx(async (tx) => {
        await lockLane(tx, workspace)
        const turns = await turnsNow(tx, workspace)
        for (const turn of turns) await storeSilence(tx, turn)
        const events = turns.filter(({ left }) => !left).map(eventOf)
        await publishEvents({ workspace, by: WORKER }, { tx, clock }, events)
      }),
    )

  async function turnsNow(reader: Reader = db, of?: WorkspaceId) {
    const turns = await silenceTurns(reader, look.now, of)
    return turns.filter(({ silent }) => look.mayBegin || !silent)
  }
}

const eventOf = ({ venue_id, silent, since }: SilenceTurn) => ({
  type: silent ? ('venue.fell_silent' as const) : ('venue.answered_again' as const),
  resource_id: venue_id,
  data: { since },
})
