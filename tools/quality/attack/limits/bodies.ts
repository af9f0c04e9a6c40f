/** Bodies that cost much to read or to refuse, and bodies without an end. */
import { setTimeout as pause } from 'node:timers/promises'
import { bodyBytesOf } from '../../../../server/src/http/body-limits.ts'
import type { Endpoint } from '../../../../server/src/http/index.ts'
import { unless } from '../../faults/flow.ts'
import { beside, LIVE } from '../beside.ts'
import { told } from '../client.ts'
import type { Answer, Ask } from '../client.ts'
import type { Attack, Seen } from '../table.ts'
import type { Target } from '../target.ts'

const PROCESSOR_MILLISECONDS = 250
const ANSWER_BYTES = 16_384
const WHOLE_BYTES = 1_048_576
/** Of a body that shall be as large as it may be, for what is not counted here. */
const SPARE_BYTES = 64
const UNFINISHED_SECONDS = 45
const TRICKLE_MILLISECONDS = 1_000
const ATTACKER = '127.0.0.30'

/** So many bytes of fields that nobody knows. */
function unknownFields(bytes: number): string {
  const fields: string[] = []
  for (let index = 0, length = 2; ; index += 1) {
    const field = `"f${index}":1`
    length += field.length + 1
    if (length > bytes) return `{${fields.join()}}`
    fields.push(field)
  }
}

const wrongItems = (bytes: number): string => `[${'7,'.repeat((bytes >> 1) - 2)}7]`

const pathOf = ({ path }: Endpoint): string =>
  `/api${path.replaceAll(/:\w+/g, '00000000-0000-7000-8000-000000000000')}`

type Sent = { answers: Answer[]; dearest_ms: number }

async function sendAll(target: Target, requests: readonly Ask[]): Promise<Sent> {
  const sent: Sent = { answers: [], dearest_ms: 0 }
  for (const request of requests) {
    const before = target.processor()
    sent.answers.push(await target.client.ask(request))
    sent.dearest_ms = Math.max(sent.dearest_ms, target.processor() - before)
  }
  return sent
}

/** The loop is held for as long as a body keeps the processor: other work does not count here. */
async function wrongBodies(target: Target, requests: readonly Ask[]): Promise<Seen> {
  const { result, longest_ms, failed } = await beside(target, LIVE, () => sendAll(target, requests))
  const { answers, dearest_ms } = result
  const largest = Math.max(...answers.map(({ text }) => text.length))
  const other = answers.filter(({ status }) => status !== 400).map(({ status }) => status)
  return {
    seen:
      `${answers.length} bodies; the dearest took ${dearest_ms} ms of the processor; ` +
      `others waited ${longest_ms} ms; answers ≤ ${largest} bytes`,
    wrong: [
      ...failed,
      ...unless(dearest_ms <= PROCESSOR_MILLISECONDS, `a body took ${dearest_ms} ms`),
      ...unless(largest <= ANSWER_BYTES, `an answer of ${largest} bytes`),
      ...unless(other.length === 0, `answers with ${[...new Set(other)].join()}`),
    ],
  }
}

const WANTED =
  `400 each; ≤ ${PROCESSOR_MILLISECONDS} ms of the processor; ` +
  `answers ≤ ${ANSWER_BYTES} bytes; others fail 0 times`

const asLargeAsTaken = (target: Target, shape: (bytes: number) => string): Ask[] =>
  target.endpoints
    .filter(({ method, body }) => method !== 'GET' && body !== undefined)
    .filter(({ path }) => !path.endsWith('/push'))
    .map((endpoint) => ({
      method: endpoint.method,
      path: pathOf(endpoint),
      token: target.other.people.EVERY.access_token,
      payload: shape(bodyBytesOf(endpoint) - SPARE_BYTES),
      from: ATTACKER,
    }))

/** Until the other side closes, or too long. */
async function unfinished(target: Target, head: string, drip: boolean): Promise<[string, number]> {
  const start = performance.now()
  const socket = target.client.open(head, ATTACKER)
  const dripping = drip ? setInterval(() => socket.write(' '), TRICKLE_MILLISECONDS) : undefined
  const answer = await Promise.race([told(socket), pause(UNFINISHED_SECONDS * 1000)])
  clearInterval(dripping)
  socket.destroy()
  return [answer ?? 'no answer', (performance.now() - start) / 1000]
}

const headOf = (path: string, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}`

export const BODIES: readonly Attack[] = [
  {
    of: 'BODIES',
    name: '1 MB of unknown fields without a login',
    does: 'sends a body of 1 MB with 90,000 unknown fields to each public endpoint',
    wanted: WANTED,
    run: async (target) => {
      const payload = unknownFields(WHOLE_BYTES)
      const open = target.endpoints.filter(
        ({ permission, path }) => permission === 'public' && !path.endsWith('/push'),
      )
      return wrongBodies(
        target,
        open.map((endpoint) => ({
          method: endpoint.method,
          path: pathOf(endpoint),
          payload,
          from: ATTACKER,
        })),
      )
    },
  },
  {
    of: 'BODIES',
    name: 'unknown fields, as many as each endpoint reads',
    does: 'sends every endpoint that takes a body one as large as it takes, of unknown fields',
    wanted: WANTED,
    run: (target) => wrongBodies(target, asLargeAsTaken(target, unknownFields)),
  },
  {
    of: 'BODIES',
    name: 'wrong items, as many as each endpoint reads',
    does: 'sends every endpoint that takes a body an array of numbers as large as it takes',
    wanted: WANTED,
    run: (target) => wrongBodies(target, asLargeAsTaken(target, wrongItems)),
  },
  {
    of: 'BODIES',
    name: 'bodies and heads that never end',
    does: 'begins requests and stops, or goes on with one byte a second',
    wanted: `408, or closed, within ${UNFINISHED_SECONDS} s`,
    run: async (target) => {
      const { access_token } = target.other.people.EVERY
      const length = 'Content-Length: 900\r\n\r\n{"email":'
      const heads: [string, boolean][] = [
        [headOf('/api/auth/login', length), false],
        [headOf('/api/auth/login', length), true],
        [headOf('/api/bookings', `Authorization: Bearer ${access_token}\r\n${length}`), true],
        [headOf('/api/auth/login', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"ema'), false],
        [headOf('/api/auth/login', 'X-Slow: '), true],
      ]
      const ends = await Promise.all(heads.map(([head, drip]) => unfinished(target, head, drip)))
      const longest = Math.max(...ends.map(([, seconds]) => seconds))
      return {
        seen: `closed after ${longest.toFixed(1)} s at most`,
        wrong: ends.flatMap(([answer, seconds], index) =>
          unless(
            /^(HTTP\/1\.1 (408|400) |$)/.test(answer) && seconds < UNFINISHED_SECONDS,
            `request ${index + 1}: ${answer.slice(0, 80)} after ${seconds.toFixed(1)} s`,
          ),
        ),
      }
    },
  },
]
