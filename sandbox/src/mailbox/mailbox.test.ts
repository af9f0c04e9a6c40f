import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { openWorld } from '../world.ts'
import type { World } from '../world.ts'
import { openMailbox } from './mailbox.ts'
import { readMessage } from './message.ts'

const dir = mkdtempSync(join(tmpdir(), 'mailbox-'))
let world: World
let mailbox: Awaited<ReturnType<typeof openMailbox>>
let server: FastifyInstance

async function open(): Promise<void> {
  world = openWorld(dir)
  mailbox = await openMailbox(world)
  server = Fastify()
  mailbox.mount(server)
}
async function close(): Promise<void> {
  await mailbox.close?.()
  await server.close()
  world.close()
}
before(open)
after(async () => {
  await close()
  rmSync(dir, { recursive: true, force: true })
})

/** Speaks SMTP by hand; answers the codes that came back. */
async function send(to: string, message: string): Promise<string[]> {
  const socket = net.connect(mailbox.port, '127.0.0.1')
  const codes: string[] = []
  const lines = [
    'EHLO kontor',
    'MAIL FROM:<office@kontor.example>',
    `RCPT TO:<${to}>`,
    'DATA',
    `${message}\r\n.`,
    'QUIT',
  ]
  for await (const line of createInterface({ input: socket })) {
    if (line[3] === '-') continue
    codes.push(line.slice(0, 3))
    const next = lines.shift()
    if (next !== undefined) socket.write(`${next}\r\n`)
  }
  return codes
}
type ShownMail = { recipient: string; subject: string; text: string; message_id: string }
const shown = async (query = '') =>
  (await server.inject({ url: `/control/mailbox${query}` })).json<ShownMail[]>()

test('what arrives can be read, per recipient, also after a restart at the same port', async () => {
  assert.equal(
    (
      await send(
        'ada@customer.example',
        [
          'Message-ID: <1@kontor>',
          'Subject: =?UTF-8?Q?Gru=C3=9F_an?= Ada',
          'Content-Transfer-Encoding: quoted-printable',
          '',
          '1 =E2=82=AC and =',
          'more',
        ].join('\r\n'),
      )
    ).at(-1),
    '221',
  )
  await send('bob@customer.example', 'Subject: other\r\n\r\nx')
  const [mail] = await shown('?to=ada@customer.example')
  assert.deepEqual(
    [mail?.message_id, mail?.subject, mail?.text.trim()],
    ['<1@kontor>', 'Gruß an Ada', '1 € and more'],
  )
  assert.deepEqual(
    (await shown()).map((shown) => shown.recipient),
    ['bob@customer.example', 'ada@customer.example'],
  )
  const { port } = mailbox
  await close()
  await open()
  assert.equal(mailbox.port, port)
  assert.equal((await shown()).length, 2)
})

test('it refuses, or has no time, when it is told to', async () => {
  world.faults.add({
    venue: 'mailbox',
    operation: 'receive',
    kind: 'REFUSE',
    remaining: 1,
    delay_ms: 0,
  })
  world.faults.add({
    venue: 'mailbox',
    operation: 'receive',
    kind: 'DOWN',
    remaining: 1,
    delay_ms: 0,
  })
  await server.inject({ method: 'DELETE', url: '/control/mailbox' })
  assert.ok((await send('ada@customer.example', 'Subject: a\r\n\r\nx')).includes('550'))
  assert.ok((await send('ada@customer.example', 'Subject: b\r\n\r\nx')).includes('451'))
  assert.deepEqual(await shown(), [])
})

test('messages are read as a person sees them', () => {
  assert.deepEqual(
    readMessage(
      [
        'Subject: =?utf-8?B?R3LDvMOfZQ==?=',
        ' =?UTF-8?Q?_x?=',
        'Content-Transfer-Encoding: base64',
        '',
        'w6Q=',
      ].join('\r\n'),
    ),
    { message_id: '', subject: 'Grüße x', text: 'ä' },
  )
  assert.deepEqual(readMessage('Message-ID: <a>'), { message_id: '<a>', subject: '', text: '' })
})
