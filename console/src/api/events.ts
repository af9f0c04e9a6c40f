/**
 * What happens, live: one stream per browser and user (the tab that holds the lock reads it and tells the others), taken
 * up again where it broke. Without the permission for events there is none, and lists are asked for again now and then.
 */
import { KontorError } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { queries, refreshAll } from './query.ts'
import { client } from './session.ts'

export type Event = DataOf<'get', '/events'>[number]
/** What stands before the dot of a type: `deposit`, `withdrawal`, `booking` … */
export type Subject = Event['type'] extends infer T
  ? T extends `${infer S}.${string}`
    ? S
    : never
  : never

const FIRST_PAUSE_MILLISECONDS = 500
const LONGEST_PAUSE_MILLISECONDS = 10_000
/** The service says something every 15 seconds; who hears nothing is cut off. */
const SILENT_MILLISECONDS = 45_000
const FORBIDDEN = 403
/** Many events at once are one reason to look. */
const GATHER_MILLISECONDS = 300

/** `starting`: at first, and again after each break; `away`: the service does not answer at the moment. */
export type Liveness = 'starting' | 'live' | 'off' | 'away'
let liveness: Liveness = 'starting'
const watchers = new Set<() => void>()
const listeners = new Set<(event: Event) => void>()

export function useLiveness(): Liveness {
  return useSyncExternalStore(
    (tell) => {
      watchers.add(tell)
      return () => {
        watchers.delete(tell)
      }
    },
    () => liveness,
  )
}

function become(next: Liveness): void {
  if (liveness === next) return
  const back = next === 'live' && liveness === 'away'
  liveness = next
  for (const tell of watchers) tell()
  // What happened meanwhile the stream tells; what could not be read meanwhile is read now.
  if (back) refreshAll().catch(() => undefined)
}

type Said = { event: Event } | { liveness: Liveness } | { asks: true }

/** Begins after the event that was the newest before the page read anything, so that nothing falls between; returns how to end it. */
export function startEvents(user_id: string, newest: number | null): () => void {
  const ending = new AbortController()
  const tabs = new BroadcastChannel(`kontor.events.${user_id}`)
  const say = (said: Said): void => {
    tabs.postMessage(said)
  }
  let leads = false
  // Whoever takes over from a tab that was closed goes on after the last one it heard.
  const begin = { after: newest }
  const tell = (event: Event): void => {
    begin.after = event.sequence
    for (const listener of listeners) listener(event)
  }
  tabs.addEventListener('message', ({ data }: MessageEvent<Said>) => {
    if ('event' in data) tell(data.event)
    else if ('liveness' in data) become(data.liveness)
    else if (leads) say({ liveness })
  })
  const lead = () => {
    leads = true
    return follow(
      ending.signal,
      begin,
      (event) => {
        tell(event)
        say({ event })
      },
      (next) => {
        become(next)
        say({ liveness: next })
      },
    )
  }
  // Locks are there in secure places only; elsewhere each tab follows by itself.
  const held =
    'locks' in navigator
      ? navigator.locks.request(`kontor.events.${user_id}`, { signal: ending.signal }, lead)
      : lead()
  Promise.resolve(held).catch((error: unknown) => {
    if (!ending.signal.aborted) throw error
  })
  say({ asks: true })
  return () => {
    ending.abort()
    tabs.close()
  }
}

async function follow(
  ending: AbortSignal,
  begin: { readonly after: number | null },
  tell: (event: Event) => void,
  become: (next: Liveness) => void,
): Promise<void> {
  become('starting')
  for (
    let pause = FIRST_PAUSE_MILLISECONDS;
    !ending.aborted;
    pause = Math.min(pause * 2, LONGEST_PAUSE_MILLISECONDS)
  ) {
    try {
      const response = await client().open('/events/stream', {
        accept: 'text/event-stream',
        signal: ending,
        ...(begin.after === null ? {} : { last_event_id: String(begin.after) }),
      })
      become('live')
      for await (const data of messages(response)) {
        pause = FIRST_PAUSE_MILLISECONDS
        tell(JSON.parse(data) as Event)
      }
      become('starting')
    } catch (error) {
      if (ending.aborted) return
      if (error instanceof KontorError && error.status === FORBIDDEN) return become('off')
      become('away')
    }
    await new Promise((done) => {
      setTimeout(done, pause)
    })
  }
}

async function* messages(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  let text = ''
  for (;;) {
    const silent = setTimeout(() => {
      reader.cancel().catch(() => undefined)
    }, SILENT_MILLISECONDS)
    const { value, done } = await reader.read().finally(() => {
      clearTimeout(silent)
    })
    if (done) return
    text += value
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data !== undefined) yield data
    }
  }
}

/**
 * Calls back with the events of these subjects, several at once when they come close together. What it answers is waited for
 * before it is called again; with `pause_ms` it is called no more often than so, however much happens.
 */
export function useEvents(
  subjects: readonly Subject[] | 'all',
  told: (events: Event[]) => unknown,
  pause_ms = 0,
): void {
  const newest = useRef(told)
  useEffect(() => {
    newest.current = told
  })
  const wanted = subjects === 'all' ? undefined : subjects.join()
  useEffect(() => {
    if (wanted === '') return
    const only = wanted === undefined ? undefined : new Set(wanted.split(','))
    let gathered: Event[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let quietUntil = 0
    let ended = false
    const tellSoon = (): void => {
      timer = setTimeout(
        () => {
          tell().catch(reportError)
        },
        Math.max(GATHER_MILLISECONDS, quietUntil - performance.now()),
      )
    }
    const tell = async (): Promise<void> => {
      // What is being read for the first time may have been read before this happened, and would not be asked for again.
      if (queries.isFetching({ predicate: ({ state }) => state.data === undefined }) > 0)
        return tellSoon()
      const events = gathered
      gathered = []
      await newest.current(events)
      if (ended) return
      timer = undefined
      quietUntil = performance.now() + pause_ms
      if (gathered.length > 0) tellSoon()
    }
    const listener = (event: Event): void => {
      if (only !== undefined && !only.has(event.type.split('.')[0] ?? '')) return
      gathered.push(event)
      if (timer === undefined) tellSoon()
    }
    listeners.add(listener)
    return () => {
      ended = true
      listeners.delete(listener)
      clearTimeout(timer)
    }
  }, [wanted, pause_ms])
}
