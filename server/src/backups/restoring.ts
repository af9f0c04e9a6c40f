/** Puts a backup in the place of the embedded database. What stood there is kept. */
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { isAlive, takeLock } from '../core/file-lock.mjs'
import type { Held, Identity } from '../core/file-lock.mjs'
import { count, UsageError } from '../core/usage.ts'
import { replaceCluster, takePasswordsOf } from '../store/embedded.ts'
import type { Head } from './backups.schema.ts'
import { withCopy } from './beside.ts'
import type { Unpacking } from './beside.ts'
import { timeInName } from './folders.ts'
import { examine } from './heads.ts'

type Restored = {
  books: Head[]
  /** By these keys something in it is wrapped. */
  wrapped_by: string[]
  /** Where the old database lies now, if there was one. */
  kept: string | undefined
}

type Restoring = {
  dataDir: string
  clock: Clock
  unpacking: Omit<Unpacking, 'durable'>
  /** Nothing is replayed beyond the backup. */
  isWhole: boolean
}

/**
 * The copy is made and verified beside, with passwords of this place, before anything of the old
 * database is touched. A kill at any moment leaves the old one or the new one, whole.
 */
export async function restore(restoring: Restoring): Promise<Restored> {
  const { dataDir, clock, unpacking, isWhole } = restoring
  await mkdir(dataDir, { recursive: true })
  const lock = await takePlace(dataDir)
  const dir = join(await realpath(dataDir), 'postgres')
  try {
    return await withCopy(
      dataDir,
      { ...unpacking, durable: true },
      async (server): Promise<Restored> => {
        const { manifest } = unpacking.backup
        const { books, faults, wrapped_by } = await examine(server.serviceUrl, manifest, {
          isWhole,
        })
        if (faults.length > 0)
          throw new UsageError(
            `nothing was restored: ${[count(faults.length, 'fault'), ...faults].join('\n  ')}`,
          )
        await takePasswordsOf(dir, server)
        return { books, wrapped_by, kept: undefined }
      },
      async (cluster, restored) => {
        const aside = `cluster.before-${timeInName(clock.now())}`
        return { ...restored, kept: await replaceCluster(dir, cluster, aside) }
      },
    )
  } finally {
    await lock.release()
  }
}

/** As a start takes it: no Kontor runs here, and none starts meanwhile. */
async function takePlace(dataDir: string): Promise<Held> {
  const lock = await takeLock(join(dataDir, 'kontor.lock'), ({ pid }) => {
    throw new UsageError(`Kontor runs on ${dataDir} (process ${pid}): stop it first`)
  })
  const children = Object.values((lock.dead?.['children'] ?? {}) as Record<string, Identity>)
  const alive = children.find(isAlive)
  if (alive === undefined) return lock
  await lock.release()
  throw new UsageError(
    `a Kontor that was killed on ${dataDir} is still ending (process ${alive.pid}): try again`,
  )
}
