/** On a disk that is nearly full money does not move; then it goes on by itself. */
import type { Clock } from './core/clock.ts'
import { releaseOwnHalts, setOwnHalts, WATCHES } from './ledger/index.ts'
import type { Db } from './store/db.ts'
import type { DiskWatch } from './store/disk-watch.ts'

const LOOK_MILLISECONDS = 10_000

type DiskApp = {
  db: Db
  clock: Clock
  diskWatch: DiskWatch
  log: { error(fields: object, message: string): void }
}

/** Looks, and sets or releases the halts. `before`: whether there was enough at the last look. */
export async function haltByDisk(
  { db, clock, diskWatch }: DiskApp,
  before: boolean | undefined,
): Promise<boolean> {
  await diskWatch.look()
  const shortage = diskWatch.shortage()
  // Who only hears of the disk does not release what others have seen.
  const by = diskWatch.watches ? WATCHES.disk : WATCHES.report
  if (shortage !== undefined) await setOwnHalts({ db, clock }, by, shortage)
  else if (before !== true)
    await releaseOwnHalts({ db, clock }, by, 'the disk of the database has space again')
  return shortage === undefined
}

/** Looks every ten seconds until stopped. */
export function keepDiskHalts(app: DiskApp): { stop(): Promise<void> } {
  let enough: boolean | undefined
  let looking: Promise<void> | undefined
  const look = async (): Promise<void> => {
    try {
      enough = await haltByDisk(app, enough)
    } catch (error) {
      enough = undefined
      app.log.error({ error: String(error) }, 'the space of the database could not be looked at')
    }
  }
  const turn = (): void => {
    looking ??= look().finally(() => {
      looking = undefined
    })
  }
  turn()
  const timer = setInterval(turn, LOOK_MILLISECONDS)
  return {
    async stop() {
      clearInterval(timer)
      await looking
    },
  }
}
