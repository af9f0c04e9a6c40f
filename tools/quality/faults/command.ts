/** A command, as a person runs it beside the service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { within } from './patience.ts'

const COMMAND = new URL('../../setup/command.mjs', import.meta.url).pathname
/** Longer than after-restore walks. */
const LONGEST_MILLISECONDS = 600_000

export type Ended = { code: number; out: string }

/** `env` is added to that of this process. */
export async function runCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const child = spawn(process.execPath, [COMMAND, ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk))
  const closed = once(child, 'close') as Promise<[number | null]>
  try {
    const [code] = await within(
      `the end of npm run ${words.join(' ')}`,
      LONGEST_MILLISECONDS,
      closed,
    )
    return { code: code ?? -1, out }
  } catch (error) {
    child.kill('SIGKILL')
    throw new Error(`${String(error)}; it said: ${out}`, { cause: error })
  }
}
