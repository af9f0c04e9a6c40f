/**
 * How a batch ends without being submitted: somebody gives it up, or its time is over. Either way
 * what it still blocks is released in the commit that moves it, so it is released once, whoever
 * else submits, gives up or releases at that moment.
 */
import { refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import type { BatchId } from '../../core/ids.ts'
import { canMove, move } from '../../core/moves.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { assertVersion, commitWithReply, openHoldsOf, retryOnStale } from '../../ledger/index.ts'
import type { Change, Guard } from '../../ledger/index.ts'
import type { TaskHandler, TaskResult } from '../../store/tasks.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { BATCH_REQUEST_MOVES } from './batches.schema.ts'
import type { Batch, GiveUpBatchBody } from './batches.schema.ts'
import { batchById, batchEvent, requestsOf } from './rows.ts'

/** Refused: 4004, STATE_NOT_ALLOWED, STALE_VERSION. */
export function giveUpBatch(
  caller: Caller,
  app: TreasuryApp,
  batch_id: BatchId,
  { version }: GiveUpBatchBody,
): Promise<Batch> {
  const { workspace, idempotency, by } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const batch = await batchById(app.db, workspace, batch_id)
      assertVersion('batch', batch, version)
      if (!canMove(BATCH_REQUEST_MOVES, batch.state, 'GIVEN_UP'))
        throw refuse('STATE_NOT_ALLOWED', '', `batch ${batch_id} is ${batch.state}, not PREPARED`)
      const ended = await endOf(app, batch, 'GIVEN_UP', by)
      return withFailpoints('batch.give_up', batch_id, () =>
        commitWithReply(app.lane, caller, { ...ended.change, class: 'command' }, ended.batch),
      )
    }),
  )
}

export const batchExpiryTask =
  (app: TreasuryApp): TaskHandler =>
  ({ workspace, subject_id }) =>
    retryOnStale(async (): Promise<TaskResult> => {
      const batch = await batchById(app.db, workspace, subject_id as BatchId)
      if (!canMove(BATCH_REQUEST_MOVES, batch.state, 'EXPIRED')) return 'done'
      if (app.clock.now() < batch.expires_at) return { again_at: batch.expires_at }
      const { change } = await endOf(app, batch, 'EXPIRED', TREASURY_WORKER)
      await app.lane.commit({ ...change, class: 'fact' })
      return 'done'
    })

async function endOf(
  app: TreasuryApp,
  batch: Batch,
  to: 'GIVEN_UP' | 'EXPIRED',
  by: string,
): Promise<{ batch: Batch; change: Omit<Change, 'class'> }> {
  const { workspace, id, version } = batch
  const live = (await requestsOf(app.db, batch)).filter(({ state }) => state === 'PREPARED')
  const holds = await openHoldsOf(
    app.db,
    workspace,
    live.map((request) => request.id),
  )
  const moved = move(BATCH_REQUEST_MOVES, 'PREPARED', to)
  const guards = [
    { table: 'withdrawal_batches', resource: 'batch', id, version, ...moved },
    ...live.map((request): Guard => ({
      table: 'batch_requests',
      resource: 'batch request',
      id: request.id,
      version: request.version,
      ...moved,
    })),
  ]
  const ended: Batch = {
    ...batch,
    state: to,
    system_updated_at: app.clock.now(),
    system_updated_by: by,
    version: version + 1,
  }
  return {
    batch: ended,
    change: {
      workspace,
      by,
      guards,
      ledger: holds.map((hold) => ({ step: 'release', hold_id: hold.id })),
      events: [batchEvent(to === 'GIVEN_UP' ? 'given_up' : 'expired', ended)],
    },
  }
}
