import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { get, run } from './load.ts'

const HOST = '127.0.0.1'

async function loaded(connections: number, answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((ready) => {
    server.listen(0, HOST, ready)
  })
  const { port } = server.address() as AddressInfo
  try {
    const request = () => get('/', 'nobody', `${HOST}:${port}`)
    return await run({ host: HOST, port, connections, seconds: 0.2, request })
  } finally {
    server.close()
  }
}

test('what is refused for a while is told from what fails', async () => {
  const statuses = [200, 429, 503, 500]
  let asked = 0
  const { answered, failed, refused, ended } = await loaded(1, (_, response) => {
    response.writeHead(statuses[asked] ?? 200).end()
    asked += 1
  })
  assert.deepEqual([failed, refused, ended], [3, 2, 0])
  assert.equal(answered, asked - failed)
})

test('a connection that the other side ends is counted, and holds up none', async () => {
  let asked = 0
  const { answered, failed, ended } = await loaded(2, (_, response) => {
    asked += 1
    if (asked === 3) response.socket?.end()
    else response.end()
  })
  assert.deepEqual([failed, ended], [1, 1])
  assert.equal(answered, asked - 1)
})
