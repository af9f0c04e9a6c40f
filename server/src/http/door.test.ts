/** Which settings let a port be reached from where, and which refuse the start. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { doorFrom, hostIn, metricsDoorFrom, urlOf } from './door.ts'

type Env = Record<string, string>

const LOOPBACK = ['', '127.0.0.1', '127.1.2.3', '::1', 'localhost', 'LOCALHOST', '::ffff:127.0.0.1']
const BEYOND = ['0.0.0.0', '::', '10.0.0.5', '2001:db8::5', 'kontor.example.com', '127.1', '0']

const TLS = { KONTOR_TLS_CERTIFICATE: '/etc/kontor.crt', KONTOR_TLS_KEY: '/etc/kontor.key' }
const PROXIES = { KONTOR_TRUSTED_PROXIES: '10.0.0.0/8' }
const SETTINGS: readonly Env[] = [
  {},
  TLS,
  { KONTOR_TLS_CERTIFICATE: TLS.KONTOR_TLS_CERTIFICATE },
  { KONTOR_TLS_KEY: TLS.KONTOR_TLS_KEY },
].flatMap((tls) => [tls, { ...tls, ...PROXIES }])

/** How it starts, or the reason why it does not. */
function outcome(open: () => ReturnType<typeof doorFrom>): string {
  try {
    const { tls, isProxy, plain } = open()
    return [tls && 'TLS', isProxy && 'proxies', plain && 'plain'].filter(Boolean).join(' ')
  } catch (error) {
    return (error as Error).message
  }
}

const TOGETHER = 'KONTOR_TLS_CERTIFICATE and KONTOR_TLS_KEY belong together: set both'

describe('a port', () => {
  it('beyond loopback starts with TLS, with proxies, or when plain HTTP is asked for', () => {
    const table: [Env, string, string | RegExp][] = [
      [{}, '', /is reached from other machines/],
      [PROXIES, 'proxies', 'proxies'],
      [TLS, 'TLS', 'TLS'],
      [{ ...TLS, ...PROXIES }, 'TLS proxies', 'TLS proxies'],
      [{ KONTOR_PLAIN_HTTP: 'on' }, 'plain', 'plain'],
      [{ KONTOR_PLAIN_HTTP: 'off' }, '', /is reached from other machines/],
      [{ KONTOR_PLAIN_HTTP: 'on', ...PROXIES }, 'proxies plain', 'proxies plain'],
      [{ KONTOR_TRUSTED_PROXIES: '' }, '', /is reached from other machines/],
    ]
    for (const [env, near, far] of table) {
      for (const HOST of LOOPBACK)
        assert.equal(
          outcome(() => doorFrom({ HOST, ...env })),
          near,
          `${HOST} ${JSON.stringify(env)}`,
        )
      for (const HOST of BEYOND) {
        const found = outcome(() => doorFrom({ HOST, ...env }))
        if (typeof far === 'string') assert.equal(found, far, `${HOST} ${JSON.stringify(env)}`)
        else assert.match(found, far, `${HOST} ${JSON.stringify(env)}`)
      }
    }
  })

  it('says what may be set', () => {
    assert.equal(
      outcome(() => doorFrom({ HOST: '0.0.0.0' })),
      'HOST=0.0.0.0 is reached from other machines, and over plain HTTP anybody on the way can ' +
        'read and change what is sent: set KONTOR_TLS_CERTIFICATE and KONTOR_TLS_KEY, or name ' +
        'the proxies that speak HTTPS in KONTOR_TRUSTED_PROXIES, or ask for plain HTTP with ' +
        'KONTOR_PLAIN_HTTP=on (docs/operations.md, TLS)',
    )
  })

  it('is refused with half a pair, and with TLS and plain HTTP at once, wherever it is', () => {
    for (const HOST of [...LOOPBACK, ...BEYOND])
      for (const settings of SETTINGS)
        for (const plain of ['', 'on']) {
          const env = { HOST, ...settings, KONTOR_PLAIN_HTTP: plain }
          const files = Object.keys(settings).filter((name) => name in TLS).length
          const found = outcome(() => doorFrom(env))
          assert.equal(found === TOGETHER, files === 1, JSON.stringify(env))
          const isBoth = files === 2 && plain === 'on'
          assert.equal(/exclude each other/.test(found), isBoth, JSON.stringify(env))
        }
  })

  it('takes no setting for another one', () => {
    for (const [env, reason] of [
      [{ KONTOR_PLAIN_HTTP: 'yes' }, /KONTOR_PLAIN_HTTP must be on or off, not yes/],
      [{ KONTOR_TRUSTED_PROXIES: 'nginx' }, /nginx is neither an address/],
      [{ KONTOR_HOSTS: 'https://kontor.example.com' }, /KONTOR_HOSTS must hold names .* not https/],
      [{ KONTOR_HOSTS: 'kontor.example.com:443' }, /KONTOR_HOSTS must hold names/],
      [{ KONTOR_HOSTS: '*' }, /KONTOR_HOSTS must hold names/],
    ] as const)
      assert.match(
        outcome(() => doorFrom(env)),
        reason,
      )
    assert.deepEqual(
      doorFrom({ KONTOR_HOSTS: 'Kontor.example.com., 10.0.0.5 ,::1,[2001:0db8::5],' }).names,
      ['kontor.example.com', '10.0.0.5', '::1', '2001:db8::5'],
    )
  })

  it('of metrics has a rule and a setting of its own, and no TLS on loopback', () => {
    const table: [Env, string, string | RegExp][] = [
      [{}, '', /KONTOR_METRICS_HOST=.*KONTOR_METRICS_PLAIN_HTTP=on/],
      [{ KONTOR_PLAIN_HTTP: 'on' }, '', /KONTOR_METRICS_PLAIN_HTTP=on/],
      [{ KONTOR_METRICS_PLAIN_HTTP: 'on' }, 'plain', 'plain'],
      [TLS, '', 'TLS'],
      [{ ...TLS, KONTOR_METRICS_PLAIN_HTTP: 'on' }, 'plain', 'plain'],
      [PROXIES, 'proxies', 'proxies'],
    ]
    for (const [env, near, far] of table) {
      for (const KONTOR_METRICS_HOST of LOOPBACK)
        assert.equal(
          outcome(() => metricsDoorFrom({ KONTOR_METRICS_HOST, ...env })),
          near,
        )
      for (const KONTOR_METRICS_HOST of BEYOND) {
        const found = outcome(() => metricsDoorFrom({ KONTOR_METRICS_HOST, ...env }))
        if (typeof far === 'string') assert.equal(found, far)
        else assert.match(found, far)
      }
    }
  })

  it('says where it is found', () => {
    for (const [env, url] of [
      [{}, 'http://localhost:4000'],
      [{ HOST: '0.0.0.0', ...PROXIES, KONTOR_HOSTS: 'a.example' }, 'http://localhost:4000'],
      [{ HOST: '10.0.0.5', KONTOR_PLAIN_HTTP: 'on' }, 'http://10.0.0.5:4000'],
      [{ HOST: '::', ...TLS, KONTOR_HOSTS: 'a.example,b.example' }, 'https://a.example:4000'],
      [{ HOST: '2001:db8::5', ...TLS }, 'https://[2001:db8::5]:4000'],
    ] as const)
      assert.equal(urlOf(doorFrom(env), 4000), url)
  })
})

it('a host is a name and perhaps a port, and nothing else', () => {
  for (const [text, name] of [
    ['localhost:4000', 'localhost'],
    ['KONTOR.example.COM', 'kontor.example.com'],
    ['kontor.example.com.:443', 'kontor.example.com'],
    ['[2001:0DB8::1]:443', '2001:db8::1'],
    ['[::ffff:10.0.0.1]', '10.0.0.1'],
    ['', undefined],
    [':4000', undefined],
    ['user@kontor.example.com', undefined],
    ['kontor.example.com/', undefined],
    ['a, b', undefined],
    ['a b', undefined],
    ['[fe80::1%25eth0]', undefined],
    ['[nonsense]', undefined],
    ['kontor.example.com:port', undefined],
  ] as const)
    assert.equal(hostIn(text)?.name, name, text)
})

it('the service refuses to start before it looks for its database', async () => {
  const child = spawn(process.execPath, [new URL('../main.ts', import.meta.url).pathname], {
    env: { ...process.env, DATABASE_URL: 'postgres://127.0.0.1:1/none', HOST: '0.0.0.0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let words = ''
  child.stderr.on('data', (data: Buffer) => {
    words += data.toString()
  })
  const [code] = (await once(child, 'close')) as [number]
  assert.equal(code, 1)
  assert.match(words, /HOST=0\.0\.0\.0 is reached from other machines/)
})
