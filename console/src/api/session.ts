/**
 * The session of this browser. Its refresh token is in a cookie that no script can read, so that
 * the tabs share it, and it ends with the browser. The access token is kept in memory alone: a page
 * that loads asks for one. When the session is over, calls wait for a new login and are then
 * repeated, so that nothing typed is lost.
 */
import { acceptInvitation, changePassword, continueInConsole, KontorError } from '@kontor/client'
import { askForPasskey, loginToConsole, openClient } from '@kontor/client'
import { beginProviderLogin, finishProviderLogin, loginProviders } from '@kontor/client'
import type { Client, ConsoleSession, Credentials, Tokens } from '@kontor/client'
import { useSyncExternalStore } from 'react'

type Phase =
  | { kind: 'starting' }
  | { kind: 'out' }
  /** `again`: the session is over while somebody works, and calls wait for a new login. */
  | {
      kind: 'in'
      client: Client
      email: string
      again: boolean
      /** A second factor must be set up before anything else. */
      enrolling: boolean
      /** A dangerous command waits until password and second factor are confirmed. */
      asking: boolean
    }

/** Says that this browser has a session. Opens nothing. */
const SESSION_KEY = 'kontor.session'
/** When somebody last did something in one of the tabs. */
const ACTIVE_KEY = 'kontor.active'
/** Of this tab: another one has logged out. */
const ENDED_KEY = 'kontor.ended'
/** Tells the service that this device has logged in before; opens nothing. */
const DEVICE_KEY = 'kontor.device'
const REFRESH_TOKEN_INVALID = 1006
const RETRY_MILLISECONDS = 1_000
const LOOK_MILLISECONDS = 15_000
const LOGOUT_MILLISECONDS = 5_000
const base_url = location.origin

let phase: Phase = { kind: 'starting' }
let access_token = ''
let waiting: { resolve(tokens: Tokens): void; reject(error: unknown): void } | undefined
/** Commands that wait until it is confirmed who is there. */
let asked: { promise: Promise<boolean>; resolve(confirmed: boolean): void } | undefined
let leaving = false
/** Tells the other tabs that somebody has logged in (the e-mail address) or out (null). */
const tabs = new BroadcastChannel('kontor.session')

/** The session ends, and the page with it: nothing is asked any more. */
export const isLeaving = (): boolean => leaving

const listeners = new Set<() => void>()

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

function setIn(change: Partial<Phase & { kind: 'in' }>): void {
  if (phase.kind === 'in') setPhase({ ...phase, ...change })
}

function askAgain(): Promise<boolean> {
  asked ??= Promise.withResolvers<boolean>()
  setIn({ asking: true })
  return asked.promise
}

/** Says whether it was confirmed who is there. */
export function answerAsked(confirmed: boolean): void {
  asked?.resolve(confirmed)
  asked = undefined
  setIn({ asking: false })
}

const deviceKey = ({ email }: Pick<Credentials, 'email'>) => `${DEVICE_KEY}.${email.toLowerCase()}`

function knownDevice(credentials: Credentials): { id_token?: string } {
  const id_token = localStorage.getItem(deviceKey(credentials))
  return id_token === null ? {} : { id_token }
}

function openSession({ email, idle_ms, ...session }: ConsoleSession): void {
  ;({ access_token } = session)
  sessionStorage.removeItem(ENDED_KEY)
  const opened = openClient({
    base_url,
    // Queries are repeated by the page (query.ts), and writes by people.
    retries: 0,
    timeout_ms: 0,
    tokens: { access_token },
    renewed: (tokens) => {
      ;({ access_token } = tokens)
    },
    login_again: (error) =>
      new Promise((resolve, reject) => {
        if (leaving) return reject(error)
        waiting = { resolve, reject }
        setIn({ again: true })
      }),
    second_factor: (error) => {
      if (error.is('ConfirmationRequired')) return askAgain()
      setIn({ enrolling: true })
      return Promise.resolve(false)
    },
  })
  const calm = { again: false, enrolling: false, asking: false }
  setPhase({ kind: 'in', client: opened, email, ...calm })
  endWhenIdle(idle_ms)
}

let looking: ReturnType<typeof setInterval> | undefined

/**
 * Pages read by themselves what is new, which keeps a session alive. So a page ends it when nobody
 * has touched a key or the mouse, in any of the tabs.
 */
function endWhenIdle(idle_ms: number): void {
  stayActive()
  clearInterval(looking)
  looking = setInterval(() => {
    if (phase.kind !== 'in' || phase.again) return
    if (Date.now() - Date.parse(localStorage.getItem(ACTIVE_KEY) ?? '') < idle_ms) return
    // Not by the client: a call that waits for the next login would end that session too.
    const headers = { authorization: `Bearer ${access_token}` }
    fetch(`${base_url}/api/auth/logout`, { method: 'POST', headers }).catch(() => undefined)
  }, LOOK_MILLISECONDS)
}

function stayActive(): void {
  localStorage.setItem(ACTIVE_KEY, new Date().toISOString())
}

function remember(session: ConsoleSession): void {
  localStorage.setItem(deviceKey(session), session.id_token)
  localStorage.setItem(SESSION_KEY, session.email)
  tabs.postMessage(session.email)
}

export const listedProviders = (): ReturnType<typeof loginProviders> => loginProviders({ base_url })

/** Goes to the provider, which sends the browser back to /signed-in/ID. Throws KontorError. */
export async function signInBy(provider_id: string, again = false): Promise<void> {
  location.assign(await beginProviderLogin({ base_url, provider_id, again }))
}

/** Ends a sign-in by a provider, and begins the session. Throws KontorError. */
export async function finishSignIn(provider_id: string, answer: string): Promise<void> {
  remember(await finishProviderLogin({ base_url, provider_id, answer }))
  leave('/')
}

/** Logs in. Throws KontorError: 3002, 1004 (then `renewPassword`), 1007, 4291. */
export async function logIn(credentials: Credentials): Promise<void> {
  const session = await loginToConsole({ base_url, ...credentials, ...knownDevice(credentials) })
  remember(session)
  if (phase.kind === 'in' && phase.email !== session.email) return leave()
  if (phase.kind !== 'in' || waiting === undefined) return openSession(session)
  goOnWith(session)
}

/** The calls that wait are repeated. */
function goOnWith(session: ConsoleSession): void {
  if (phase.kind !== 'in' || waiting === undefined) return
  waiting.resolve(session)
  waiting = undefined
  setIn({ again: false })
  stayActive()
}

/** The tabs of a browser share one session, which begins and ends in all of them. */
tabs.addEventListener('message', ({ data: email }: MessageEvent<string | null>) => {
  if (phase.kind !== 'in') return
  if (email === null) {
    sessionStorage.setItem(ENDED_KEY, '1')
    leave('/')
  } else if (email !== phase.email) leave()
  else if (phase.again) continueInConsole({ base_url }).then(goOnWith, () => undefined)
})

/** Begins anew, without a question: what this page shows is for nobody's eyes any more. */
function leave(address?: string): void {
  leaving = true
  if (phase.kind === 'in') waiting?.reject(new Error('logged out'))
  if (address === undefined) location.reload()
  else location.replace(address)
}

/** What a passkey must sign; null for who has none. Throws KontorError. */
export const askPasskey = (credentials: Credentials): ReturnType<typeof askForPasskey> =>
  askForPasskey({ base_url, ...credentials, ...knownDevice(credentials) })

/** Sets a new password where 1004 demands it. Throws KontorError. */
export async function renewPassword(
  credentials: Credentials & { new_password: string },
): Promise<void> {
  await changePassword({ base_url, ...credentials, ...knownDevice(credentials) })
}

/** Chooses the first password, or another one, by the link of an invitation. */
export const acceptInvited = (token: string, new_password: string): Promise<{ email: string }> =>
  acceptInvitation({ base_url, token, new_password })

/**
 * Ends the session in every tab, and at the service when it answers. It may have ended before:
 * elsewhere, or by the clock.
 */
export async function logOut(): Promise<void> {
  leaving = true
  if (phase.kind === 'in' && !phase.again)
    await Promise.race([
      phase.client.logout().catch(() => undefined),
      new Promise((resolve) => setTimeout(resolve, LOGOUT_MILLISECONDS)),
    ])
  forgetSession()
}

/** Leaves the session in this browser. */
export function forgetSession(): void {
  localStorage.removeItem(SESSION_KEY)
  tabs.postMessage(null)
  leave('/')
}

/** Whether this page stands at the login because somebody has logged out in another tab. */
export const wasEndedElsewhere = (): boolean => sessionStorage.getItem(ENDED_KEY) !== null

/** Continues the session of this browser, as soon as the service answers. */
export function start(): void {
  for (const touch of ['pointerdown', 'keydown'])
    addEventListener(touch, stayActive, { capture: true, passive: true })
  if (localStorage.getItem(SESSION_KEY) === null) return setPhase({ kind: 'out' })
  continueInConsole({ base_url }).then(openSession, (error: unknown) => {
    if (error instanceof KontorError && error.error_code === REFRESH_TOKEN_INVALID) {
      localStorage.removeItem(SESSION_KEY)
      return setPhase({ kind: 'out' })
    }
    setTimeout(start, RETRY_MILLISECONDS)
  })
}
