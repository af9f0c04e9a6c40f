/** The session of this person on this machine: a file that nobody else may read. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import { homedir, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { login, openClient } from '../index.ts'
import type { Client } from '../index.ts'
import type { Values } from './arguments.ts'
import { Problem } from './problem.ts'
import type { Terminal } from './terminal.ts'

const OWNER_ONLY = 0o600
const OTHERS = 0o077
const HERE = 'http://localhost:4000'

type Stored = { server: string } & (
  | { api_key: string }
  | { email: string; access_token: string; refresh_token: string; id_token: string }
)

function fileOf({ env }: Terminal): string {
  const named = textIn(env['KONTOR_SESSION'])
  if (named !== undefined) return named
  const folder = textIn(env['XDG_CONFIG_HOME']) ?? join(env['HOME'] ?? homedir(), '.config')
  return join(folder, 'kontor', 'session.json')
}

/** Undefined when nobody has logged in. Throws Problem when others may read the file. */
async function stored(terminal: Terminal): Promise<Stored | undefined> {
  const file = fileOf(terminal)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Problem('access', error.message)
  })
  if (text === undefined) return undefined
  if (platform() !== 'win32' && ((await stat(file)).mode & OTHERS) !== 0)
    throw new Problem('access', `others may read ${file}: chmod 600 it, or log in again`)
  try {
    return JSON.parse(text) as Stored
  } catch {
    throw new Problem('access', `${file} cannot be read: log in again`)
  }
}

/** At once, so that the next command finds what this one renewed. */
function store(terminal: Terminal, session: Stored): void {
  const file = fileOf(terminal)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  rmSync(next, { force: true })
  writeFileSync(next, `${JSON.stringify(session, null, 2)}\n`, { mode: OWNER_ONLY, flag: 'wx' })
  renameSync(next, file)
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** From the environment or a file: the arguments of a program are seen by everybody. */
async function keyOf({ env }: Terminal, values: Values): Promise<string | undefined> {
  const file = textIn(values['key-file'])
  if (file === undefined && textIn(env['KONTOR_API_KEY']) !== undefined)
    return env['KONTOR_API_KEY']
  const named = file ?? textIn(env['KONTOR_API_KEY_FILE'])
  if (named === undefined) return undefined
  const text = await readFile(named, 'utf8').catch((error: Error) => {
    throw new Problem('access', error.message)
  })
  return text.trim()
}

export type Opened = { kontor: Client; server: string }

/** Throws Problem when nobody has logged in there. */
export async function open(terminal: Terminal, values: Values): Promise<Opened> {
  const named = textIn(values['server']) ?? textIn(terminal.env['KONTOR_URL'])
  const api_key = await keyOf(terminal, values)
  const { retries } = values
  if (retries !== undefined && !/^\d{1,3}$/.test(String(retries)))
    throw new Problem('usage', '--retries is a number')
  const common = {
    ...(retries === undefined ? {} : { retries: Number(retries) }),
    retrying: (cause: unknown, pause_ms: number) => {
      const reason = cause instanceof Error ? cause.message : 'the stream ended'
      terminal.note(`${reason}; once more in ${Math.ceil(pause_ms / 1000)} s`)
    },
  }
  if (api_key !== undefined) {
    const server = rootOf(named ?? (await stored(terminal))?.server ?? HERE)
    return { server, kontor: openClient({ base_url: server, api_key, ...common }) }
  }
  const session = await stored(terminal)
  // What opens one service is not sent to another.
  if (session === undefined || (named !== undefined && !isSame(named, session.server)))
    throw new Problem(
      'access',
      `not logged in at ${named ?? HERE}: kontor login, or name an API key in KONTOR_API_KEY`,
    )
  const base_url = rootOf(session.server)
  if ('api_key' in session)
    return {
      server: base_url,
      kontor: openClient({ base_url, ...common, api_key: session.api_key }),
    }
  const kontor = openClient({
    base_url,
    ...common,
    tokens: session,
    renewed: (tokens) => {
      store(terminal, { ...session, ...tokens })
    },
    login_again: async (error) => {
      throw error
    },
  })
  return { server: base_url, kontor }
}

const isSame = (a: string, b: string): boolean => rootOf(a) === rootOf(b)

const rootOf = (server: string): string => server.replace(/(\/api)?\/*$/, '')

export async function logIn(terminal: Terminal, values: Values): Promise<void> {
  const { env } = terminal
  const server = rootOf(textIn(values['server']) ?? textIn(env['KONTOR_URL']) ?? HERE)
  const api_key = await keyOf(terminal, values)
  if (api_key !== undefined) {
    const { api_key: known } = await openClient({ base_url: server, api_key }).get('/auth/me')
    store(terminal, { server, api_key })
    return terminal.note(`${server}: the key of ${known?.label ?? 'a program'} is stored`)
  }
  const email = textIn(values['email']) ?? (await terminal.ask('E-mail: '))
  const password = textIn(env['KONTOR_PASSWORD']) ?? (await terminal.ask('Password: ', true))
  if (email === '' || password === '')
    throw new Problem('usage', 'an e-mail and a password are needed: kontor login --help')
  const before = await stored(terminal).catch(() => undefined)
  const known =
    before !== undefined && 'email' in before && before.email === email && before.server === server
      ? { id_token: before.id_token }
      : {}
  const tokens = await login({ base_url: server, email, password, ...known })
  const { access_token, refresh_token = '', id_token } = tokens
  store(terminal, { server, email, access_token, refresh_token, id_token })
  terminal.note(`${server}: logged in as ${email}`)
}

export async function logOut(terminal: Terminal): Promise<void> {
  const session = await stored(terminal)
  if (session === undefined) return terminal.note('nobody is logged in')
  try {
    if (!('api_key' in session)) await (await open(terminal, {})).kontor.logout()
  } finally {
    await rm(fileOf(terminal), { force: true })
  }
  terminal.note(`${session.server}: logged out`)
}
