/** A call to receivers that are slow, dead, redirecting and lying. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { callReceiver } from '../core/calling.ts'
import type { Outcome } from '../core/calling.ts'
import { answering, Receiver } from './receiver.testing.ts'
import type { TargetRules } from '../core/targets.ts'

const CALL_MILLISECONDS = 300
const REST_MILLISECONDS = 100
/** Far less than the time of an unlimited call, and far more than a slow machine needs. */
const SOON_MILLISECONDS = 20_000

describe('a call to a receiver', () => {
  let receiver: Receiver
  before(async () => {
    receiver = await Receiver.open()
  })
  beforeEach(() => {
    receiver.reset()
  })
  after(() => receiver.close())

  async function call(
    url: string,
    { rules = receiver.rules, call_ms = SOON_MILLISECONDS }: Partial<Options> = {},
  ): Promise<Outcome> {
    const begin = performance.now()
    const body = '{}'
    const headers = { 'content-type': 'application/json', 'content-length': '2' }
    const options = { rules, call_ms, rest_ms: REST_MILLISECONDS }
    const outcome = await callReceiver({ url, headers, body }, options)
    assert.ok(performance.now() - begin < SOON_MILLISECONDS, 'it ends by itself')
    return outcome
  }
  type Options = { rules: TargetRules; call_ms: number }

  const failed = async (url: string, options?: Partial<Options>): Promise<string> => {
    const outcome = await call(url, options)
    assert.equal(outcome.answer, undefined, JSON.stringify(outcome))
    return outcome.answer === undefined ? outcome.reason : ''
  }
  const answered = async (url: string, options?: Partial<Options>) => {
    const { answer } = await call(url, options)
    assert.ok(answer !== undefined)
    return answer
  }

  it('keeps status, some headers and the beginning of the body', async () => {
    receiver.behaviours.set('/', (response) => {
      response.writeHead(202, { 'content-type': 'text/plain', 'set-cookie': 'a=b' }).end('thanks')
    })
    const { status, headers, body } = await answered(receiver.url())
    assert.deepEqual([status, headers, body], [202, { 'content-type': 'text/plain' }, 'thanks'])
    assert.deepEqual(
      receiver.received.map((one) => one.body),
      ['{}'],
    )
  })

  it('asked for the whole answer, it takes none that is cut off', async () => {
    const { rules } = receiver
    const ask = (longest: number) =>
      callReceiver(
        { url: receiver.url(), headers: {}, body: '' },
        { rules, longest, whole: true, call_ms: CALL_MILLISECONDS },
      )
    receiver.behaviours.set('/', (response) => {
      response.end('thanks')
    })
    assert.equal((await ask(100)).answer?.body, 'thanks')
    assert.deepEqual(await ask(3), { reason: 'the answer was cut off, or is too long' })
    receiver.behaviours.set('/', (response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half')
      response.socket?.end()
    })
    assert.deepEqual(await ask(100), { reason: 'the answer was cut off, or is too long' })
    receiver.behaviours.set('/', (response) => {
      response.write('half')
    })
    assert.deepEqual(await ask(100), { reason: 'no answer within 0.3 s' })
  })

  it('slow: without an answer in time it is given up', async () => {
    receiver.behaviours.set('/', () => undefined)
    assert.match(
      await failed(receiver.url(), { call_ms: CALL_MILLISECONDS }),
      /no answer within 0.3 s/,
    )
  })

  it('slow: half of a header is no answer', async () => {
    receiver.behaviours.set('/', (response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\nx-half: ')
    })
    assert.match(await failed(receiver.url(), { call_ms: CALL_MILLISECONDS }), /no answer within/)
  })

  it('dead: nobody listens, somebody hangs up, somebody speaks no HTTP', async () => {
    const closed = createServer()
    closed.listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    assert.match(await failed(`https://127.0.0.1:${port}/`), /ECONNREFUSED/)
    receiver.behaviours.set('/', (response) => {
      response.socket?.destroy()
    })
    assert.match(await failed(receiver.url()), /socket hang up|ECONNRESET/)
    receiver.behaviours.set('/', (response) => {
      response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n')
    })
    assert.match(await failed(receiver.url()), /Parse Error|Expected HTTP/)
  })

  it('dead: a name that is nowhere, and one whose server never answers', async () => {
    const nowhere = { ...receiver.rules, resolve: async () => [] }
    assert.match(await failed('https://receiver.test/', { rules: nowhere }), /has no address/)
    const silent: TargetRules = {
      ...receiver.rules,
      resolve: (_name, leaving) =>
        new Promise((_resolve, reject) => {
          leaving.addEventListener('abort', () => {
            reject(new Error('canceled'))
          })
        }),
    }
    const options = { rules: silent, call_ms: CALL_MILLISECONDS }
    assert.match(await failed('https://receiver.test/', options), /no answer within/)
  })

  it('redirecting: where it points is not called', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.behaviours.set('/', answering(status, { location: receiver.url('/elsewhere') }))
      const { status: seen, headers } = await answered(receiver.url())
      assert.deepEqual([seen, headers['location']], [status, receiver.url('/elsewhere')])
    }
    assert.deepEqual(receiver.at('/elsewhere'), [])
  })

  it('lying: an answer that never ends counts by its status', async () => {
    receiver.behaviours.set('/', (response) => {
      response.writeHead(200).write('and so on')
    })
    const { status, body } = await answered(receiver.url())
    assert.deepEqual([status, body], [200, 'and so on'])
  })

  it('lying: of a huge answer only the beginning is read', async () => {
    let written = 0
    let isOpen = true
    receiver.behaviours.set('/', async (response) => {
      response.on('close', () => {
        isOpen = false
      })
      response.writeHead(200)
      const part = Buffer.alloc(65_536, 'x')
      while (isOpen && written < 1_000_000_000) {
        written += part.length
        if (!response.write(part))
          await Promise.race([once(response, 'drain'), once(response, 'close')])
      }
    })
    const { status, body } = await answered(receiver.url())
    assert.deepEqual([status, body.length], [200, 4_096])
    assert.ok(written < 100_000_000, String(written))
  })

  it('lying: a wrong length, too short and too long', async () => {
    receiver.behaviours.set('/', (response) => {
      response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort')
    })
    assert.equal((await answered(receiver.url())).body, 'short')
    receiver.behaviours.set('/', (response) => {
      response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nno, longer than that')
    })
    assert.deepEqual((await answered(receiver.url())).body, 'no')
  })

  it('lying: headers without end, and another protocol', async () => {
    receiver.behaviours.set('/', (response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}`)
    })
    assert.match(await failed(receiver.url()), /Header overflow|HPE_HEADER_OVERFLOW|Parse Error/i)
    receiver.behaviours.set('/', (response) => {
      response.socket?.write(
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
      )
    })
    await failed(receiver.url(), { call_ms: CALL_MILLISECONDS })
  })

  it('a certificate of another name, or of nobody known, is no receiver of ours', async () => {
    const elsewhere = { ...receiver.rules, resolve: async () => [OURS] }
    const url = `https://other.test:${receiver.port}/`
    assert.match(await failed(url, { rules: elsewhere }), /altnames/)
    const { ca: _ca, ...unknown } = receiver.rules
    assert.match(await failed(receiver.url(), { rules: unknown }), /self-signed|certificate/)
    assert.deepEqual(receiver.received, [])
  })

  it('goes to the address that was judged, whatever the name says later', async () => {
    let asked = 0
    const rules: TargetRules = {
      ...receiver.rules,
      resolve: async () => {
        asked += 1
        return [OURS]
      },
    }
    assert.equal((await answered(`https://receiver.test:${receiver.port}/`, { rules })).status, 204)
    assert.equal(asked, 1)
  })

  it('connects to nothing that may not be called', async () => {
    const server = createServer()
    const sockets: Socket[] = []
    server.on('connection', (socket) => sockets.push(socket))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const strict: TargetRules = {
      isAllowed: () => false,
      plain: true,
      variable: 'KONTOR_WEBHOOK_NETWORKS',
      resolve: async () => [OURS],
    }
    for (const host of ['127.0.0.1', 'localhost', 'receiver.test', '[::ffff:127.0.0.1]'])
      assert.match(
        await failed(`http://${host}:${port}/`, { rules: strict }),
        /is no public address/,
        host,
      )
    assert.deepEqual(sockets, [])
    server.close()
  })
})

const OURS = { address: '127.0.0.1', family: 4 } as const
