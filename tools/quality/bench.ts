/**
 * `npm run bench`: a Kontor of its own in a temporary folder, with the durable database, and the
 * comparisons against it. The last line tells the memory of the service beforehand, at once
 * afterwards, and when it has been left alone for a minute.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../server/src/store/ports.ts'
import { leaveNothing, npmStart, partsOf, superUrlOf } from '../supervise/running.ts'
import { ROOT } from '../setup/setup.mjs'
import { residentMegabytes } from './memory.mjs'

const REST_MILLISECONDS = 60_000

const dataDir = await mkdtemp(join(tmpdir(), 'kontor-bench-'))
const port = await freePort()
const inspectPort = await freePort()
const password = 'bench-password-of-this-run'
// The port is used only by a process that is told to open its inspector.
const started = npmStart({
  root: ROOT,
  dataDir,
  port,
  env: {
    KONTOR_ADMIN_PASSWORD: password,
    LOG_LEVEL: 'warn',
    // What is measured is Kontor, not the limits of a small account.
    SANDBOX_TIER: 'AGREED',
    NODE_OPTIONS: `--inspect-port=${inspectPort}`,
  },
})
let code = 1
try {
  await started.ready
  const databaseUrl = new URL(superUrlOf(dataDir))
  databaseUrl.pathname = '/kontor'
  const sandboxPort = (await readFile(join(dataDir, 'sandbox/port'), 'utf8')).trim()
  const { service, sandbox, postmaster } = partsOf(dataDir)
  const before = residentMegabytes(service.pid)
  const bench = spawn(
    process.execPath,
    [join(ROOT, 'bench/src/main.ts'), ...process.argv.slice(2)],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        BENCH_PORT: String(port),
        BENCH_EMAIL: 'admin@kontor.local',
        BENCH_PASSWORD: password,
        BENCH_DATABASE_URL: databaseUrl.href,
        BENCH_SANDBOX_URL: `http://127.0.0.1:${sandboxPort}`,
        BENCH_SANDBOX_FILE: join(dataDir, 'sandbox/world.sqlite'),
        BENCH_SERVICE_PID: String(service.pid),
        BENCH_SANDBOX_PID: String(sandbox.pid),
        BENCH_DATABASE_PID: String(postmaster.pid),
        BENCH_INSPECT_PORT: String(inspectPort),
      },
    },
  )
  const [ended] = (await once(bench, 'exit')) as [number | null]
  code = ended ?? 1
  const after = residentMegabytes(service.pid)
  await wait(REST_MILLISECONDS)
  process.stdout.write(
    `\nmemory of the service: ${before} MB before, ${after} MB after, ` +
      `${residentMegabytes(service.pid)} MB a minute later\n`,
  )
  if (process.env['BENCH_SAID']) process.stderr.write(started.said())
} finally {
  started.process.kill('SIGTERM')
  await started.exited
  await leaveNothing(dataDir)
  await rm(dataDir, { recursive: true, force: true })
}
process.exit(code)
