/**
 * Stands between the service and PostgreSQL and cuts connections at COMMIT: before it took effect
 * (it never reaches the server) or after (it does, and nobody gets the answer). Whose transactions
 * are cut is known by a text that one of their messages holds.
 */
import { createConnection, createServer } from 'node:net'
import type { Socket } from 'node:net'

export type CutAt = 'before COMMIT' | 'after COMMIT'

export type Cut = {
  at: CutAt
  marks: string[]
  /** Transactions that held a mark and came to their COMMIT. */ seen: number
  cuts: number
  live: boolean
}

type DatabaseProxy = {
  url: string
  /**
   * Before: every other commit, so that what is tried again goes through. After: every one; the
   * limit ends what would repeat for ever.
   */
  cut(at: CutAt, marks: string[]): Cut
  close(): Promise<void>
}

const MAXIMUM_CUTS = 12
const HEADER = 5

export async function openDatabaseProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url)
  const cuts: Cut[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const backend = createConnection({ host: target.hostname, port: Number(target.port) })
    for (const socket of [client, backend]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        backend.destroy()
      })
      // The other side learns of it by the close.
      socket.on('error', () => undefined)
    }
    join(client, backend, cuts)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port')
  const own = new URL(url)
  own.hostname = '127.0.0.1'
  own.port = String(address.port)
  own.searchParams.delete('host')
  return {
    url: own.href,
    cut(at, marks) {
      const cut: Cut = { at, marks, seen: 0, cuts: 0, live: true }
      cuts.push(cut)
      return cut
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve()
        })
      })
    },
  }
}

function join(client: Socket, backend: Socket, cuts: readonly Cut[]): void {
  let pending = Buffer.alloc(0)
  let started = false
  let silenced = false
  const commits = new Set<string>()
  let marked = new Set<Cut>()

  backend.on('data', (chunk) => {
    if (!silenced) client.write(chunk)
    else if (chunk.includes('COMMIT\0')) client.destroy()
  })
  client.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk])
    const whole: Buffer[] = []
    for (let message = next(); message !== undefined; message = next()) {
      for (const cut of cuts)
        if (cut.live && cut.marks.some((mark) => message?.includes(mark))) marked.add(cut)
      if (isCommit(message, commits)) {
        const due = [...marked].filter((cut) => cut.live && isDue(cut))
        marked = new Set()
        const [first] = due
        if (first?.at === 'before COMMIT') {
          backend.destroy()
          client.destroy()
          return
        }
        if (first !== undefined) silenced = true
      }
      whole.push(message)
    }
    if (whole.length > 0) backend.write(Buffer.concat(whole))
  })

  /** The first message has no type byte. */
  function next(): Buffer | undefined {
    const at = started ? 1 : 0
    if (pending.length < at + 4) return undefined
    const size = at + pending.readInt32BE(at)
    if (pending.length < size) return undefined
    started = true
    const message = pending.subarray(0, size)
    pending = pending.subarray(size)
    return message
  }
}

function isDue(cut: Cut): boolean {
  cut.seen += 1
  if (cut.cuts >= MAXIMUM_CUTS || (cut.at === 'before COMMIT' && cut.seen % 2 === 0)) return false
  cut.cuts += 1
  return true
}

/** A simple query that ends in COMMIT, or the binding of a statement that was prepared as it. */
function isCommit(message: Buffer, commits: Set<string>): boolean {
  const type = String.fromCharCode(message[0] ?? 0)
  if (type === 'Q') return /(^|;\s*)commit$/.test(textAt(message, HEADER).text)
  if (type === 'P') {
    const { text: name, end } = textAt(message, HEADER)
    if (textAt(message, end).text === 'commit') commits.add(name)
    else commits.delete(name)
  }
  if (type !== 'B') return false
  const { end } = textAt(message, HEADER)
  return commits.has(textAt(message, end).text)
}

function textAt(message: Buffer, start: number): { text: string; end: number } {
  const end = message.indexOf(0, start)
  return { text: message.toString('utf8', start, end).toLowerCase(), end: end + 1 }
}
