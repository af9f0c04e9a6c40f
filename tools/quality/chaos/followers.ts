/** Who follows the events of the service, each at one process, over all its deaths. */
import { setTimeout as pause } from 'node:timers/promises'
import type { RepeatingClient } from '../faults/client.ts'

const AGAIN_MILLISECONDS = 250

export type Follower = {
  /** In the order in which they came. */
  readonly sequences: readonly number[]
  stop(): void
}

/** From the first event on, and again after what came last whenever the stream ends. */
export function followEvents(port: number, client: RepeatingClient): Follower {
  const leaving = new AbortController()
  const sequences: number[] = []
  const follow = async (): Promise<void> => {
    const stream = await fetch(`http://127.0.0.1:${port}/api/events/stream`, {
      headers: {
        authorization: `Bearer ${await client.token()}`,
        'last-event-id': String(sequences.at(-1) ?? 0),
      },
      signal: leaving.signal,
    })
    if (!stream.ok) return
    const decoder = new TextDecoder()
    let rest = ''
    for await (const piece of stream.body ?? []) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('id:')) sequences.push(Number(line.slice(3)))
    }
  }
  void (async () => {
    while (!leaving.signal.aborted) {
      // The process has died, or is not there yet.
      await follow().catch(() => undefined)
      await pause(AGAIN_MILLISECONDS)
    }
  })()
  return {
    sequences,
    stop: () => {
      leaving.abort()
    },
  }
}

/** Gapless in the list, and seen by each follower once and in order; nothing, when that is so. */
export function eventsWrong(all: readonly number[], followers: readonly Follower[]): string[] {
  const gap = all.findIndex((sequence, place) => sequence !== (all[0] ?? 0) + place)
  const wrong = gap === -1 ? [] : [`after event ${all[gap - 1]} comes ${all[gap]}`]
  const last = all.at(-1) ?? 0
  for (const [place, { sequences }] of followers.entries()) {
    const seen = sequences.filter((sequence) => sequence <= last)
    if (seen.join() !== all.join())
      wrong.push(
        `follower ${place + 1} saw ${seen.length} events, not the ${all.length} in their order`,
      )
  }
  return wrong
}
