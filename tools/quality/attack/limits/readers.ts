/** Streams without end, and readers who stop reading. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { LIMITS } from '../../../../server/src/http/limits.ts'
import { unless } from '../../faults/flow.ts'
import { until } from '../../faults/patience.ts'
import { beside, littleOf } from '../beside.ts'
import { fill } from './reads.ts'
import { closed } from '../client.ts'
import type { Attack } from '../table.ts'
import type { Target } from '../target.ts'

const MORE = 5
const STREAMS = LIMITS.streams_per_user.by_default
const ADDRESS = '127.0.0.50'
const STALLED_SECONDS = LIMITS.stalled_ms.by_default / 1000
const LOOK_AFTER_SECONDS = STALLED_SECONDS + 10
const CUT_SECONDS = STALLED_SECONDS + 45

const asking = (path: string, token: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`

async function statusOf(socket: Socket): Promise<number> {
  const [first] = (await once(socket, 'data')) as [Buffer]
  return Number(/^HTTP\/1\.1 (\d+)/.exec(first.toString('latin1'))?.[1])
}

const manyStreams: Attack = {
  of: 'READERS',
  name: 'streams of one user without end',
  does: `opens ${STREAMS + MORE} streams of events with one login`,
  wanted: `${STREAMS} × 200, ${MORE} × 429; another user’s stream 200; a place is free again`,
  async run(target) {
    const [greedy, calm] = [
      await target.newPerson('greedy', ['READER']),
      await target.newPerson('modest', ['READER']),
    ]
    const sockets: Socket[] = []
    const open = (token: string) => {
      const socket = target.client.open(asking('/api/events/stream', token), ADDRESS)
      sockets.push(socket)
      return statusOf(socket)
    }
    try {
      const statuses: number[] = []
      for (let left = STREAMS + MORE; left > 0; left -= 1)
        statuses.push(await open(greedy.access_token))
      const other = await open(calm.access_token)
      sockets[0]?.destroy()
      const again = await until('a free place', async () =>
        (await open(greedy.access_token)) === 200 ? true : undefined,
      )
      const [open200, refused] = [200, 429].map(
        (status) => statuses.filter((found) => found === status).length,
      )
      return {
        seen: `${open200} × 200, ${refused} × 429; another user ${other}; free again: ${again}`,
        wrong: [
          ...unless(open200 === STREAMS && refused === MORE, `streams: ${statuses.join()}`),
          ...unless(other === 200, `another user’s stream got ${other}`),
        ],
      }
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  },
}

/**
 * Seconds until the connection of somebody who takes nothing is found closed. What is not read does
 * not show the close: a byte that is sent does, which an open one would take for a sign of life. So
 * none is sent before its time.
 */
async function cutAfter({ client }: Target, path: string, token: string): Promise<number> {
  const start = performance.now()
  const socket = client.open(asking(path, token), ADDRESS)
  socket.pause()
  const limit = setTimeout(() => socket.destroy(), CUT_SECONDS * 1000)
  await pause(LOOK_AFTER_SECONDS * 1000)
  const looking = setInterval(() => socket.write('\r\n'), 500)
  await closed(socket)
  clearInterval(looking)
  clearTimeout(limit)
  return (performance.now() - start) / 1000
}

const stalledReaders: Attack = {
  of: 'READERS',
  name: 'readers who stop reading',
  does: 'asks for a whole list, for a page of 10,000 rows and for all events, and reads nothing',
  wanted: `each is cut within ${CUT_SECONDS} s; others fail 0 times`,
  async run(target) {
    await fill(target)
    const { access_token } = await target.newPerson('stalled', ['READER', 'AUDITOR'])
    const paths = [
      '/api/bookings',
      '/api/bookings?limit=10000',
      '/api/events',
      '/api/events/stream?after=0',
    ]
    const { result, asked, failed } = await beside(target, littleOf(target), () =>
      Promise.all(paths.map((path) => cutAfter(target, path, access_token))),
    )
    return {
      seen:
        `cut after ${result.map((seconds) => seconds.toFixed(0)).join(', ')} s; ` +
        `others: ${failed.length} of ${asked} failed`,
      wrong: [
        ...failed,
        ...result.flatMap((seconds, index) =>
          unless(seconds < CUT_SECONDS, `${paths[index]} was not cut`),
        ),
      ],
    }
  },
}

export const READERS: readonly Attack[] = [manyStreams, stalledReaders]
