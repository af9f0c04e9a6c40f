// A lock file that survives kill -9: it names its owner, and an owner that is no longer alive
// holds nothing. Plain JavaScript, because set-up takes it on whatever Node the machine has, before
// TypeScript can run.
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * A process, told apart from a later one with the same id.
 * @typedef {{ pid: number, born: string }} Identity
 *
 * @typedef {Identity & { [note: string]: unknown }} Owner
 *
 * `note` writes facts beside the owner's id, `dead` is the owner whose lock we took over.
 * @typedef {{
 *   note(more: Record<string, unknown>): Promise<void>,
 *   release(): Promise<void>,
 *   dead: Owner | undefined,
 * }} Held
 */

/** Which start of the process this is; undefined when there is none. @param {number} pid */
function born(pid) {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (fields[0] === 'Z' || fields[0] === 'X') return undefined
      return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ESRCH')) return undefined
      throw error
    }
  }
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return undefined
    if (!hasCode(error, 'EPERM')) throw error
  }
  try {
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() ||
      undefined
    )
  } catch {
    return undefined // ps exits 1 when the process went away meanwhile
  }
}

/** @param {unknown} error @param {...string} codes */
function hasCode(error, ...codes) {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/**
 * The identity of a running process, or undefined.
 * @param {number} pid @returns {Identity | undefined}
 */
export function identify(pid) {
  const start = born(pid)
  return start === undefined ? undefined : { pid, born: start }
}

/** @param {Identity} who */
export function isAlive(who) {
  return born(who.pid) === who.born
}

/** @param {string} path @returns {Promise<Owner | undefined>} */
async function readOwner(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    // Torn by a power cut: it names no owner.
    if (error instanceof SyntaxError) return { pid: 0, born: '' }
    throw error
  }
}

/**
 * Takes the lock at `path`. While another living process holds it, `onBusy` is called about 20
 * times a second; it throws to give up. Without `onBusy` the wait has no end.
 * @param {string} path
 * @param {(owner: Owner) => void} [onBusy]
 * @returns {Promise<Held>}
 */
export async function takeLock(path, onBusy) {
  const me = identify(process.pid) ?? { pid: process.pid, born: '' }
  const mine = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  /** @type {Owner | undefined} */
  let dead
  await writeFile(mine, JSON.stringify(me), { mode: 0o600 })
  try {
    for (;;) {
      try {
        await link(mine, path)
        break
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error
      }
      const owner = await readOwner(path)
      if (owner === undefined) continue
      if (isAlive(owner)) {
        onBusy?.(owner)
        await pause(50)
        continue
      }
      // Two may find the same dead owner. So the file that was moved away is read again, and the
      // file of a living owner is put back.
      const moved = `${mine}.dead`
      try {
        await rename(path, moved)
      } catch (error) {
        if (hasCode(error, 'ENOENT')) continue
        throw error
      }
      const was = await readOwner(moved)
      if (was !== undefined && isAlive(was)) await link(moved, path)
      else dead = was
      await rm(moved, { force: true })
    }
  } finally {
    await rm(mine, { force: true })
  }
  return {
    dead,
    async note(more) {
      await writeFile(mine, JSON.stringify({ ...more, ...me }), { mode: 0o600 })
      await rename(mine, path)
    },
    async release() {
      await rm(path, { force: true })
    },
  }
}
