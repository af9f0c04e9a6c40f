/**
 * Where the mail of this world arrives: one SMTP server for every address, and a box to read. It
 * keeps its port for the world's whole life (SANDBOX_SMTP_PORT sets it). Faults `{venue:
 * "mailbox", operation: "receive"}`: REFUSE (no such mailbox), DOWN (not now),
 * TIMEOUT_AFTER_ACCEPT, LATE.
 *   GET /control/mailbox?to=      what arrived, newest first
 *   DELETE /control/mailbox       empties it
 */
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import type { SMTPServerSession } from 'smtp-server'
import type { Part } from '../part.ts'
import type { World } from '../world.ts'
import { readMessage } from './message.ts'

const MAXIMUM_SHOWN = 1_000
const MAXIMUM_BYTES = 1_048_576

type Mail = {
  id: number
  received_at: number
  sender: string
  recipient: string
  message_id: string
  subject: string
  text: string
}

type Insert = (message: Omit<Mail, 'id'>) => void

export async function openMailbox(world: World): Promise<Part & { port: number }> {
  world.db.exec(`
    create table if not exists mailbox (
      id integer primary key,
      received_at integer not null,
      sender text not null,
      recipient text not null,
      message_id text not null,
      subject text not null,
      text text not null
    )`)
  const insert = world.db.prepare(`
    insert into mailbox (received_at, sender, recipient, message_id, subject, text)
    values (:received_at, :sender, :recipient, :message_id, :subject, :text)`)
  const list = world.db.prepare(`
    select id, received_at, sender, recipient, message_id, subject, text
    from mailbox
    where ? is null
      or recipient = ?
    order by id desc
    limit ?`)
  const server = createServer(world, (message) => {
    insert.run(message)
  })
  // An error of one caller's connection concerns only that caller.
  server.on('error', () => undefined)
  const port = await listen(server, join(world.dir, 'smtp-port'))

  return {
    name: 'mailbox',
    port,
    mount(app) {
      app.get<{ Querystring: { to?: string } }>(
        '/control/mailbox',
        { schema: listSchema },
        (request, reply) => {
          const to = request.query.to ?? null
          return reply.send(list.all(to, to, MAXIMUM_SHOWN) as Mail[])
        },
      )
      app.delete('/control/mailbox', (_request, reply) => {
        world.db.exec('delete from mailbox')
        return reply.send([])
      })
    },
    close: () =>
      new Promise((done) => {
        server.close(() => {
          done()
        })
      }),
  }
}

const listSchema = {
  querystring: {
    type: 'object',
    additionalProperties: false,
    properties: { to: { type: 'string', maxLength: 320 } },
  },
}

function createServer(world: World, insert: Insert): SMTPServer {
  return new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    size: MAXIMUM_BYTES,
    closeTimeout: 1_000,
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream
        .on('data', (part: Buffer) => parts.push(part))
        .once('end', () => {
          receive(world, insert, { session, source: Buffer.concat(parts).toString() }, done)
        })
    },
  })
}

/** Stores the mail once for each recipient, and answers as a fault says. */
function receive(
  world: World,
  insert: Insert,
  { session, source }: { session: SMTPServerSession; source: string },
  done: (error?: Error | null) => void,
): void {
  const fault = world.faults.take('mailbox', 'receive')
  if (fault?.kind === 'REFUSE')
    return done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
  if (fault?.kind === 'DOWN')
    return done(Object.assign(new Error('not now'), { responseCode: 451 }))
  const message = readMessage(source)
  const { mailFrom, rcptTo } = session.envelope
  const sender = mailFrom === false ? '' : mailFrom.address
  world.commit(() => {
    for (const { address: recipient } of rcptTo) {
      insert({ received_at: world.now(), sender, recipient, ...message })
      world.received('mailbox', 'receive', `${message.message_id} ${recipient}`)
    }
  })
  if (fault?.kind === 'TIMEOUT_AFTER_ACCEPT') return
  const delay = fault?.kind === 'LATE' ? fault.delay_ms / Math.max(world.pace(), 0.001) : 0
  setTimeout(() => {
    done()
  }, delay)
}

/** The port that is set, else the one before, else any free one. */
async function listen(server: SMTPServer, file: string): Promise<number> {
  const before =
    process.env['SANDBOX_SMTP_PORT'] ?? (existsSync(file) ? readFileSync(file, 'utf8') : '0')
  try {
    server.listen(Number(before), '127.0.0.1')
    await once(server.server, 'listening')
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code !== 'EADDRINUSE' ||
      process.env['SANDBOX_SMTP_PORT'] !== undefined
    )
      throw error
    server.listen(0, '127.0.0.1')
    await once(server.server, 'listening')
  }
  const { port } = server.server.address() as AddressInfo
  writeFileSync(file, String(port))
  return port
}
