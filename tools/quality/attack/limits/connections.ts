/** Connections that are opened and say nothing, or little. */
import { setTimeout as pause } from 'node:timers/promises'
import { LIMITS } from '../../../../server/src/http/limits.ts'
import { unless } from '../../faults/flow.ts'
import { beside, littleOf } from '../beside.ts'
import { told } from '../client.ts'
import type { Attack } from '../table.ts'
import type { Target } from '../target.ts'

const COUNT = 1_000
const ALLOWED = LIMITS.connections_per_address.by_default
const ATTACKER = '127.0.0.31'
const HEAD = 'GET /api/auth/me HTTP/1.1\r\nHost: localhost\r\nX-Slow:'
const WAIT_MILLISECONDS = 1_000
/** A head must be whole within 15 s, which is looked at every 5 s. */
const CLOSED_SECONDS = 30

type Opened = { refused: number; open: number; left: number; odd: readonly string[] }

const REFUSED = /^(HTTP\/1\.1 429 |$)/

/** How many were refused at once, how many stayed, and how many of these to the end. */
async function openMany({ client }: Target): Promise<Opened> {
  const answers = new Map<number, string>()
  const sockets = Array.from({ length: COUNT }, (_, index) => {
    const socket = client.open(HEAD, ATTACKER)
    void told(socket).then((text) => answers.set(index, text))
    return socket
  })
  const dripping = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed) socket.write('x')
  }, WAIT_MILLISECONDS)
  try {
    for (let tries = 0; answers.size < COUNT - ALLOWED && tries < 5; tries += 1)
      await pause(WAIT_MILLISECONDS)
    const early = [...answers.values()]
    const odd = early.filter((text) => !REFUSED.test(text)).map((text) => text.slice(0, 300))
    const open = COUNT - answers.size
    for (let tries = 0; answers.size < COUNT && tries < CLOSED_SECONDS; tries += 1)
      await pause(WAIT_MILLISECONDS)
    return { refused: early.length - odd.length, open, left: COUNT - answers.size, odd }
  } finally {
    clearInterval(dripping)
    for (const socket of sockets) socket.destroy()
  }
}

export const CONNECTIONS: readonly Attack[] = [
  {
    of: 'BODIES',
    name: '1,000 slow connections from one address',
    does: 'opens 1,000 connections that send one byte of a head each second',
    wanted:
      `≤ ${ALLOWED} stay, the others get 429; all closed within ${CLOSED_SECONDS} s; ` +
      'others fail 0 times',
    run: async (target) => {
      const { result, asked, failed, longest_ms } = await beside(target, littleOf(target), () =>
        openMany(target),
      )
      const { refused, open, left, odd } = result
      return {
        seen:
          `${open} stayed, ${refused} refused, ${left} left at the end; ` +
          `others: ${failed.length} of ${asked} failed, longest wait ${longest_ms} ms`,
        wrong: [
          ...failed,
          ...unless(open <= ALLOWED, `${open} connections stayed`),
          ...odd,
          ...unless(left === 0, `${left} connections were never closed`),
        ],
      }
    },
  },
]
