/** What every answer tells beside its body: which request it answers, and how to authenticate. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { isId } from '../core/ids.ts'
import { fixture } from './http.fixture.ts'

const { server, close } = await fixture()
after(close)
const address = await server.listen({ port: 0, host: '127.0.0.1' })
const ask = (path: string, token?: string) =>
  fetch(`${address}${path}`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })

test('every answer names its request, and a refusal names the same', async () => {
  const seen = new Set<string>()
  for (const [path, status, token] of [
    ['/api/things', 200, 'all'],
    ['/api/things?limit=0', 400, 'all'],
    ['/api/guarded', 403, 'none'],
    ['/api/nothing', 404, 'all'],
    ['/api/broken', 500, 'all'],
    ['/api/openapi.json', 200],
    ['/nothing', 404],
    ['/readyz', 200],
  ] as const) {
    const answer = await ask(path, token)
    assert.equal(answer.status, status, path)
    const id = answer.headers.get('x-request-id') ?? ''
    assert.ok(isId(id), `${path}: ${id}`)
    seen.add(id)
    const body = await answer.text()
    if (status >= 400) assert.equal((JSON.parse(body) as { request_id: string }).request_id, id)
  }
  assert.equal(seen.size, 8)
})

test('what is no request at all gets a name too', async () => {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('NONSENSE\r\n\r\n')
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  const [, id] = /^x-request-id: (.+)$/im.exec(head) ?? []
  assert.equal((JSON.parse(body) as { request_id: string }).request_id, id)
})

test('who is not known is told how to authenticate, and others are not', async () => {
  const challenge = async (token?: string) =>
    (await ask('/api/guarded', token)).headers.get('www-authenticate')
  assert.equal(await challenge(), 'Bearer realm="kontor"')
  assert.equal(await challenge('none'), null)
})
