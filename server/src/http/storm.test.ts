/** What a caller who means ill may take up: bodies, time and connections. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../core/ids.ts'
import { NoConnection } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { doorFrom } from './door.ts'
import { fixture, USERS } from './http.fixture.ts'

type Place = Awaited<ReturnType<typeof fixture>>

const REQUEST_MILLISECONDS = 300
const PATIENCE_MILLISECONDS = 60_000
const HEAD = 'Host: localhost\r\nAuthorization: Bearer all\r\nContent-Type: application/json\r\n'

const unknownFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]))

async function listen(place: Place): Promise<(text?: string) => Socket> {
  await place.server.listen({ port: 0, host: '127.0.0.1' })
  const address = place.server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return (text = '') => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    return socket.on('error', () => undefined)
  }
}

/** All that comes until the other side closes. */
async function told(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (data: Buffer) => {
    text += data.toString()
  })
  await once(socket, 'close')
  return text
}

async function reached(place: Place, limit: string): Promise<number> {
  const { body } = await place.server.inject({ url: '/metrics' })
  return Number(new RegExp(`limit_reached_total\\{limit="${limit}"\\} (\\d+)`).exec(body)?.[1])
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const start = performance.now()
  while (!(await condition())) {
    assert.ok(performance.now() - start < PATIENCE_MILLISECONDS, 'this never comes')
    await sleep(20)
  }
}

describe('a body', async () => {
  const place = await fixture({ limits: { request_ms: REQUEST_MILLISECONDS } })
  const open = await listen(place)
  after(place.close)

  it('without a token is small, and at most fifty faults are named', async () => {
    const [large, wrong] = [unknownFields(100_000), unknownFields(1_000)]
    const refused = await place.call('POST', '/public/echo', { body: large })
    assert.equal(refused.error_details?.[0]?.code, 'TOO_LARGE')
    for (const [path, token] of [
      ['/public/echo', undefined],
      ['/echo', 'all'],
    ] as const) {
      const { error_details, text } = await place.call('POST', path, { token, body: wrong })
      assert.equal(error_details?.length, 50)
      assert.deepEqual(error_details[0], {
        path: 'f0',
        code: 'UNKNOWN_FIELD',
        message: 'f0 is not a known field',
      })
      assert.ok(text.length < 10_000, `${text.length} characters`)
    }
  })

  it('with too many items is refused before each item is looked at', async () => {
    const body = { label: 'a', amount: '1', tags: Array.from({ length: 10_000 }, () => 5) }
    const { error_details } = await place.call('POST', '/echo', { token: 'all', body })
    assert.deepEqual(error_details, [
      { path: 'tags', code: 'RANGE', message: 'tags must have at most 3 items' },
    ])
  })

  it('that does not end is given up, with or without a token, and is counted', async () => {
    const before = await reached(place, 'request_ms')
    for (const path of ['/api/echo', '/api/public/echo']) {
      const answer = await told(
        open(`POST ${path} HTTP/1.1\r\n${HEAD}Content-Length: 900\r\n\r\n{"label":`),
      )
      assert.match(answer, /^HTTP\/1\.1 408 [^]*"error_code":3001/)
    }
    assert.equal(await reached(place, 'request_ms'), before + 2)
  })

  it('that is no HTTP half-way is refused at once', async () => {
    const head = `POST /api/echo HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`
    const answer = await told(open(`${head}2\r\n{"\r\nnonsense\r\n`))
    assert.match(answer, /^HTTP\/1\.1 400 [^]*"error_code":3001/)
  })
})

const answerOf = async (socket: Socket): Promise<string> => {
  const [data] = (await once(socket, 'data')) as [Buffer]
  return data.toString()
}

describe('connections', () => {
  const GUARDED = `GET /api/guarded HTTP/1.1\r\n${HEAD}\r\n`
  const cases = [
    ['from one address', { connections_per_address: 2 }, 429, 4291],
    ['in all', { connections: 2 }, 503, 2004],
  ] as const
  for (const [what, limits, status, code] of cases) {
    it(`${what} are limited, and one that is refused does nothing`, async () => {
      const place = await fixture({ limits })
      const open = await listen(place)
      try {
        const [first, second] = [open(GUARDED), open(GUARDED)]
        for (const socket of [first, second]) assert.match(await answerOf(socket), / 200 OK/)
        const body = '{"label":"a"}'
        const refused = await told(
          open(
            `POST /api/runs/transaction HTTP/1.1\r\n${HEAD}Content-Length: ${body.length}\r\n\r\n` +
              body,
          ),
        )
        assert.match(refused, new RegExp(`^HTTP/1\\.1 ${status} [^]*Retry-After: 5\r\n`))
        assert.match(refused, new RegExp(`"success":false,"error_code":${code}`))
        assert.equal(await place.runs(), 0)
        assert.equal(await reached(place, Object.keys(limits)[0] ?? ''), 1)
        first.destroy()
        let answer = ''
        while (!answer.includes('200 OK')) answer = await answerOf(open(GUARDED))
        second.destroy()
      } finally {
        await place.close()
      }
    })
  }

  it('that say nothing are closed', async () => {
    const place = await fixture({ limits: { stalled_ms: 100 } })
    const open = await listen(place)
    try {
      assert.equal(await told(open()), '')
    } finally {
      await place.close()
    }
  })

  it('of a trusted proxy count only together', async () => {
    const door = doorFrom({ KONTOR_TRUSTED_PROXIES: '127.0.0.1' })
    const place = await fixture({ limits: { connections_per_address: 1 }, door })
    const open = await listen(place)
    try {
      for (const socket of [open(GUARDED), open(GUARDED), open(GUARDED)])
        assert.match(await answerOf(socket), / 200 OK/)
    } finally {
      await place.close()
    }
  })
})

describe('streams', () => {
  const asking = (token: string) =>
    `GET /api/quiet HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`

  it('are limited by user and in all, and a place is free again when one ends', async () => {
    const place = await fixture({ limits: { streams_per_user: 1, streams: 2 } })
    const open = await listen(place)
    try {
      const first = open(asking('all'))
      assert.match(await answerOf(first), / 200 OK/)
      assert.match(await answerOf(open(asking('all'))), / 429 [^]*retry-after: 30[^]*4291/)
      assert.match(await answerOf(open(asking('other'))), / 200 OK/)
      assert.match(await answerOf(open(asking('none'))), / 503 [^]*retry-after: 30[^]*2004/)
      first.destroy()
      await until(async () => / 200 OK/.test(await answerOf(open(asking('none')))))
      assert.equal(await reached(place, 'streams_per_user'), 1)
    } finally {
      await place.close()
    }
  })
})

describe('long lists', () => {
  const ROWS = 20_000
  const limits = {
    stalled_ms: 300,
    list_places: 4,
    list_places_per_user: 2,
    list_wait_ms: 100,
    rows_per_session: 2_000,
  }
  let place: Place
  let open: Awaited<ReturnType<typeof listen>>
  before(async () => {
    place = await fixture({ limits })
    open = await listen(place)
    const ids = Array.from({ length: ROWS }, () => newId())
    await place.db.query(sql`
      insert into things (workspace, id, label, amount, note)
      select ${USERS['wide']?.workspace ?? ''}::uuid, id, 'a thing', 1, repeat('x', 1500)
      from unnest(${ids}::uuid[]) as id`)
  })
  after(() => place.close())

  it('are cut when their reader has stopped reading', async () => {
    const head = 'HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wide\r\n\r\n'
    for (const [index, query] of ['', '?limit=10000'].entries()) {
      const reader = open(`GET /api/things${query} ${head}`)
      await until(async () => (await reached(place, 'stalled_ms')) > index)
      reader.destroy()
    }
  })

  it('wait for a place and are refused when none becomes free; short ones go on', async () => {
    const reading = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    place.hooks.read = () => {
      reading.resolve()
      return release.promise
    }
    const first = place.call('GET', '/things?limit=2000', { token: 'other' })
    await reading.promise
    delete place.hooks.read
    const refused = await place.call('GET', '/things', { token: 'other' })
    assert.deepEqual(
      [refused.status, refused.error_code, refused.headers['retry-after']],
      [503, 2004, '5'],
    )
    assert.equal((await place.call('GET', '/things?limit=100', { token: 'other' })).status, 200)
    assert.equal((await place.call('GET', '/things', { token: 'all' })).status, 200)
    const waiting = place.call('GET', '/things', { token: 'other' })
    release.resolve()
    assert.deepEqual([(await first).status, (await waiting).status], [200, 200])
  })

  it('of a session that has read more than its share wait, and those of no other', async () => {
    const list = (token: string) => place.call('GET', '/things', { token })
    let refused = await list('wide')
    while (refused.status === 200) refused = await list('wide')
    assert.deepEqual([refused.status, refused.error_code], [429, 4291])
    assert.ok(Number(refused.headers['retry-after']) >= 1)
    assert.equal((await list('all')).status, 200)
    assert.ok((await reached(place, 'rows_per_session')) >= 1)
  })

  it('and everything else are answered with 503 while the database has no connection', async () => {
    place.hooks.work = () => Promise.reject(new NoConnection('all are in use'))
    const body = { label: 'a' }
    const { status, error_code, headers } = await place.call('POST', '/runs/steps', {
      token: 'all',
      body,
    })
    assert.deepEqual([status, error_code, headers['retry-after']], [503, 2004, '2'])
  })
})
