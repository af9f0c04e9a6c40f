/** For tests: a command of `npm run` is run, without a process of its own. */
import type { App } from './app.ts'
import type { Command, CommandContext } from './command.ts'

type Given = Pick<CommandContext, 'db' | 'clock' | 'args'> & Partial<CommandContext>

/** Its exit code and what it says. It asks nothing, and opens nothing. */
export async function runCommand(
  command: Command,
  given: Given,
): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = []
  const code = await command.run({
    env: {},
    key_file: undefined,
    say: (line) => void lines.push(line),
    open: async () => Promise.reject<App>(new Error('nothing is opened')),
    ask: async () => undefined,
    ...given,
  })
  return { code, lines }
}
