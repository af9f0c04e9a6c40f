/** The pools of connections of a process, one for requests and one for work in the background. */
import type { Waits } from './core/waits.ts'
import { openDb } from './store/db.ts'
import type { Db } from './store/db.ts'
import type { DiskWatch } from './store/disk-watch.ts'

const MAXIMUM_CONNECTIONS = 5

/** Nobody waits for what is read in the background, and some of it reads much. */
export const BACKGROUND_MILLISECONDS = 120_000

type Connection = { url: string; role?: string }

type PoolOptions = Connection & {
  maximumConnections?: number
  diskWatch: DiskWatch
  waits: Waits
}

export const connectionOf = ({ url, role }: Connection): Connection => ({
  url,
  ...(role === undefined ? {} : { role }),
})

export const openPool = (
  { maximumConnections = MAXIMUM_CONNECTIONS, diskWatch, waits, ...options }: PoolOptions,
  statementMilliseconds?: number,
): Db =>
  openDb({
    ...connectionOf(options),
    maximumConnections,
    waits,
    onFailure: (error) => {
      diskWatch.hear(error)
    },
    ...(statementMilliseconds === undefined ? {} : { statementMilliseconds }),
  })
