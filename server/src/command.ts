/** What a command of an operator is, and what it works with. */
import { userInfo } from 'node:os'
import type { App } from './app.ts'
import type { Clock } from './core/clock.ts'
import type { Db } from './store/db.ts'

export type CommandContext = {
  db: Db
  clock: Clock
  args: readonly string[]
  /** The environment, with DATA_DIR named. */
  env: Readonly<Record<string, string | undefined>>
  /** Holds the key that wraps others; absent where nothing names it. */
  key_file: string | undefined
  /** Where banks that name no folders have theirs; absent where nothing names it. */
  bank_folders?: string | undefined
  say(line: string): void
  /** The whole service, without its server and its workers. */
  open(): Promise<App>
  /** What a person answers; undefined where nobody can. */
  ask(question: string): Promise<string | undefined>
}

/** Answers the exit code. */
export type Command = { usage: string; run(context: CommandContext): Promise<number> }

/** Who runs it, as the security log names them: a user of the machine. */
export function operator(): string {
  try {
    return `operator ${userInfo().username}`
  } catch {
    // In a container a user may have no name.
    return `operator ${process.getuid?.()}`
  }
}
