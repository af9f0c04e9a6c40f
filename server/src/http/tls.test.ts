/** The server's own TLS: what it shows, and how it is renewed. */
import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { manualClock } from '../core/clock.ts'
import { until } from '../core/testing.ts'
import type { Db } from '../store/db.ts'
import { certificateFigures, openCertificate } from './certificate.ts'
import type { Certificate, CertificateFiles } from './certificate.ts'
import { selfSigned, writePair } from './certificates.testing.ts'
import { doorFrom, metricsDoorFrom } from './door.ts'
import { limitsFrom } from './limits.ts'
import type { Limits } from './limits.ts'
import { openMetricsPort } from './metrics-port.ts'
import { buildServer } from './server.ts'

const NAMES = ['localhost', 'kontor.example.com']
const silent = pino({ level: 'silent' })

function serverWith(
  certificate: Certificate,
  files: CertificateFiles,
  limits: Partial<Limits> = {},
): Promise<FastifyInstance> {
  return buildServer({
    // Nothing here reads the database.
    db: {} as Db,
    clock: manualClock(0),
    log: silent,
    endpoints: [],
    authenticate: () => assert.fail(),
    ready: async () => undefined,
    metrics: new Registry(),
    limits: { ...limitsFrom({}), ...limits },
    door: doorFrom({
      KONTOR_TLS_CERTIFICATE: files.certificate,
      KONTOR_TLS_KEY: files.key,
      KONTOR_HOSTS: 'kontor.example.com,localhost',
    }),
    certificate,
  })
}

async function listen(server: FastifyInstance): Promise<number> {
  await server.listen({ port: 0, host: '127.0.0.1' })
  return (server.server.address() as AddressInfo).port
}

type Asked = { status: number | undefined; headers: Record<string, unknown>; fingerprint: string }

/** Over a connection of its own, or that of the agent. */
async function ask(port: number, ca: string, more: { agent?: Agent; host?: string } = {}) {
  const { agent = new Agent({ maxCachedSessions: 0 }), host = 'localhost' } = more
  const { promise, resolve, reject } = Promise.withResolvers<Asked>()
  const headers = { host: `${host}:${port}` }
  const options = { host: '127.0.0.1', port, path: '/readyz', headers, servername: host, ca, agent }
  request(options, (answer) => {
    const socket = answer.socket as TLSSocket
    const fingerprint = socket.getPeerCertificate().fingerprint256
    answer.resume().once('end', () => {
      resolve({ status: answer.statusCode, headers: answer.headers, fingerprint })
    })
  })
    .once('error', reject)
    .end()
  return promise
}

/** The protocol of a handshake, or the code of its failure. */
async function handshake(port: number, ca: string, options: ConnectionOptions): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca, ...options })
  socket.once('secureConnect', () => {
    resolve(String(socket.getProtocol()))
  })
  socket.once('error', ({ code }: NodeJS.ErrnoException) => {
    resolve(String(code))
  })
  const outcome = await promise
  socket.destroy()
  return outcome
}

describe('TLS', () => {
  const first = selfSigned(NAMES)
  const logged: { msg: string; fault?: string }[] = []
  const log = pino(
    { level: 'info' },
    {
      write: (line: string) => {
        logged.push(JSON.parse(line) as { msg: string })
      },
    },
  )
  let folder: string
  let files: CertificateFiles
  let certificate: Certificate
  let server: FastifyInstance
  let port: number
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kontor-tls-'))
    files = await writePair(folder, first)
    certificate = (await openCertificate(files, log)) ?? assert.fail()
    server = await serverWith(certificate, files)
    port = await listen(server)
  })
  after(async () => {
    await server.close()
    certificate.close()
    await rm(folder, { recursive: true })
  })

  it('is 1.2 at least', async () => {
    assert.equal(await handshake(port, first.cert, {}), 'TLSv1.3')
    assert.equal(await handshake(port, first.cert, { maxVersion: 'TLSv1.2' }), 'TLSv1.2')
    const old = {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    } as const
    assert.match(await handshake(port, first.cert, old), /ALERT_PROTOCOL_VERSION/)
  })

  it('lets browsers come over HTTPS alone to the names it was given', async () => {
    const named = await ask(port, first.cert, { host: 'kontor.example.com' })
    assert.equal(named.headers['strict-transport-security'], 'max-age=31536000')
    const local = await ask(port, first.cert)
    assert.deepEqual([local.status, local.headers['strict-transport-security']], [200, undefined])
  })

  it('is not spoken to in plain text, and nothing else stops by that', async () => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    })
    let answer = ''
    socket.on('data', (data: Buffer) => {
      answer += data.toString('latin1')
    })
    await once(socket, 'close')
    assert.doesNotMatch(answer, /HTTP\/1/)
    assert.equal((await ask(port, first.cert)).status, 200)
  })

  it('shows a renewed certificate to new connections, and keeps the others', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const before = await ask(port, first.cert, { agent })
    const second = selfSigned(NAMES)
    await writePair(folder, second)
    await certificate.look()
    const [kept, renewed] = [await ask(port, first.cert, { agent }), await ask(port, second.cert)]
    assert.equal(kept.fingerprint, before.fingerprint)
    assert.notEqual(renewed.fingerprint, before.fingerprint)
    await assert.rejects(ask(port, first.cert), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    const old = {
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    } as const
    assert.match(await handshake(port, second.cert, old), /ALERT_PROTOCOL_VERSION/)
    agent.destroy()
    assert.deepEqual(
      logged.map(({ msg }) => msg),
      ['a new certificate is in use'],
    )
  })

  it('stays as it is while the files hold no pair that can be used, and says so once', async () => {
    const current = selfSigned(NAMES)
    await writePair(folder, current)
    await certificate.look()
    const other = selfSigned(NAMES)
    const expired = selfSigned(NAMES, -1_000)
    logged.length = 0
    for (const [pair, reason] of [
      [{ ...other, key: current.key }, /the key in .*kontor\.key is not that of .*kontor\.crt/],
      [{ ...other, cert: 'nonsense' }, /KONTOR_TLS_CERTIFICATE: .* holds no certificate/],
      [{ ...other, key: '' }, /KONTOR_TLS_KEY: .* holds no key/],
      [expired, /the certificate has expired/],
    ] as const) {
      await writePair(folder, pair)
      await certificate.look()
      await certificate.look()
      assert.match(logged.pop()?.fault ?? '', reason)
      assert.deepEqual(logged, [])
      assert.equal((await ask(port, current.cert)).status, 200)
      assert.equal((await gauges())['kontor_certificate_refused'], 1)
    }
    await rm(files.key)
    await certificate.look()
    assert.match(
      logged.pop()?.fault ?? '',
      /KONTOR_TLS_KEY: .*kontor\.key cannot be read: .*ENOENT/,
    )
    await writePair(folder, current)
    await certificate.look()
    assert.equal((await gauges())['kontor_certificate_refused'], 0)
  })

  async function gauges(): Promise<Record<string, number | undefined>> {
    const values = await certificateFigures(certificate).read()
    return Object.fromEntries(
      Object.entries(values).map(([name, [sample]]) => [name, sample?.value]),
    )
  }

  it('shows how long the certificate is still valid', async () => {
    await writePair(folder, selfSigned(NAMES, 600_000))
    await certificate.look()
    const left = (await gauges())['kontor_certificate_left_seconds'] ?? 0
    assert.ok(left > 500 && left <= 600, `${left} s`)
    const none = await certificateFigures(undefined).read()
    assert.deepEqual(Object.values(none), [[], []])
  })

  it('is that of the metrics too, where other machines read them', async () => {
    const pair = selfSigned(NAMES)
    await writePair(folder, pair)
    await certificate.look()
    const env = { KONTOR_TLS_CERTIFICATE: files.certificate, KONTOR_TLS_KEY: files.key }
    const place = { ...metricsDoorFrom({ KONTOR_METRICS_HOST: '0.0.0.0', ...env }), port: 0 }
    const parts = { metrics: new Registry(), ready: async () => undefined, log: silent }
    const opened = await openMetricsPort({ ...parts, certificate }, { ...place, fixed: false })
    try {
      const { fingerprint } = await ask(opened.port, pair.cert)
      const renewed = selfSigned(NAMES)
      await writePair(folder, renewed)
      await certificate.look()
      assert.notEqual((await ask(opened.port, renewed.cert)).fingerprint, fingerprint)
    } finally {
      await opened.close()
    }
  })

  it('counts connections before they are encrypted, and cuts those beyond the limit', async () => {
    const limits = { connections_per_address: 1 }
    await writePair(folder, first)
    await certificate.look()
    const narrow = await serverWith(certificate, files, limits)
    const at = await listen(narrow)
    try {
      const socket = connectTls({ port: at, servername: 'localhost', ca: first.cert })
      await once(socket, 'secureConnect')
      const silentOne = connect(at, '127.0.0.1')
      await once(silentOne, 'close')
      socket.destroy()
      const asked = await until('a free place', () => ask(at, first.cert).catch(() => undefined))
      assert.equal(asked.status, 200)
    } finally {
      await narrow.close()
    }
  })
})

it('a pair that cannot be used refuses the start with the file that is wrong', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-tls-'))
  try {
    const [own, other] = [selfSigned(), selfSigned()]
    const sealed = createPrivateKey(own.key)
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
      .toString()
    for (const [pair, reason] of [
      [{ ...own, key: other.key }, /KONTOR_TLS_KEY: the key in .* is not that of /],
      [{ ...own, key: sealed }, /KONTOR_TLS_KEY: .* holds no key that opens without a passphrase/],
      [{ ...own, cert: own.key }, /KONTOR_TLS_CERTIFICATE: .* holds no certificate/],
    ] as const)
      await assert.rejects(openCertificate(await writePair(folder, pair), silent), reason)
    const files = { certificate: join(folder, 'missing.crt'), key: join(folder, 'kontor.key') }
    await assert.rejects(
      openCertificate(files, silent),
      /KONTOR_TLS_CERTIFICATE: .*missing\.crt cannot be read/,
    )
    assert.equal(await openCertificate(undefined, silent), undefined)
    // An expired one is shown to who looks; the service does its other work.
    const expired = await openCertificate(await writePair(folder, selfSigned([], -1_000)), silent)
    assert.ok((expired?.left_ms ?? 0) < 0)
    expired?.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})
