/** For tests: the service as real processes, that are killed and started again. */
import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { until, WITH_FAILPOINTS } from './testing.ts'

const MAIN = new URL('../main.ts', import.meta.url).pathname
const PREPARATION = new URL('../preparation.ts', import.meta.url).pathname

type Ready = { port: number; metrics_port: number }

export type Service = {
  child: ChildProcess
  exited: Promise<NodeJS.Signals | null>
  ready: Promise<Ready>
}

type Services = {
  /** With the environment that all have, and this. */
  start(env: Record<string, string>): Service
  kill(service: Service): Promise<void>
  killAll(): Promise<void>
}

const STILL_RUNNING = '"error_code":4092'

/**
 * The answer to a request that is repeated with its key. It comes once the database no longer takes
 * the process that died during the first request for alive.
 */
export async function repeat<Data>(request: () => Promise<Data>): Promise<Data> {
  const { answer } = await until('the answer to the repeat', async () => {
    try {
      return { answer: await request() }
    } catch (error) {
      if (!String(error).includes(STILL_RUNNING)) throw error
      return undefined
    }
  })
  return answer
}

type Login = { email: string; password: string }

/** Leaves the database as `npm run migrate` does: the service can start on it. */
export async function prepareDatabase(
  url: string,
  { email, password }: Login,
  ownerUrl = url,
): Promise<void> {
  await promisify(execFile)(process.execPath, [PREPARATION], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATABASE_URL: url,
      KONTOR_OWNER_DATABASE_URL: ownerUrl,
      KONTOR_ADMIN_EMAIL: email,
      KONTOR_ADMIN_PASSWORD: password,
    },
  })
}

/** `common`: the environment of all; they end with this process. `flags`: of the runtime. */
export function openServices(
  common: Record<string, string>,
  flags: readonly string[] = WITH_FAILPOINTS,
): Services {
  const services = new Set<Service>()
  const kill = async ({ child, exited }: Service): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  return {
    start(env) {
      const child = spawn(process.execPath, [...flags, MAIN], {
        env: {
          ...process.env,
          KONTOR_PARENT: 'stdin',
          PORT: '0',
          KONTOR_METRICS_PORT: '0',
          LOG_LEVEL: 'silent',
          ...common,
          ...env,
        },
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      const exited = once(child, 'exit').then(([, signal]) => signal as NodeJS.Signals | null)
      const ready = (async () => {
        for await (const line of createInterface({ input: child.stdout }))
          if (line.includes('"ready":true')) return JSON.parse(line) as Ready
        throw new Error('the service ended before it was ready')
      })()
      // One that is to die may do so before it is ready.
      ready.catch(() => undefined)
      const service = { child, exited, ready }
      services.add(service)
      void exited.then(() => services.delete(service))
      return service
    },
    kill,
    killAll: async () => {
      await Promise.all([...services].map(kill))
    },
  }
}

/** Calls the API process of the moment, with one login for all of them. */
export function apiClient({ email, password }: Login) {
  let base = ''
  let token = ''
  async function call<Data>(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Data> {
    const response = await fetch(`${base}${url}`, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { success: boolean; data: Data }
    if (!answer.success) throw new Error(`${method} ${url}: ${JSON.stringify(answer)}`)
    return answer.data
  }
  return {
    call,
    async connect(port: number): Promise<void> {
      base = `http://127.0.0.1:${port}/api`
      if (token !== '') return
      const session = await call<{ access_token: string }>('POST', '/auth/login', {
        email,
        password,
      })
      token = session.access_token
    },
  }
}
