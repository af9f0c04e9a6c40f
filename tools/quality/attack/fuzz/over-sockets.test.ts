/** With a server that is played: what becomes of connections that end without an answer. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { Report } from '../../../../server/quality/fuzz/report.ts'
import type { RequestPlan } from '../../../../server/quality/fuzz/requests.ts'
import { overSockets } from './over-sockets.ts'

const planOf = (url: string, headers: Record<string, string> = {}): RequestPlan => ({
  how: 'x',
  method: 'GET',
  url,
  headers,
  endpoint: undefined,
})

/** `inside` is answered to what goes in without a connection. */
async function played(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  inside: number,
  ...plans: RequestPlan[]
) {
  const server = createServer(handle)
  const report = new Report(1)
  const service = {
    send: async () => ({ status: inside, text: 'inside', type: '', headers: {} }),
    server: {
      server,
      listen: () => new Promise<string>((ready) => server.listen(0, '127.0.0.1', () => ready(''))),
    } as unknown as Pick<FastifyInstance, 'listen' | 'server'>,
  }
  const sockets = await overSockets(service, report)
  try {
    const answers = []
    for (const plan of plans) answers.push(await sockets.send(plan))
    return {
      answers: answers.map(({ status, text }) => `${status} ${text}`),
      ended: [...sockets.ended],
      count: sockets.count(),
      faults: report.faults,
    }
  } finally {
    sockets.close()
    server.close()
  }
}

const hangUp = ({ socket }: IncomingMessage): void => void socket.destroy()

describe('requests over sockets', () => {
  it('are answered, and what the client does not send goes in without a connection', async () => {
    const seen = await played(
      (_, response) => response.end('over it'),
      400,
      planOf('/a'),
      planOf('/b', { 'x-odd': 'a\nb' }),
    )
    const none: unknown[] = []
    assert.deepEqual(seen, {
      answers: ['200 over it', '400 inside'],
      ended: none,
      count: 1,
      faults: none,
    })
  })

  it('that are never answered are a fault', async () => {
    const { ended, faults, count } = await played(hangUp, 200, planOf('/a'))
    assert.deepEqual(ended, [['ECONNRESET', 2]])
    assert.match(faults.join(), /ended twice without an answer: ECONNRESET, ECONNRESET/)
    assert.match(faults.join(), /GET \/a/, 'the request is shown')
    assert.equal(count, 0)
  })

  it('that a connection of their own answers are counted, and are none', async () => {
    let first = true
    const { answers, ended, faults } = await played(
      (request, response) => {
        if (first) hangUp(request)
        else response.end('at last')
        first = false
      },
      400,
      planOf('/a'),
    )
    assert.deepEqual([answers, ended], [['200 at last'], [['ECONNRESET', 1]]])
    assert.deepEqual(faults, [])
  })

  it('that are refused before they are read may end without an answer', async () => {
    const { answers, ended, faults } = await played(hangUp, 413, planOf('/a'))
    assert.deepEqual([answers, ended, faults], [['413 inside'], [['ECONNRESET', 2]], []])
  })
})
