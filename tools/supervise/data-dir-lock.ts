/**
 * There is one supervisor per DATA_DIR: the lock there names it and its children, and the next one
 * takes over from a dead one.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  identify,
  isAlive,
  takeLock,
  type Held,
  type Identity,
  type Owner,
} from '../../server/src/core/file-lock.mjs'
import { Refusal, say } from './context.ts'

/** How long a start waits for the ending of the one before it. */
const HAND_OVER_MS = 60_000
/**
 * How long another Kontor may look well before a start beside it is refused: a killed npm is
 * noticed a little later.
 */
const REFUSE_AFTER_MS = 1_500
/** Children of a dead supervisor end by themselves; after this they are killed. */
const ORPHAN_MS = 15_000

export type Notes = {
  child(name: string, who: Identity | undefined): Promise<void>
  ending(): Promise<void>
}

/**
 * Writes into the lock what the next start has to know when this process is killed. Best effort: a
 * full disk keeps nothing from being started, watched or ended.
 */
export function noteKeeper(lock: Pick<Held, 'note'>): Notes {
  const children: Record<string, Identity> = {}
  let ending = false
  let last = Promise.resolve()
  const npm = process.env['npm_lifecycle_event'] === undefined ? undefined : identify(process.ppid)
  let isShown = false
  const write = (): Promise<void> =>
    (last = last
      .then(() => lock.note({ ending, npm, children }))
      .catch((error: unknown) => {
        if (!isShown) say(`the lock could not be written: ${String(error)}`)
        isShown = true
      }))
  return {
    child(name, who) {
      if (who !== undefined) children[name] = who
      return write()
    },
    ending() {
      ending = true
      return write()
    },
  }
}

/**
 * The lock in DATA_DIR, when its owner is dead or ending. Throws a Refusal when another Kontor runs
 * there.
 */
export async function takeOver(dataDir: string, ending: AbortSignal): Promise<Held> {
  const startedAt = Date.now()
  let isShown = false
  const lock = await takeLock(join(dataDir, 'kontor.lock'), (owner) => {
    ending.throwIfAborted()
    // Its npm was killed: it notices, and ends.
    const leaving = owner['ending'] === true || (isIdentity(owner['npm']) && !isAlive(owner['npm']))
    if (Date.now() - startedAt > (leaving ? HAND_OVER_MS : REFUSE_AFTER_MS)) {
      throw new Refusal(
        `Kontor already runs on ${dataDir} (process ${owner.pid}). Stop that one first, or ` +
          'set another DATA_DIR and PORT.',
      )
    }
    if (leaving && !isShown) say('the Kontor before this one is still ending, waiting for it')
    isShown ||= leaving
  })
  if (lock.dead !== undefined) await endOrphans(lock.dead)
  return lock
}

async function endOrphans(dead: Owner): Promise<void> {
  const children = Object.values(dead['children'] ?? {}).filter(isIdentity)
  const limit = Date.now() + ORPHAN_MS
  for (const child of children) {
    while (isAlive(child) && Date.now() < limit) await pause(20)
    if (isAlive(child)) process.kill(child.pid, 'SIGKILL')
  }
}

function isIdentity(value: unknown): value is Identity {
  return typeof value === 'object' && value !== null && 'pid' in value && 'born' in value
}
