/** The server as a process: found by its pid file, ended, and watched. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { identify, isAlive, type Identity } from '../core/file-lock.mjs'
import { clusterFolder } from './embedded-place.ts'
import type { Place } from './embedded-place.ts'

const STOP_LIMIT_MS = 60_000
const POLL_MS = 20
const WATCH_MS = 250

/** The server on our cluster, by its own pid file. Clears away what a dead one left behind. */
export async function findRunning(place: Place): Promise<Identity | undefined> {
  const file = join(clusterFolder(place), 'postmaster.pid')
  if (existsSync(file)) {
    const pid = Number((await readFile(file, 'utf8')).split('\n')[0])
    const who = identify(pid)
    if (who !== undefined && isOurs(place, pid)) return who
    await endLeftovers(place)
    // Its pid belongs to another process now, which PostgreSQL would take for a server.
    await rm(file, { force: true })
  } else await endLeftovers(place)
  return undefined
}

function isOurs(place: Place, pid: number): boolean {
  if (process.platform !== 'linux') return true
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === clusterFolder(place)
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}

function isGone(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['ENOENT', 'ESRCH', 'EACCES'].includes(String(error.code))
  )
}

/**
 * Backends outlive a killed postmaster by the statement that they are in, and keep a new server
 * from starting.
 */
async function endLeftovers(place: Place): Promise<void> {
  if (process.platform !== 'linux') return
  const left = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOurs(place, Number(name)))
    .flatMap((name) => identify(Number(name)) ?? [])
  for (const who of left) signal(who, 'SIGKILL')
  for (const who of left) while (isAlive(who)) await pause(POLL_MS)
}

function signal(who: Identity, name: NodeJS.Signals): void {
  if (!isAlive(who)) return
  try {
    process.kill(who.pid, name)
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

/** Fast shutdown: sessions are cut off, everything acknowledged is kept. */
export async function stopServer(who: Identity): Promise<void> {
  signal(who, 'SIGINT')
  const limit = Date.now() + STOP_LIMIT_MS
  while (isAlive(who) && Date.now() < limit) await pause(POLL_MS)
  // Only if it still lives; it recovers from its log at the next start.
  signal(who, 'SIGQUIT')
  while (isAlive(who)) await pause(POLL_MS)
}

/** Settles when the server has ended. An adopted server is not our child, so all are polled. */
export async function waitForExit(who: Identity): Promise<void> {
  while (isAlive(who)) await pause(WATCH_MS, undefined, { ref: false })
}
