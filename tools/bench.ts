/** `npm run bench`: a Kontor of its own in a temporary folder, with the durable database, and the comparisons against it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, leaveNothing, npmStart, superUrlOf } from './running.ts'
import { ROOT } from './setup.mjs'

const dataDir = await mkdtemp(join(tmpdir(), 'kontor-bench-'))
const port = await freePort()
const password = 'bench-password-of-this-run'
const started = npmStart({ root: ROOT, dataDir, port, env: { KONTOR_ADMIN_PASSWORD: password, LOG_LEVEL: 'warn' } })
let code = 1
try {
  await started.ready
  const databaseUrl = new URL(superUrlOf(dataDir))
  databaseUrl.pathname = '/kontor'
  const sandboxPort = (await readFile(join(dataDir, 'sandbox/port'), 'utf8')).trim()
  const bench = spawn(process.execPath, [join(ROOT, 'bench/src/main.ts'), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, BENCH_PORT: String(port), BENCH_EMAIL: 'admin@kontor.local', BENCH_PASSWORD: password, BENCH_DATABASE_URL: databaseUrl.href, BENCH_SANDBOX_URL: `http://127.0.0.1:${sandboxPort}` },
  })
  ;[code] = await once(bench, 'exit') as [number]
} finally {
  started.process.kill('SIGTERM')
  await started.exited
  await leaveNothing(dataDir)
  await rm(dataDir, { recursive: true, force: true })
}
process.exit(code)
