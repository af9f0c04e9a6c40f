/** What is seen only through a socket: headers, bytes that are no request, and what is counted. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { fixture } from './http.fixture.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

const { call, server, close } = await fixture()
after(close)
const address = await server.listen({ port: 0, host: '127.0.0.1' })
const token = 'all'
const good = { label: 'a', amount: '1.5' }
const UUID = '0190163d-8694-739b-aea5-966c26f8ad91'
const HEAD = 'Host: localhost\r\nConnection: close\r\nAuthorization: Bearer all\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'

/** Sends bytes as they are and answers all that came back until the other side closed. */
async function raw(request: string): Promise<string> {
  const { port } = server.server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(request, 'latin1')
    })
    socket
      .on('data', (data) => {
        answer += data.toString()
      })
      .on('close', () => {
        resolve(answer)
      })
      .on('error', reject)
  })
}

test('every answer tells browsers to run, frame and sniff nothing of it', async () => {
  for (const [method, path] of [
    ['GET', '/guarded'],
    ['GET', '/refused'],
    ['GET', '/broken'],
    ['GET', '/nowhere'],
    ['GET', '/things'],
    ['GET', '/things?limit=1'],
    ['POST', '/echo'],
    ['GET', '/echo/%E0%A4%A'],
  ] as const) {
    const { headers } = await fetch(`${address}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    })
    assert.deepEqual(
      Object.entries(SECURITY_HEADERS).filter(([name, value]) => headers.get(name) !== value),
      [],
      path,
    )
    assert.deepEqual(
      [
        headers.get('x-content-type-options'),
        headers.get('x-frame-options'),
        headers.get('referrer-policy'),
      ],
      ['nosniff', 'SAMEORIGIN', 'no-referrer'],
    )
    assert.match(
      String(headers.get('content-security-policy')),
      /^default-src 'self';.*object-src 'none'/,
    )
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  }
})

test('requests that are not valid HTTP are refused, and the server goes on', async () => {
  const body = JSON.stringify(good)
  for (const request of [
    `GET /api/echo/%E0%A4%A HTTP/1.1\r\n${HEAD}\r\n`,
    `GET /api/echo/${UUID}?flag=\xff HTTP/1.1\r\n${HEAD}\r\n`,
    `POST /api/echo HTTP/1.1\r\n${HEAD}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n` +
      '3\r\n{"l\r\n0\r\n\r\n',
    `POST /api/echo HTTP/1.1\r\n${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`,
    `POST /api/echo HTTP/1.1\r\n${HEAD}${JSON_TYPE}Content-Encoding: gzip\r\n` +
      'Content-Length: 2\r\n\r\n\x1f\x8b',
  ]) {
    const answer = await raw(request)
    assert.match(answer, /^HTTP\/1\.1 400 /, answer)
    assert.match(answer, /"error_code":3001/, answer)
  }
  for (const request of [
    'nonsense\r\n\r\n',
    `GET /api/things HTTP/1.1\r\n${HEAD}X: ${'x'.repeat(20_000)}\r\n\r\n`,
  ]) {
    const answer = await raw(request)
    assert.match(answer, /^HTTP\/1\.1 4\d\d /, answer)
    assert.match(answer, /"success":false,"error_code":3001/, answer)
  }
  assert.equal((await call('GET', '/guarded', { token })).status, 200)
})

test('what never became a request is told a precise reason too', async () => {
  const answer = await raw(`POST \\api\\echo HTTP/1.1\r\n${HEAD}\r\n`)
  const { error_details } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as {
    error_details: unknown
  }
  const message = 'not a valid HTTP request: Bad Request'
  assert.deepEqual(error_details, [{ path: '', code: 'FORMAT', message }])
})

test('an expectation that nobody knows is passed over', async () => {
  const answer = await raw(`GET /api/guarded HTTP/1.1\r\n${HEAD}Expect: 200-ok\r\n\r\n`)
  assert.match(answer, /^HTTP\/1\.1 200 [^]*"success":true/)
})

test('a request that names a type and sends nothing is answered like an empty body', async () => {
  const answerTo = async (path: string, length: string) => {
    const answer = await raw(`POST /api${path} HTTP/1.1\r\n${HEAD}${JSON_TYPE}${length}\r\n`)
    return [answer.slice(0, 'HTTP/1.1 200'.length), /"code":"(\w+)"/.exec(answer)?.[1]]
  }
  for (const [path, ...expected] of [
    ['/echo/bodyless', 'HTTP/1.1 200', undefined],
    ['/echo', 'HTTP/1.1 400', 'MALFORMED_JSON'],
    ['/nowhere', 'HTTP/1.1 404', 'NOT_FOUND'],
  ] as const) {
    for (const length of ['', 'Content-Length: 0\r\n'])
      assert.deepEqual(await answerTo(path, length), expected, `${path} ${length}`)
  }
})

test('every answer is counted once, by its route and status, whoever answered', async () => {
  const counted = async (route: string, status: number) => {
    const { body } = await server.inject({ url: '/metrics' })
    const labels = `method="GET",route="${route}",status="${status}"`
    const line = new RegExp(`^kontor_http_request_seconds_count\\{${labels}\\} (\\d+)$`, 'm')
    return Number(line.exec(body)?.[1] ?? 0)
  }
  for (const [path, route, status] of [
    ['/guarded', '/api/guarded', 200],
    ['/things', '/api/things', 200],
    ['/broken', '/api/broken', 500],
    ['/echo/7', '/api/echo/:thing_id', 400],
    ['/nothing', 'unknown', 404],
  ] as const) {
    const before = await counted(route, status)
    await raw(`GET /api${path} HTTP/1.1\r\n${HEAD}\r\n`)
    assert.equal(await counted(route, status), before + 1, path)
  }
})
