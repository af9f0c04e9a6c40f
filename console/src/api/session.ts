/**
 * Who is logged in, in this tab. Tokens lie in sessionStorage: they survive a reload and end with
 * the tab; a new tab asks the others for theirs. When the session is over, calls wait for `again`
 * and are then repeated: nothing typed is lost.
 */
import { changePassword, KontorError, login, openClient } from '@kontor/client'
import type { Client, Credentials, Tokens } from '@kontor/client'
import { useSyncExternalStore } from 'react'

export type Phase =
  | { kind: 'starting' }
  | { kind: 'out' }
  /**
   * `again`: the session is over while somebody works; calls wait until they have logged in again.
   */
  | { kind: 'in'; client: Client; email: string; again: boolean }

type Kept = Tokens & { email: string }

const KEY = 'kontor.session'
/**
 * After so long without a session from another tab a new one shows the login; a tab that is busy
 * may answer later.
 */
const HAND_OVER_MILLISECONDS = 120
const base_url = location.origin

let phase: Phase = { kind: 'starting' }
let waiting: { resolve(tokens: Tokens): void; reject(error: unknown): void } | undefined
let leaving = false
const listeners = new Set<() => void>()
const tabs = new BroadcastChannel('kontor.session')

export function usePhase(): Phase {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell)
      return () => {
        listeners.delete(tell)
      }
    },
    () => phase,
  )
}

/** The client of who is logged in. Throws when nobody is. */
export function client(): Client {
  if (phase.kind !== 'in') throw new Error('nobody is logged in')
  return phase.client
}

function become(next: Phase): void {
  phase = next
  for (const tell of listeners) tell()
}

function kept(): Kept | undefined {
  const text = sessionStorage.getItem(KEY)
  return text === null ? undefined : (JSON.parse(text) as Kept)
}

function keep(session: Kept): void {
  sessionStorage.setItem(KEY, JSON.stringify(session))
}

function enter(session: Kept): void {
  keep(session)
  const opened = openClient({
    base_url,
    tokens: session,
    renewed: (tokens) => {
      keep({ ...tokens, email: session.email })
    },
    login_again: (error) =>
      new Promise((resolve, reject) => {
        if (leaving) return reject(error)
        waiting = { resolve, reject }
        become({ kind: 'in', client: opened, email: session.email, again: true })
      }),
  })
  become({ kind: 'in', client: opened, email: session.email, again: false })
}

/** Throws KontorError: 3002, 1004 (then `renewPassword`), 4291. */
export async function enterWith(credentials: Credentials): Promise<void> {
  const tokens = await login({ base_url, ...credentials })
  if (phase.kind === 'in' && phase.email !== credentials.email) {
    // Somebody else: what stood here was not theirs.
    keep({ ...tokens, email: credentials.email })
    return location.reload()
  }
  if (phase.kind !== 'in' || waiting === undefined)
    return enter({ ...tokens, email: credentials.email })
  const { client: opened, email } = phase
  waiting.resolve(tokens)
  waiting = undefined
  become({ kind: 'in', client: opened, email, again: false })
}

/** The way out of 1004. Throws KontorError. */
export async function renewPassword(given: Credentials & { new_password: string }): Promise<void> {
  await changePassword({ base_url, ...given })
}

/** Ends the session at the service as well, when it still answers. */
export async function leave(): Promise<void> {
  leaving = true
  if (phase.kind === 'in' && !phase.again)
    await phase.client.logout().catch((error: unknown) => {
      if (!(error instanceof KontorError)) throw error
    })
  forget()
}

/** Only here: the session was over anyway, or the service does not answer. */
export function forget(): void {
  sessionStorage.removeItem(KEY)
  leaving = true
  waiting?.reject(new Error('left'))
  location.assign('/')
}

/** `to`: which tab has asked. */
type Said = { asks: string } | { session: Kept; to: string }

tabs.addEventListener('message', ({ data }: MessageEvent<Said>) => {
  const session = kept()
  if ('asks' in data && session !== undefined)
    tabs.postMessage({ session, to: data.asks } satisfies Said)
})

/** Takes up the session of this tab, or of another one. */
export function start(): void {
  const session = kept()
  if (session !== undefined) return enter(session)
  const me = crypto.randomUUID()
  tabs.addEventListener('message', ({ data }: MessageEvent<Said>) => {
    if ('session' in data && data.to === me && phase.kind !== 'in') enter(data.session)
  })
  tabs.postMessage({ asks: me } satisfies Said)
  setTimeout(() => {
    if (phase.kind === 'starting') become({ kind: 'out' })
  }, HAND_OVER_MILLISECONDS)
}
