/** Requests that are for somebody else, or that came over plain HTTP where they must not. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { manualClock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { Db } from '../store/db.ts'
import { doorFrom } from './door.ts'
import { openMetricsPort } from './metrics-port.ts'
import { buildServer } from './server.ts'
import { closed, endpoint, flag } from './index.ts'

const log = pino({ level: 'silent' })

const arrival = endpoint({
  method: 'GET',
  operation_id: 'getArrival',
  path: '/arrival',
  origin: { ours: 'for this test' },
  tag: 'Overview',
  summary: 'Over what the request came',
  permission: 'public',
  data: closed({ https: flag() }),
  effect: 'read',
  handle: ({ https }) => ({ https }),
})

const guarded = endpoint({
  method: 'POST',
  operation_id: 'doGuarded',
  path: '/guarded',
  origin: { ours: 'for this test' },
  tag: 'Overview',
  summary: 'Needs a token',
  permission: 'authenticated',
  data: closed({ done: flag() }),
  effect: 'read',
  handle: () => ({ done: true }),
})

async function open(env: Record<string, string>, folder?: string) {
  return buildServer({
    // Nothing here reads the database.
    db: {} as Db,
    clock: manualClock(0),
    log,
    endpoints: [arrival, guarded],
    authenticate() {
      throw new ApiError('MissingToken')
    },
    ready: async () => undefined,
    metrics: new Registry(),
    public_metrics: true,
    public_documents: true,
    door: doorFrom(env),
    ...(folder === undefined
      ? {}
      : { console: { folder, facts: { version: '1', environment: 'live', documents: true } } }),
  })
}

type Server = Awaited<ReturnType<typeof open>>

async function builtConsole(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-built-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'assets/a.js'), '')
  await writeFile(join(folder, 'index.html'), '<head></head>')
  await writeFile(join(folder, 'pages.json'), '{}')
  return folder
}

describe('a host that is not ours', () => {
  let folder: string
  let server: Server
  let port: number
  before(async () => {
    folder = await builtConsole()
    server = await open({ KONTOR_HOSTS: 'kontor.example.com,2001:db8::5' }, folder)
    await server.listen({ port: 0, host: '127.0.0.1' })
    ;({ port } = server.server.address() as AddressInfo)
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })

  const statusAt = async (host: string, url = '/api/arrival') =>
    (await server.inject({ url, headers: { host } })).statusCode

  it('is refused wherever it is asked for, except at the probes', async () => {
    for (const [url, status] of [
      ['/api/arrival', 421],
      ['/api/openapi.json', 421],
      ['/api/docs/', 421],
      ['/api/nowhere', 421],
      ['/', 421],
      ['/treasury/deposits', 421],
      ['/assets/a.js', 421],
      ['/metrics', 421],
      ['/livez', 200],
      ['/healthz', 200],
      ['/readyz', 200],
      ['/readyz/../api/arrival', 421],
    ] as const)
      assert.equal(await statusAt('rebound.attacker.example', url), status, url)
    assert.equal(await statusAt('localhost', '/'), 200)
  })

  it('is refused with the envelope, before anything else is looked at', async () => {
    const answer = await server.inject({
      method: 'POST',
      url: '/api/guarded',
      headers: { host: 'rebound.attacker.example:4000', authorization: 'Bearer x' },
      payload: { nonsense: true },
    })
    const { request_id, ...envelope } = answer.json<{ request_id: string }>()
    assert.equal(typeof request_id, 'string')
    assert.deepEqual(
      [answer.statusCode, envelope],
      [
        421,
        {
          success: false,
          error_code: 4211,
          error_message: 'Misdirected request',
          error_description: 'rebound.attacker.example is no name of this service (KONTOR_HOSTS)',
        },
      ],
    )
  })

  it('is told from our names, with any port and in any spelling', async () => {
    for (const host of [
      'localhost',
      'localhost:4000',
      'LOCALHOST.',
      '127.0.0.1:5173',
      '[::1]:4000',
      'kontor.example.com',
      'Kontor.Example.Com.:443',
      '[2001:db8:0::5]',
    ])
      assert.equal(await statusAt(host), 200, host)
    for (const host of [
      'kontor.example.com.attacker.example',
      'notkontor.example.com',
      'localhost.attacker.example',
      '127.0.0.1.attacker.example',
      '127.0.0.2',
      '10.0.0.5',
      '[2001:db8::6]',
      '0.0.0.0',
    ])
      assert.equal(await statusAt(host), 421, host)
    for (const host of ['localhost@attacker.example', 'localhost,attacker.example', 'a b', ':1'])
      assert.equal(await statusAt(host), 400, host)
  })

  /** Sends bytes as they are. */
  const raw = (request: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(request))
      socket
        .on('data', (data: Buffer) => {
          answer += data.toString()
        })
        .on('close', () => {
          resolve(answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
        })
        .on('error', reject)
    })

  it('is found in whatever form a request names it', async () => {
    for (const [line, hosts, status] of [
      ['GET /api/arrival HTTP/1.1', ['localhost'], '200'],
      ['GET /api/arrival HTTP/1.1', [], '400'],
      ['GET /api/arrival HTTP/1.0', [], '400'],
      ['GET /livez HTTP/1.0', [], '200'],
      ['GET /api/arrival HTTP/1.1', ['localhost', 'attacker.example'], '400'],
      ['GET /api/arrival HTTP/1.1', ['localhost', 'localhost'], '400'],
      ['GET http://localhost/api/arrival HTTP/1.1', ['localhost'], '200'],
      ['GET http://attacker.example/api/arrival HTTP/1.1', ['localhost'], '400'],
      ['GET http://attacker.example/api/arrival HTTP/1.1', ['attacker.example'], '421'],
      ['GET http://localhost/api/arrival HTTP/1.1', ['attacker.example'], '400'],
    ] as const) {
      const fields = hosts.map((host) => `Host: ${host}\r\n`).join('')
      const answer = await raw(`${line}\r\n${fields}Connection: close\r\n\r\n`)
      assert.equal(answer, status, `${line} ${hosts.join()}`)
    }
  })

  it('is refused at the port of the metrics too', async () => {
    const place = { ...doorFrom({ KONTOR_HOSTS: 'kontor.example.com' }), port: 0, fixed: false }
    const metrics = new Registry()
    const opened = await openMetricsPort({ metrics, ready: async () => undefined, log }, place)
    const ask = async (host: string, path: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const socket = connect(opened.port, '127.0.0.1', () =>
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
      )
      let text = ''
      socket.on('data', (data: Buffer) => (text += data.toString()))
      socket.on('close', () => {
        resolve(text)
      })
      socket.on('error', reject)
      return promise
    }
    try {
      assert.match(await ask('kontor.example.com:4001', '/metrics'), /^HTTP\/1\.1 200/)
      assert.match(await ask('attacker.example', '/readyz'), /^HTTP\/1\.1 200/)
      assert.match(
        await ask('attacker.example', '/metrics'),
        /^HTTP\/1\.1 421 [^]*"error_code":4211.*attacker\.example is no name of this service/,
      )
    } finally {
      await opened.close()
    }
  })
})

describe('plain HTTP from other machines', () => {
  const PROXY = '10.0.0.7'
  const STRANGER = '203.0.113.9'
  const SAYS = { https: { 'x-forwarded-proto': 'https' }, http: { 'x-forwarded-proto': 'http' } }
  const ask = async (server: Server, from: string, headers: Record<string, string> = {}) => {
    const answer = await server.inject({ url: '/api/arrival', remoteAddress: from, headers })
    return answer.json<{ data?: { https: boolean } }>().data?.https ?? answer.statusCode
  }

  it('is refused unless a trusted proxy says that it was HTTPS outside', async () => {
    const server = await open({ HOST: '0.0.0.0', KONTOR_TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.9' })
    try {
      for (const [from, headers, expected] of [
        [PROXY, SAYS.https, true],
        [PROXY, { 'x-forwarded-proto': 'HTTPS, https' }, true],
        [PROXY, SAYS.http, 421],
        [PROXY, { 'x-forwarded-proto': 'https, http' }, 421],
        [PROXY, { 'x-forwarded-proto': 'http, https' }, 421],
        [PROXY, { 'x-forwarded-proto': '' }, 421],
        [PROXY, {}, 421],
        [`::ffff:${PROXY}`, SAYS.https, true],
        [STRANGER, SAYS.https, 421],
        [STRANGER, { ...SAYS.https, 'x-forwarded-for': PROXY }, 421],
        [STRANGER, {}, 421],
        // A program of this machine, and a proxy on it.
        ['127.0.0.1', {}, false],
        ['::1', {}, false],
        ['127.0.0.1', SAYS.https, false],
        ['127.0.0.9', {}, false],
        ['127.0.0.9', SAYS.https, true],
        ['127.0.0.9', SAYS.http, 421],
        ['127.0.0.9', { 'x-forwarded-for': STRANGER }, 421],
      ] as const)
        assert.equal(
          await ask(server, from, headers),
          expected,
          `${from} ${JSON.stringify(headers)}`,
        )
      const refused = await server.inject({ url: '/api/arrival', remoteAddress: PROXY })
      assert.match(refused.body, /the proxy does not say .* over HTTPS \(X-Forwarded-Proto\)/)
      const probe = await server.inject({ url: '/readyz', remoteAddress: STRANGER })
      assert.equal(probe.statusCode, 200)
    } finally {
      await server.close()
    }
  })

  it('is refused of a proxy on the same machine too', async () => {
    const server = await open({ KONTOR_TRUSTED_PROXIES: '127.0.0.1' })
    try {
      assert.equal(await ask(server, '127.0.0.1', SAYS.http), 421)
      assert.equal(await ask(server, '127.0.0.1', SAYS.https), true)
      assert.equal(await ask(server, '127.0.0.1'), false)
    } finally {
      await server.close()
    }
  })

  it('is taken where it was asked for', async () => {
    const env = { HOST: '0.0.0.0', KONTOR_PLAIN_HTTP: 'on', KONTOR_TRUSTED_PROXIES: PROXY }
    const server = await open(env)
    try {
      assert.equal(await ask(server, STRANGER), false)
      assert.equal(await ask(server, STRANGER, SAYS.https), false, 'a stranger is not believed')
      assert.equal(await ask(server, PROXY, SAYS.http), false)
      assert.equal(await ask(server, PROXY, SAYS.https), true)
    } finally {
      await server.close()
    }
  })
})
