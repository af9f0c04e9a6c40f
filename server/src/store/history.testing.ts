/** For tests: the history of a database, without a folder until a test starts it with one. */
import type { Clock } from '../core/clock.ts'
import type { Db, Tx } from './db.ts'
import { openHistory } from './history.ts'
import type { History } from './history.ts'

type Started = {
  folder?: string
  clockFault?(): string | undefined
  onSetBack?(tx: Tx, reason: string): Promise<void>
}

export const testHistory = (
  db: Db,
  clock: Clock,
  { folder, clockFault, onSetBack }: Started = {},
): History =>
  openHistory({
    db,
    clock,
    log: { error: () => undefined },
    onSetBack: onSetBack ?? (async () => undefined),
    ...(folder === undefined ? {} : { folder }),
    ...(clockFault === undefined ? {} : { clockFault }),
  })
