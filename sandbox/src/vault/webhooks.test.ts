import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, test } from 'node:test'
import { flattenedVerify } from 'jose'
import { until } from '../testing.ts'
import { transfer, VaultRig } from './rig.ts'

type Message = { body: string; signature: string }

const rig = new VaultRig()
const { approvedWallet, call, control } = rig
const messages: Message[] = []
let answer: number
let listener: Server

beforeEach(async () => {
  await rig.begin()
  messages.length = 0
  answer = 500
  listener = listen()
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve)
  })
  const { port } = listener.address() as AddressInfo
  await control('webhook', { url: `http://127.0.0.1:${port}/hook` })
})
afterEach(async () => {
  listener.closeAllConnections()
  listener.close()
  await rig.end()
})

function listen(): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        messages.push({
          body: Buffer.concat(chunks).toString(),
          signature: String(request.headers['fireblocks-webhook-signature']),
        })
        response.writeHead(answer).end()
      })
  })
}

test('webhooks are signed over the raw body, and repeated until they are taken', async () => {
  const id = await approvedWallet()
  const { body: sent } = await call('POST', '/transactions', transfer(id))
  await until('the first attempt', () => messages.length > 0)
  answer = 200
  const repeated = await until('the second attempt', () => {
    rig.world.advance(100)
    return messages.slice(1).find(({ body }) => body === messages[0]?.body)
  })
  await verify(repeated)
  const event = JSON.parse(repeated.body)
  assert.deepEqual(
    { type: event.eventType, id: event.resourceId, status: event.data.status },
    { type: 'transaction.created', id: sent.id, status: 'SUBMITTED' },
  )
  await until('the whole way', () => {
    rig.world.advance(250)
    return messages.some(({ body }) => JSON.parse(body).data.status === 'COMPLETED')
  })
})

test('a webhook comes twice on demand', async () => {
  answer = 200
  const id = await approvedWallet()
  rig.failNext('fireblocks', 'webhook', 'TWICE')
  await call('POST', '/transactions', transfer(id))
  await until('twice', () => new Set(messages.map(({ body }) => body)).size < messages.length)
})

async function verify({ body, signature }: Message): Promise<void> {
  const publicKey = createPublicKey(rig.credential('fireblocks-webhook.pem'))
  const [header = '', , bytes = ''] = signature.split('.')
  await flattenedVerify(
    { protected: header, payload: Buffer.from(body).toString('base64url'), signature: bytes },
    publicKey,
    { algorithms: ['RS512'] },
  )
}
