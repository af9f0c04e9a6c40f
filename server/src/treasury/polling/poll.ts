/**
 * The task that reads a venue, from its connection on: first what left (outgoing.ts), then what
 * arrived (incoming.ts). It comes back every ten seconds. A message that the venue pushes only
 * makes it due earlier.
 */
import { nextPollAt } from '../../store/tasks.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { isUnreachable, venueById } from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { pollIncoming } from './incoming.ts'
import { pollOutgoing } from './outgoing.ts'

const POLL_MILLISECONDS = 10_000

/** Subject: the venue. */
export const pollTask =
  (app: TreasuryApp): TaskHandler =>
  async ({ workspace, subject_id }) => {
    const again = { again_at: nextPollAt({ subject_id }, app.clock.now(), POLL_MILLISECONDS) }
    try {
      if ((await venueById(app.db, workspace, subject_id)).state === 'DISABLED') return 'done'
      // What left comes first: an own transfer is known when it arrives.
      const trouble = await pollOutgoing(app, workspace, subject_id).then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      // A failure there does not keep deposits waiting.
      await pollIncoming(app, workspace, subject_id)
      if (trouble !== undefined) throw trouble.error
      return again
    } catch (error) {
      // The next reading continues where this one began. That the venue is down is its own state.
      if (isUnreachable(error)) return again
      throw error
    }
  }
