/**
 * Live events. One stream per browser and user: the tab that holds the lock reads it and passes the
 * events on to the other tabs. A stream that breaks is taken up again after the last event that
 * arrived. Without the permission for events there is no stream, and lists are read again at
 * intervals.
 */
import { KontorError } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { createParser } from 'eventsource-parser'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { queries, refreshAll } from './query.ts'
import { client } from './session.ts'

export type Event = DataOf<'get', '/events'>[number]
/** The part of an event type before the dot: `deposit`, `withdrawal`, `booking` … */
export type Subject = Event['type'] extends infer T
  ? T extends `${infer S}.${string}`
    ? S
    : never
  : never

const FIRST_PAUSE_MILLISECONDS = 500
const LONGEST_PAUSE_MILLISECONDS = 10_000
/** The service sends something every 15 seconds. A stream that is silent for longer is dead. */
const SILENT_MILLISECONDS = 45_000
const FORBIDDEN = 403
/** Events that come within this time are handed over together. */
const GATHER_MILLISECONDS = 300

/**
 * `starting`: at first and after each break; `off`: not permitted; `away`: the service does not
 * answer.
 */
type Liveness = 'starting' | 'live' | 'off' | 'away'
let liveness: Liveness = 'starting'
const watchers = new Set<() => void>()
const listeners = new Set<(event: Event) => void>()

export function useLiveness(): Liveness {
  return useSyncExternalStore(
    (notify) => {
      watchers.add(notify)
      return () => {
        watchers.delete(notify)
      }
    },
    () => liveness,
  )
}

function setLiveness(next: Liveness): void {
  if (liveness === next) return
  const back = next === 'live' && liveness === 'away'
  liveness = next
  for (const notify of watchers) notify()
  // The stream delivers the events that were missed. Reads that failed meanwhile are repeated here.
  if (back) refreshAll().catch(() => undefined)
}

/** What the tabs of one user send each other; `asks`: a new tab asks for the current liveness. */
type Message = { event: Event } | { liveness: Liveness } | { asks: true }
type Position = { after: number | null }

/**
 * Delivers every event after `newest`, the newest one before the page read anything, so that none
 * is missed. Returns how to stop.
 */
export function startEvents(user_id: string, newest: number | null): () => void {
  const ending = new AbortController()
  const tabs = new BroadcastChannel(`kontor.events.${user_id}`)
  const send = (message: Message): void => {
    tabs.postMessage(message)
  }
  let leads = false
  // A tab that takes the stream over continues after the last event that it received.
  const position: Position = { after: newest }
  const deliver = (event: Event): void => {
    position.after = event.sequence
    for (const listener of listeners) listener(event)
  }
  tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if ('event' in data) deliver(data.event)
    else if ('liveness' in data) setLiveness(data.liveness)
    else if (leads) send({ liveness })
  })
  const lead = () => {
    leads = true
    return follow(ending.signal, position, {
      event: (event) => {
        deliver(event)
        send({ event })
      },
      liveness: (next) => {
        setLiveness(next)
        send({ liveness: next })
      },
    })
  }
  // Browsers offer locks in secure contexts only. Without them, each tab reads a stream of its own.
  const held =
    'locks' in navigator
      ? navigator.locks.request(`kontor.events.${user_id}`, { signal: ending.signal }, lead)
      : lead()
  Promise.resolve(held).catch((error: unknown) => {
    if (!ending.signal.aborted) throw error
  })
  send({ asks: true })
  return () => {
    ending.abort()
    tabs.close()
  }
}

/** Reads the stream until `ending`, and opens it again after each break. */
async function follow(
  ending: AbortSignal,
  position: Readonly<Position>,
  report: { event(event: Event): void; liveness(next: Liveness): void },
): Promise<void> {
  report.liveness('starting')
  for (
    let pause = FIRST_PAUSE_MILLISECONDS;
    !ending.aborted;
    pause = Math.min(pause * 2, LONGEST_PAUSE_MILLISECONDS)
  ) {
    try {
      const response = await client().open('/events/stream', {
        accept: 'text/event-stream',
        signal: ending,
        ...(position.after === null ? {} : { last_event_id: String(position.after) }),
      })
      report.liveness('live')
      for await (const data of messages(response)) {
        pause = FIRST_PAUSE_MILLISECONDS
        report.event(JSON.parse(data) as Event)
      }
      report.liveness('starting')
    } catch (error) {
      if (ending.aborted) return
      if (error instanceof KontorError && error.status === FORBIDDEN) return report.liveness('off')
      report.liveness('away')
    }
    await new Promise((done) => {
      setTimeout(done, pause)
    })
  }
}

/**
 * The data of each message of a stream; ends with the stream, or when it has been silent for too
 * long.
 */
async function* messages(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  const received: string[] = []
  const parser = createParser({
    onEvent: ({ data }) => {
      received.push(data)
    },
  })
  for (;;) {
    const silent = setTimeout(() => {
      reader.cancel().catch(() => undefined)
    }, SILENT_MILLISECONDS)
    const { value, done } = await reader.read().finally(() => {
      clearTimeout(silent)
    })
    if (done) return
    parser.feed(value)
    yield* received.splice(0)
  }
}

/**
 * Calls back with the events of these subjects, gathered when they come close together. The next
 * call waits for the answer of the one before, and for `pause_ms`, however much happens.
 */
export function useEvents(
  subjects: readonly Subject[] | 'all',
  handle: (events: Event[]) => unknown,
  pause_ms = 0,
): void {
  const newest = useRef(handle)
  useEffect(() => {
    newest.current = handle
  })
  const wanted = subjects === 'all' ? undefined : subjects.join()
  useEffect(() => {
    if (wanted === '') return
    const only = wanted === undefined ? undefined : new Set(wanted.split(','))
    const gathering = new Gathering((events) => newest.current(events), pause_ms)
    const listener = (event: Event): void => {
      if (only?.has(event.type.split('.')[0] ?? '') ?? true) gathering.add(event)
    }
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      gathering.end()
    }
  }, [wanted, pause_ms])
}

/** Events on their way to one handler. */
class Gathering {
  #events: Event[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #quietUntil = 0
  #ended = false
  readonly #handle: (events: Event[]) => unknown
  readonly #pause_ms: number

  constructor(handle: (events: Event[]) => unknown, pause_ms: number) {
    this.#handle = handle
    this.#pause_ms = pause_ms
  }

  add(event: Event): void {
    this.#events.push(event)
    if (this.#timer === undefined) this.#handOverSoon()
  }

  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
  }

  #handOverSoon(): void {
    this.#timer = setTimeout(
      () => {
        this.#handOver().catch(reportError)
      },
      Math.max(GATHER_MILLISECONDS, this.#quietUntil - performance.now()),
    )
  }

  async #handOver(): Promise<void> {
    // A first read that is under way may have missed these events, and would not be repeated for
    // them.
    if (queries.isFetching({ predicate: ({ state }) => state.data === undefined }) > 0)
      return this.#handOverSoon()
    const events = this.#events
    this.#events = []
    await this.#handle(events)
    if (this.#ended) return
    this.#timer = undefined
    this.#quietUntil = performance.now() + this.#pause_ms
    if (this.#events.length > 0) this.#handOverSoon()
  }
}
