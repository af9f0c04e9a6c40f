/**
 * The session of this tab. Tokens lie in sessionStorage: they survive a reload and end with the
 * tab, and a new tab asks the other tabs for theirs. When the session is over, calls wait for a new
 * login and are then repeated, so that nothing typed is lost.
 */
import { changePassword, KontorError, login, openClient } from '@kontor/client'
import type { Client, Credentials, Tokens } from '@kontor/client'
import { useSyncExternalStore } from 'react'

type Phase =
  | { kind: 'starting' }
  | { kind: 'out' }
  /** `again`: the session is over while somebody works, and calls wait for a new login. */
  | { kind: 'in'; client: Client; email: string; again: boolean }

type StoredSession = Tokens & { email: string }

const KEY = 'kontor.session'
/** Tells the service that this device has logged in before; opens nothing. */
const DEVICE_KEY = 'kontor.device'
/** A new tab waits this long for the session of another tab before it shows the login. */
const HAND_OVER_MILLISECONDS = 120
const base_url = location.origin

let phase: Phase = { kind: 'starting' }
let waiting: { resolve(tokens: Tokens): void; reject(error: unknown): void } | undefined
let leaving = false
const listeners = new Set<() => void>()
const tabs = new BroadcastChannel('kontor.session')

export function usePhase(): Phase {
  return useSyncExternalStore(
    (notify) => {
      listeners.add(notify)
      return () => {
        listeners.delete(notify)
      }
    },
    () => phase,
  )
}

/** The client of the session. Throws when nobody is logged in. */
export function client(): Client {
  if (phase.kind !== 'in') throw new Error('nobody is logged in')
  return phase.client
}

function setPhase(next: Phase): void {
  phase = next
  for (const notify of listeners) notify()
}

function storedSession(): StoredSession | undefined {
  const text = sessionStorage.getItem(KEY)
  return text === null ? undefined : (JSON.parse(text) as StoredSession)
}

function storeSession(session: StoredSession): void {
  sessionStorage.setItem(KEY, JSON.stringify(session))
}

const deviceKey = ({ email }: Pick<Credentials, 'email'>) => `${DEVICE_KEY}.${email.toLowerCase()}`

function knownDevice(credentials: Credentials): { id_token?: string } {
  const id_token = localStorage.getItem(deviceKey(credentials))
  return id_token === null ? {} : { id_token }
}

function openSession(session: StoredSession): void {
  storeSession(session)
  const opened = openClient({
    base_url,
    tokens: session,
    renewed: (tokens) => {
      storeSession({ ...tokens, email: session.email })
    },
    login_again: (error) =>
      new Promise((resolve, reject) => {
        if (leaving) return reject(error)
        waiting = { resolve, reject }
        setPhase({ kind: 'in', client: opened, email: session.email, again: true })
      }),
  })
  setPhase({ kind: 'in', client: opened, email: session.email, again: false })
}

/** Logs in. Throws KontorError: 3002, 1004 (then `renewPassword`), 4291. */
export async function logIn(credentials: Credentials): Promise<void> {
  const tokens = await login({ base_url, ...credentials, ...knownDevice(credentials) })
  localStorage.setItem(deviceKey(credentials), tokens.id_token)
  if (phase.kind === 'in' && phase.email !== credentials.email) {
    // Another user: what this page shows is not theirs.
    storeSession({ ...tokens, email: credentials.email })
    return location.reload()
  }
  if (phase.kind !== 'in' || waiting === undefined)
    return openSession({ ...tokens, email: credentials.email })
  const { client: opened, email } = phase
  waiting.resolve(tokens)
  waiting = undefined
  setPhase({ kind: 'in', client: opened, email, again: false })
}

/** Sets a new password where 1004 demands it. Throws KontorError. */
export async function renewPassword(
  credentials: Credentials & { new_password: string },
): Promise<void> {
  await changePassword({ base_url, ...credentials, ...knownDevice(credentials) })
}

/** Ends the session here, and at the service when it answers. */
export async function logOut(): Promise<void> {
  leaving = true
  if (phase.kind === 'in' && !phase.again)
    await phase.client.logout().catch((error: unknown) => {
      if (!(error instanceof KontorError)) throw error
    })
  forgetSession()
}

/** Ends the session in this tab alone. */
export function forgetSession(): void {
  sessionStorage.removeItem(KEY)
  leaving = true
  waiting?.reject(new Error('logged out'))
  location.assign('/')
}

/** What tabs send each other: a new tab asks, with an id of its own; another one answers it. */
type Message = { asks: string } | { session: StoredSession; to: string }

tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  const session = storedSession()
  if ('asks' in data && session !== undefined)
    tabs.postMessage({ session, to: data.asks } satisfies Message)
})

/** Continues the session of this tab, or takes over that of another one. */
export function start(): void {
  const session = storedSession()
  if (session !== undefined) return openSession(session)
  const me = crypto.randomUUID()
  tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if ('session' in data && data.to === me && phase.kind !== 'in') openSession(data.session)
  })
  tabs.postMessage({ asks: me } satisfies Message)
  setTimeout(() => {
    if (phase.kind === 'starting') setPhase({ kind: 'out' })
  }, HAND_OVER_MILLISECONDS)
}
