/**
 * Closed-loop load: a number of connections, each sending its next request when the answer to the last has arrived.
 * Raw sockets, so that the generator costs little beside what it measures. Bounded in time.
 */
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export type Measured = { rate: number; p50_ms: number; p99_ms: number; answered: number; failed: number }

export type Load = {
  host: string
  port: number
  connections: number
  seconds: number
  /** The whole HTTP request, head and body, anew for each call. */
  request(): string
}

export async function run(load: Load): Promise<Measured> {
  const latencies: number[] = []
  let failed = 0
  const start = performance.now()
  const end = start + load.seconds * 1000
  await Promise.all(Array.from({ length: load.connections }, () => caller(load, end, (milliseconds, ok) => {
    if (ok) latencies.push(milliseconds)
    else failed += 1
  })))
  const elapsed = (performance.now() - start) / 1000
  return { ...summary(latencies, elapsed), failed }
}

export function summary(latencies: number[], elapsedSeconds: number): Omit<Measured, 'failed'> {
  const sorted = Float64Array.from(latencies).toSorted()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { rate: latencies.length / elapsedSeconds, p50_ms: at(0.5), p99_ms: at(0.99), answered: latencies.length }
}

async function caller(load: Load, end: number, done: (milliseconds: number, ok: boolean) => void): Promise<void> {
  const socket = await open(load)
  return new Promise((resolve, reject) => {
    let sentAt = 0
    let buffered = ''
    const send = () => {
      if (performance.now() >= end) {
        socket.destroy()
        return resolve()
      }
      sentAt = performance.now()
      socket.write(load.request())
    }
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1')
      const head = buffered.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/content-length: (\d+)/i.exec(buffered.slice(0, head))?.[1] ?? 0)
      if (buffered.length < head + 4 + length) return
      done(performance.now() - sentAt, buffered.startsWith('HTTP/1.1 200'))
      buffered = ''
      send()
    })
    socket.on('error', reject)
    send()
  })
}

function open(load: Load): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: load.host, port: load.port, noDelay: true }, () => { resolve(socket) })
    socket.once('error', reject)
  })
}

export function post(path: string, token: string, key: string, body: string, host: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

export function get(path: string, token: string, host: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`
}
