/**
 * Closed-loop load: a number of connections, each sending its next request when the answer to the
 * last has arrived. Raw sockets, so that the generator costs little beside what it measures.
 * Bounded in time.
 */
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export type Measurement = {
  rate: number
  p50_ms: number
  p99_ms: number
  answered: number
  failed: number
}

/** `failed` has these too. */
type Refusals = {
  /** Answered with 429 or 503: to be asked for later. */
  refused: number
  /** Connections that the other side has ended. */
  ended: number
}

type Target = {
  host: string
  port: number
  /** The whole HTTP request, head and body, anew for each call. */
  request(): string
}

type Load = Target & {
  connections: number
  seconds: number
  /**
   * The generator never sleeps: waking it is paid by whoever answers, and the more the slower it
   * is. It takes a whole core.
   */
  awake?: boolean
}

export async function run(load: Load): Promise<Measurement & Refusals> {
  const latencies: number[] = []
  const counts = { failed: 0, refused: 0, ended: 0 }
  const start = performance.now()
  const end = start + load.seconds * 1000
  const turn = () => {
    if (performance.now() < end) setImmediate(turn)
  }
  if (load.awake === true) turn()
  await Promise.all(
    Array.from({ length: load.connections }, () =>
      caller(load, end, (milliseconds, status) => {
        if (status === 200) latencies.push(milliseconds)
        else counts.failed += 1
        if (REFUSED.includes(status)) counts.refused += 1
        if (status === ENDED) counts.ended += 1
      }),
    ),
  )
  const elapsed = (performance.now() - start) / 1000
  return { ...summary(latencies, elapsed), ...counts }
}

const REFUSED = [429, 503]
/** In the place of a status. */
const ENDED = 0

/** What is due in the first `uncounted_seconds` is asked for and not counted. */
type Pace = Load & { per_second: number; uncounted_seconds?: number }

/**
 * Open loop: a request at every moment that is due, whether or not the ones before were answered;
 * each counts from its moment.
 */
export async function runPaced(load: Pace): Promise<Measurement> {
  let failed = 0
  // The clock starts when all connections stand.
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(load)))
  const idle: ((answered: PendingAnswer) => void)[] = []
  const waiting: PendingAnswer[] = []
  const send = (answered: PendingAnswer) => {
    const free = idle.pop()
    if (free === undefined) waiting.push(answered)
    else free(answered)
  }
  for (const socket of sockets) {
    let current: PendingAnswer | undefined
    const ask = (answered: PendingAnswer) => {
      current = answered
      socket.write(load.request())
    }
    socket.on(
      'data',
      answers((ok) => {
        if (!ok) failed += 1
        current?.done()
        const next = waiting.shift()
        if (next === undefined) idle.push(ask)
        else ask(next)
      }),
    )
    socket.on('error', (error) => {
      current?.fail(error)
    })
    idle.push(ask)
  }
  const measured = await paceWork(
    load,
    () =>
      new Promise<void>((done, fail) => {
        send({ done, fail })
      }),
  )
  for (const socket of sockets) socket.destroy()
  return { ...measured, failed }
}

type PendingAnswer = { done(): void; fail(error: Error): void }

/** The same pace for any work: it is begun at every moment that is due, and timed from there. */
export async function paceWork(
  {
    per_second,
    seconds,
    uncounted_seconds = 0,
  }: Pick<Pace, 'per_second' | 'seconds' | 'uncounted_seconds'>,
  work: () => Promise<void>,
): Promise<Measurement> {
  const latencies: number[] = []
  const works: Promise<void>[] = []
  const uncounted = uncounted_seconds * 1000
  const total = Math.floor(seconds * per_second)
  const start = performance.now()
  const timed = async (due: number) => {
    await work()
    if (due - start >= uncounted) latencies.push(performance.now() - due)
  }
  while (works.length < total) {
    const due = start + (works.length * 1000) / per_second
    if (due <= performance.now()) works.push(timed(due))
    else
      await new Promise((resolve) => {
        setTimeout(resolve, 1)
      })
  }
  await Promise.all(works)
  return { ...summary(latencies, (performance.now() - start - uncounted) / 1000), failed: 0 }
}

/** Tells of each whole answer on a socket whether it was a 200, and its bytes as text. */
function answers(done: (ok: boolean, answer: string) => void): (chunk: Buffer) => void {
  let buffered = ''
  return (chunk) => {
    buffered += chunk.toString('latin1')
    const head = buffered.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/content-length: (\d+)/i.exec(buffered.slice(0, head))?.[1] ?? 0)
    if (buffered.length < head + 4 + length) return
    const answer = buffered
    buffered = ''
    done(answer.startsWith('HTTP/1.1 200'), answer)
  }
}

export function summary(latencies: number[], elapsedSeconds: number): Omit<Measurement, 'failed'> {
  const sorted = Float64Array.from(latencies).toSorted()
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return {
    rate: latencies.length / elapsedSeconds,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    answered: latencies.length,
  }
}

async function caller(
  load: Load,
  end: number,
  done: (milliseconds: number, status: number) => void,
): Promise<void> {
  const socket = await open(load)
  return new Promise((resolve, reject) => {
    let sentAt = 0
    const send = () => {
      if (performance.now() >= end) {
        socket.destroy()
        return resolve()
      }
      sentAt = performance.now()
      socket.write(load.request())
    }
    socket.on(
      'data',
      answers((_ok, answer) => {
        done(performance.now() - sentAt, Number(answer.slice(9, 12)))
        send()
      }),
    )
    socket.on('error', reject)
    socket.on('close', (isBroken) => {
      if (isBroken || performance.now() >= end) return
      done(performance.now() - sentAt, ENDED)
      resolve()
    })
    send()
  })
}

/** One request and its whole answer, head and body, as it went over the wire. */
export async function ask(target: Target): Promise<string> {
  const socket = await open(target)
  return new Promise((resolve, reject) => {
    socket.on(
      'data',
      answers((_ok, answer) => {
        socket.destroy()
        resolve(answer)
      }),
    )
    socket.on('error', reject)
    socket.write(target.request())
  })
}

function open(load: Target): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: load.host, port: load.port, noDelay: true }, () => {
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

type Post = { path: string; token: string; host: string; body: string; key?: string }

export function post({ path, token, host, body, key }: Post): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}` +
    '\r\nContent-Type: application/json\r\n' +
    `${key === undefined ? '' : `Idempotency-Key: ${key}\r\n`}Content-Length: ` +
    `${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

export function get(path: string, token: string, host: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`
}
