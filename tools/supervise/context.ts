/** What the parts of a running Kontor share. */
import { spawn } from 'node:child_process'
import { watch as watchFiles } from 'node:fs'
import { keepAlive, type Child, type ChildPlan } from './child.ts'
import type { Notes } from './data-dir-lock.ts'
import { inherited } from '../setup/inherited.mjs'

/** Editors write a file in several strokes: one restart for all within this time. */
export const WATCH_MS = 200

export const say = (line: string): void => void process.stderr.write(`kontor: ${line}\n`)

/** A reason that is shown in one sentence, without a stack. */
export class Refusal extends Error {}

/** Ends one part. They run in the opposite order of the starts. */
export type Undo = () => Promise<void>

/**
 * Ends every part, whatever goes wrong with another: nothing is left running that nobody watches.
 * Answers whether all went well.
 */
export async function undoAll(steps: readonly Undo[]): Promise<boolean> {
  let ok = true
  for (const step of steps.toReversed())
    try {
      await step()
    } catch (error) {
      ok = false
      say(`a part did not end in order: ${error instanceof Error ? error.message : String(error)}`)
    }
  return ok
}

export type Context = {
  dataDir: string
  notes: Notes
  /** Settles when all is to end; with the reason when a part failed. */
  end: Promise<string | undefined>
  hasEnded: () => boolean
  watch: boolean
  undo: Undo[]
  fail: (why: string) => void
}

/** A child with the bookkeeping that all share. */
export function startChild(
  context: Context,
  plan: Pick<ChildPlan, 'name' | 'program' | 'flags' | 'env' | 'stopLimitMs'> & { sources: string },
): Child {
  const child = keepAlive({
    ...plan,
    started: (who) => context.notes.child(plan.name, who),
    ready: (_line, nth) => nth > 1 && say(`the ${plan.name} is ready again`),
    gaveUp: context.fail,
    say,
  })
  context.undo.push(() => child.stop())
  if (context.watch) {
    const watcher = watchFiles(plan.sources, { recursive: true }, restartSoon(child, plan.name))
    context.undo.push(async () => watcher.close())
  }
  return child
}

/** When one of our sources has changed. */
function restartSoon(child: Child, name: string): (event: string, file: string | null) => void {
  let timer: NodeJS.Timeout | undefined
  return (_event, file) => {
    if (file === null || !/\.(ts|sql|json)$/.test(file) || file.endsWith('.test.ts')) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      say(`${file} changed, starting the ${name} again`)
      child
        .restart()
        .catch((error: unknown) => say(`the ${name} could not be restarted: ${String(error)}`))
    }, WATCH_MS)
  }
}

/** Runs a program beside all else. Kontor runs without it as well: a failure is only shown. */
export function runOnce(
  context: Context,
  program: string,
  { env = {}, failure }: { env?: NodeJS.ProcessEnv; failure: (words: string) => string },
): Promise<void> {
  const child = spawn(process.execPath, [program], {
    // By its folder it is known whose it is.
    env: { ...inherited(), DATA_DIR: context.dataDir, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let words = ''
  child.stderr.on('data', (chunk) => {
    words += chunk
  })
  const ended = new Promise<void>((done) => {
    child
      .once('error', (error) => {
        words += error.message
      })
      .once('close', (code) => {
        if (code !== 0 && !context.hasEnded()) say(failure(words.trim()))
        done()
      })
  })
  context.undo.push(() => (child.kill(), ended))
  return ended
}
