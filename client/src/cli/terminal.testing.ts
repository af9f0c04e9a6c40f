/** For tests: `kontor …` with everything that it writes, in a home of its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { run } from './run.ts'

type Ran = { exit: number; out: string; notes: string }

type Typed = {
  env?: Record<string, string>
  answers?: readonly string[]
  input?: string
  /** Called with each piece that is written. */
  written?(piece: string, leave: () => void): void
}

type CommandLine = {
  home: string
  kontor(args: readonly string[], typed?: Typed): Promise<Ran>
}

export async function commandLine(
  t: TestContext,
  common: Record<string, string> = {},
): Promise<CommandLine> {
  const home = await mkdtemp(join(tmpdir(), 'kontor-cli-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  return {
    home,
    async kontor(args, { env = {}, answers = [], input = '', written } = {}) {
      let out = ''
      let notes = ''
      const left = [...answers]
      const leaving = new AbortController()
      const write = async (text: string) => {
        out += text
        written?.(text, () => {
          leaving.abort()
        })
      }
      const exit = await run(args, {
        env: { HOME: home, ...common, ...env },
        write,
        print: (line) => write(`${line}\n`),
        note: (line) => {
          notes += `${line}\n`
        },
        input: async () => input,
        async *lines() {
          yield* input.split('\n')
        },
        ask: async (question) => {
          notes += question
          return left.shift() ?? ''
        },
        columns: 100,
        leaving: leaving.signal,
      })
      return { exit, out, notes }
    },
  }
}
