/** The standing tasks of chains and heads: one of each for all workspaces. */
import { chainSecurityLog } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import type { Mailer } from '../events/index.ts'
import { chainEvents } from '../ledger/index.ts'
import type { Db } from '../store/db.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { deliverHeads } from './deliveries.ts'
import { makeHeads } from './heads.ts'
import { openKey } from './keys.ts'
import type { HeadsPlace } from './place.ts'

export const CHAIN_TASK = 'extend_chains'
export const HEADS_TASK = 'keep_heads'

const CHAIN_MILLISECONDS = 10_000
const HEADS_MILLISECONDS = 600_000
const WRONG_CLOCK_MILLISECONDS = 60_000

type TasksApp = {
  db: Db
  clock: Clock
  clockWatch?: { compare(): Promise<unknown>; mayClaim(): boolean } | undefined
  mailer: Mailer | undefined
  log: { warn(fields: object, message: string): void }
}

export type HeadsConfiguration = HeadsPlace & { recipients: readonly string[] }

/** Without a place for them no heads are made. */
export function headTasks(
  app: TasksApp,
  configuration: HeadsConfiguration | undefined,
): Record<typeof CHAIN_TASK | typeof HEADS_TASK, TaskHandler> {
  const { clock } = app
  return {
    [CHAIN_TASK]: async () => {
      await chainEvents(app)
      await chainSecurityLog(app)
      return { again_at: clock.now() + CHAIN_MILLISECONDS }
    },
    [HEADS_TASK]: async () => {
      // A head of tomorrow would stand in the way of tomorrow's.
      await app.clockWatch?.compare()
      if (app.clockWatch?.mayClaim() === false)
        return { again_at: clock.now() + WRONG_CLOCK_MILLISECONDS }
      if (configuration !== undefined) await keepHeads(app, configuration)
      return { again_at: clock.now() + HEADS_MILLISECONDS }
    },
  }
}

async function keepHeads(app: TasksApp, configuration: HeadsConfiguration): Promise<void> {
  const { folder, key, recipients } = configuration
  try {
    await makeHeads(app, await openKey(key), recipients)
  } finally {
    await deliverHeads(app, folder)
  }
}
