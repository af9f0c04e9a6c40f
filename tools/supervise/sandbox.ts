/** The sandbox, kept alive. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, isPortFree } from '../../server/src/store/ports.ts'
import { COMPILE_CACHE, ROOT } from '../setup/setup.mjs'
import { runOnce, startChild, type Context } from './context.ts'
import { inherited } from '../setup/inherited.mjs'

const SANDBOX_STOP_MS = 10_000
/** Its own. It plays the outside world: nothing of ours is its business. */
const SETTINGS: readonly string[] = [
  'SANDBOX_TIER',
  'SANDBOX_SMTP_PORT',
  'SANDBOX_SFTP_PORT',
  'SANDBOX_WEBHOOK_URL',
  'ISO20022_DIR',
  'FIREBLOCKS_OPENAPI',
]

export type Sandbox = { url: string; mailUrl: string | undefined }

/** Undefined when all ended before it was ready. */
export async function startSandbox(context: Context): Promise<Sandbox | undefined> {
  const dir = join(context.dataDir, 'sandbox')
  await mkdir(dir, { recursive: true })
  const port = await sandboxPort(dir)
  const sandbox = startChild(context, {
    name: 'sandbox',
    program: process.env['KONTOR_TEST_SANDBOX'] ?? join(ROOT, 'sandbox/src/main.ts'),
    // It is in no hurry: rather collect often than keep much.
    flags: ['--max-semi-space-size=1', '--v8-pool-size=1'],
    env: async () => ({ ...inherited(SETTINGS), SANDBOX_PORT: String(port), SANDBOX_DIR: dir }),
    stopLimitMs: SANDBOX_STOP_MS,
    sources: join(ROOT, 'sandbox/src'),
  })
  const ready = await Promise.race([sandbox.firstReady, context.end])
  if (typeof ready !== 'object') return undefined
  return {
    url: `http://127.0.0.1:${ready.port ?? port}`,
    mailUrl: ready.smtp_port === undefined ? undefined : `smtp://127.0.0.1:${ready.smtp_port}`,
  }
}

/**
 * One port for the sandbox's whole life, so that a restarted one is found again; SANDBOX_PORT sets
 * it.
 */
async function sandboxPort(dir: string): Promise<number> {
  if (process.env['SANDBOX_PORT']) return Number(process.env['SANDBOX_PORT'])
  const file = join(dir, 'port')
  const stored = existsSync(file) ? Number(await readFile(file, 'utf8')) : undefined
  if (stored !== undefined && (await isPortFree(stored))) return stored
  const port = await freePort()
  await writeFile(file, String(port))
  return port
}

/** Brings the people of the demo world into the first workspace, as its first user. */
export function createDemoCustomers(
  context: Context,
  { sandboxUrl, url, email, password }: Record<'sandboxUrl' | 'url' | 'email' | 'password', string>,
): void {
  const { KONTOR_TLS_CERTIFICATE: certificate } = process.env
  void runOnce(context, join(ROOT, 'tools/supervise/demo.ts'), {
    env: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      // One that signs itself is known to nobody else.
      ...(certificate && { NODE_EXTRA_CA_CERTS: certificate }),
      DEMO_URL: url,
      DEMO_EMAIL: email,
      DEMO_PASSWORD: password,
      DEMO_SANDBOX_URL: sandboxUrl,
    },
    failure: (words) =>
      `the customers of the demo world could not be made: ${words.split('\n').at(-1)}`,
  })
}
