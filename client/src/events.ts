/** Events as they happen. A stream that is cut is taken up after the last event that arrived. */
import { KontorError } from './errors.ts'
import { serverSentEvents } from './event-stream.ts'
import { isPassing, pauseAfter, sleep } from './patience.ts'
import type { Patience } from './patience.ts'
import type { Answer, AnyRequest } from './send.ts'
import type { DataOf, RequestOf } from './types.ts'

/** The service sends something every 15 seconds. */
const SILENCE_MILLISECONDS = 45_000

export type Event = DataOf<'get', '/events'>[number]

type Filter = NonNullable<RequestOf<'get', '/events/stream'>['query']>

export type Following = Omit<Filter, 'after'> & {
  /** Begins after the event of this sequence; with what happens from now on when absent. */
  after?: number
  signal?: AbortSignal
  /** A stream that sends nothing for so long is opened again; 45 seconds when absent. */
  silence_ms?: number
}

type Get = (path: string, request: AnyRequest) => Promise<Answer>

/**
 * Never ends by itself: break out of the loop, or abort the signal. Throws KontorError for what
 * does not pass, such as a missing permission, and the reason of the signal.
 */
export async function* follow(
  get: Get,
  patience: Patience,
  { after, signal, silence_ms = SILENCE_MILLISECONDS, ...filter }: Following,
): AsyncGenerator<Event, void, undefined> {
  const common = signal === undefined ? {} : { signal }
  let position = after ?? (await newest(get, common))
  let server_pause: number | undefined
  for (let attempt = 0; ; attempt += 1) {
    let cause: unknown
    try {
      const { response } = await get('/events/stream', {
        ...common,
        query: filter,
        accept: 'text/event-stream',
        last_event_id: String(position),
        // Each attempt is one turn of this loop.
        retries: 0,
      })
      if (response.body === null) throw new Error('the stream has no body')
      const frames = serverSentEvents(response.body, {
        silence_ms,
        retry: (milliseconds) => {
          server_pause = milliseconds
        },
      })
      for await (const { data } of frames) {
        const event = JSON.parse(data) as Event
        attempt = 0
        position = event.sequence
        yield event
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof KontorError && !isPassing(error)) throw error
      cause = error
    }
    const pause = pauseAfter(cause, attempt, patience.pause_ms ?? server_pause)
    patience.retrying?.(cause, pause)
    await sleep(pause, signal)
  }
}

/**
 * The sequence from which on everything is new. Without it, what happens before the first event
 * arrives would be lost when the stream is cut.
 */
async function newest(get: Get, common: AnyRequest): Promise<number> {
  const { data } = await get('/events', { ...common, query: { newest_first: true, limit: 1 } })
  return (data as Event[])[0]?.sequence ?? 0
}
