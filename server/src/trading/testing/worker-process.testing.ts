/** For tests: a process that works on an execution at Kraken, and may be killed at a failpoint. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { WITH_FAILPOINTS } from '../../core/testing.ts'
import type { SandboxProcess } from '../../venues/sandbox-process.testing.ts'
import type { WorkerTask } from './kraken.fixture.ts'
import type { World } from './trading.fixture.ts'

/** `ahead_ms`: how far its clock is ahead. `watch`: it watches the stops until none waits. */
type WorkerOptions = { ahead_ms?: number; failpoint?: string; watch?: boolean }

/** Answers its exit code, or the signal that ended it. */
export async function runWorker(
  { sandbox, world }: { sandbox: SandboxProcess; world: World },
  execution_id: string,
  { ahead_ms = 0, failpoint, watch = false }: WorkerOptions = {},
): Promise<string | number | null> {
  const { venue } = await world.app.venues.connect(world.workspace, world.venue_id)
  const { api_key, api_secret } = JSON.parse(await sandbox.credential('kraken.json')) as Pick<
    WorkerTask,
    'api_key' | 'api_secret'
  >
  const task: WorkerTask = {
    database_url: world.database.url,
    sandbox_url: sandbox.url,
    api_key,
    api_secret,
    workspace: world.workspace,
    execution_id,
    venue,
    ahead_ms,
    watch,
  }
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
