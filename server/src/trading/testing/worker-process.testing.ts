/** For tests: a process that works on an execution, and may be killed at a failpoint. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { WITH_FAILPOINTS } from '../../core/testing.ts'
import type { WorkerTask } from './kraken.fixture.ts'

/** Answers its exit code, or the signal that ended it. */
export async function runWorker(
  task: WorkerTask,
  failpoint?: string,
): Promise<string | number | null> {
  const program = new URL('kraken.fixture.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [...WITH_FAILPOINTS, program, JSON.stringify(task)], {
    env: {
      ...process.env,
      ...(failpoint === undefined ? {} : { KONTOR_FAILPOINT: failpoint }),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return signal ?? code
}
