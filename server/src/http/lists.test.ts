import assert from 'node:assert/strict'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../core/ids.ts'
import { sql } from '../store/sql.ts'
import { fixture, USERS } from './http.fixture.ts'
import { CHUNK_ROWS } from './lists.ts'
import type { Answer } from './testing.ts'

const { call, db, hooks, logged, server, close } = await fixture()
after(close)
await server.listen({ port: 0, host: '127.0.0.1' })

type Thing = {
  id: string
  label: string
  amount: string
  note: string | null
  details: { color: string | null }
}
const csv = { accept: 'text/csv' }

async function insert(labels: readonly string[], user = 'all'): Promise<string[]> {
  const ids = labels.map(() => newId())
  const amounts = labels.map((_, index) => `${index}.50`)
  const notes = labels.map((_, index) => (index % 2 === 0 ? null : 'note'))
  await db.query(sql`
    insert into things
    select ${USERS[user]?.workspace ?? ''}::uuid, *
    from unnest(${ids}::uuid[], ${labels}::text[], ${amounts}::numeric[], ${notes}::text[])`)
  return ids
}

/** Rows that fill more than what sockets and streams buffer. */
const WIDE_ROWS = 40_000
async function insertWide(user: string): Promise<void> {
  await db.query(sql`
    insert into things
    select
      ${USERS[user]?.workspace ?? ''}::uuid,
      ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
      repeat('x', 500),
      n,
      null
    from generate_series(1, ${WIDE_ROWS}::int) n`)
}

function open(path: string, token: string): Promise<IncomingMessage> {
  const { port } = server.server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    get(
      { port, path: `/api${path}`, headers: { authorization: `Bearer ${token}` }, agent: false },
      resolve,
    ).on('error', reject)
  })
}

/** The address of the next page, relative to /api. */
const nextOf = ({ headers }: Answer<unknown>): string | undefined =>
  /^<\/api([^>]+)>; rel="next"$/.exec(String(headers['link'] ?? ''))?.[1]

async function settled(read: () => number): Promise<number> {
  for (;;) {
    const before = read()
    await pause(300)
    if (read() === before) return before
  }
}

test('nothing is an empty list, as JSON and as CSV', async () => {
  assert.equal(
    (await call('GET', '/things', { token: 'other' })).text,
    '{"success":true,"data":[]}',
  )
  assert.equal(
    (await call('GET', '/things?limit=5', { token: 'other' })).text,
    '{"success":true,"data":[]}',
  )
  assert.equal(
    (await call('GET', '/things', { token: 'other', headers: csv })).text,
    'id,label,amount,note,details\r\n',
  )
})

test('without a limit the whole list comes, newest first, over many chunks', async () => {
  const ids = await insert(
    Array.from({ length: 3 * CHUNK_ROWS + 500 }, (_, index) => `thing ${index}`),
  )
  const answer = await call<Thing[]>('GET', '/things', { token: 'all' })
  assert.deepEqual(
    answer.data.map((thing) => thing.id),
    ids.toReversed(),
  )
  assert.deepEqual(answer.data.at(-2), {
    id: ids[1],
    label: 'thing 1',
    amount: '1.5',
    note: 'note',
    details: { color: 'red' },
  })
  assert.equal(answer.headers['link'], undefined)
  assert.deepEqual(
    (await call<Thing[]>('GET', '/things?label=thing%207', { token: 'all' })).data.map(
      (thing) => thing.id,
    ),
    [ids[7]],
  )
})

test('a page of any length has its rows, and a link where more follow', async () => {
  const all = (await call<Thing[]>('GET', '/things', { token: 'all' })).data
  for (const limit of [CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, 2 * CHUNK_ROWS, all.length - 1])
    for (const headers of [{}, csv]) {
      const url = `/things?limit=${limit}`
      const first = await call<Thing[]>('GET', url, { token: 'all', headers })
      const rest = await call<Thing[]>('GET', nextOf(first) ?? '', { token: 'all' })
      const seen = 'accept' in headers ? first.text.split('\r\n').length - 2 : first.data.length
      assert.deepEqual([seen, rest.data[0]], [limit, all[limit]], url)
    }
  const whole = await call<Thing[]>('GET', `/things?limit=${all.length}`, { token: 'all' })
  assert.deepEqual([whole.data, whole.headers['link']], [all, undefined])
})

test('pages walk everything exactly once while rows are added, in JSON and in CSV', async () => {
  const known = (await call<Thing[]>('GET', '/things', { token: 'all' })).data.map(
    (thing) => thing.id,
  )
  for (const headers of [{}, csv]) {
    const before = (await call<Thing[]>('GET', '/things', { token: 'all' })).data.map(
      (thing) => thing.id,
    )
    const seen: string[] = []
    let path: string | undefined = '/things?limit=700'
    while (path !== undefined) {
      const answer: Answer<Thing[]> = await call('GET', path, { token: 'all', headers })
      assert.equal(answer.status, 200)
      seen.push(
        ...('accept' in headers
          ? answer.text
              .split('\r\n')
              .slice(1, -1)
              .map((line) => line.slice(0, 36))
          : answer.data.map((thing) => thing.id)),
      )
      await insert(['added'])
      path = nextOf(answer)
    }
    assert.deepEqual(seen, before)
  }
  assert.ok(known.length > 3000)
  await insert(['exact', 'exact', 'exact'])
  const exact = await call<Thing[]>('GET', '/things?label=exact&limit=3', { token: 'all' })
  assert.deepEqual(
    [exact.data.length, exact.headers['link']],
    [3, undefined],
    'a page that ends the list leads nowhere',
  )
})

/** RFC 4180, read the plain way. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  const row: string[] = []
  for (const [, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
  )) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '\r\n') rows.push(row.splice(0))
  }
  return rows
}

test('CSV carries the same rows, and no text that a spreadsheet would run', async () => {
  const labels = [
    'plain',
    'a,b',
    'say "hi"',
    'two\r\nlines',
    'é 😀',
    '=1+1',
    '+1',
    '@sum',
    '-x',
    '-1.5',
    '\tx',
    '',
    ' lead',
  ]
  await insert(labels, 'other')
  const json = (await call<Thing[]>('GET', '/things', { token: 'other' })).data
  const answer = await call('GET', '/things', { token: 'other', headers: csv })
  assert.match(String(answer.headers['content-type']), /^text\/csv/)
  const [head, ...rows] = parseCsv(answer.text)
  assert.deepEqual(head, ['id', 'label', 'amount', 'note', 'details'])
  const safe = (label: string) => (/^([=+@\t]|-x)/.test(label) ? `'${label}` : label)
  assert.deepEqual(
    rows,
    json.map((thing) => [
      thing.id,
      safe(thing.label),
      thing.amount,
      thing.note ?? '',
      JSON.stringify(thing.details),
    ]),
  )
})

test('a slow reader slows the reading down, with constant memory and no open cursor', async () => {
  await insertWide('wide')
  let chunks = 0
  hooks.read = () => {
    chunks += 1
  }
  const answer = await open('/things', 'wide')
  answer.pause()
  const held = await settled(() => chunks)
  assert.ok(held < WIDE_ROWS / CHUNK_ROWS / 2, `${held} chunks read ahead of the reader`)
  const idle = await db.query<{ state: string }>(sql`
    select state
    from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'`)
  assert.deepEqual(idle, [])
  let text = ''
  for await (const part of answer) text += String(part)
  assert.equal((JSON.parse(text) as { data: Thing[] }).data.length, WIDE_ROWS)
  assert.equal(chunks, WIDE_ROWS / CHUNK_ROWS + 1)
})

test('HEAD tells the headers of a list and reads none of it', async () => {
  let chunks = 0
  hooks.read = () => {
    chunks += 1
  }
  const { statusCode, headers, body } = await server.inject({
    method: 'HEAD',
    url: '/api/things',
    headers: { authorization: 'Bearer wide' },
  })
  assert.deepEqual(
    [statusCode, headers['content-type'], body],
    [200, 'application/json; charset=utf-8', ''],
  )
  assert.equal(await settled(() => chunks), 0)
  delete hooks.read
})

test('an error half-way destroys the connection; the JSON is never closed', async () => {
  let reads = 0
  hooks.read = () => {
    reads += 1
    if (reads === 3) throw new Error('the database is gone')
  }
  const answer = await open('/things', 'wide')
  let text = ''
  await assert.rejects(
    async () => {
      for await (const part of answer) text += String(part)
    },
    { code: 'ECONNRESET' },
  )
  assert.equal(answer.statusCode, 200)
  assert.ok(text.length > 100_000)
  assert.throws(() => JSON.parse(text) as unknown)
  const line = logged.find((entry) => entry['msg'] === 'answer broken off')
  assert.deepEqual(
    {
      url: line?.['url'],
      message: (line?.['error'] as { message?: unknown } | undefined)?.message,
      request_id: typeof line?.['request_id'],
    },
    { url: '/api/things', message: 'the database is gone', request_id: 'string' },
  )
  reads = 2
  const first = await call('GET', '/things', { token: 'wide' })
  assert.deepEqual(
    [first.status, first.error_code],
    [500, 2001],
    'an error before the first row is an ordinary one',
  )
})

test('a reader who leaves ends the reading', async () => {
  let chunks = 0
  hooks.read = () => {
    chunks += 1
  }
  const answer = await open('/things', 'wide')
  await new Promise((resolve) => {
    answer.once('data', resolve)
  })
  answer.destroy()
  assert.ok((await settled(() => chunks)) < WIDE_ROWS / CHUNK_ROWS)
})

test('what breaks off at another place while the caller waits is told in the log', async () => {
  hooks.read = () => {
    throw Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  }
  const before = logged.length
  assert.equal((await call('GET', '/things', { token: 'wide' })).status, 500)
  delete hooks.read
  assert.ok(logged.slice(before).some((line) => line['msg'] === 'request failed'))
})

test('a caller who leaves before the first row is no trouble of ours', async () => {
  const [reading, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  hooks.read = () => {
    reading.resolve()
    return left.promise
  }
  const before = logged.length
  server.server.once('connection', (socket) => {
    socket.once('close', () => {
      left.resolve()
    })
  })
  const caller = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  caller.write('GET /api/things HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wide\r\n\r\n')
  await reading.promise
  caller.destroy()
  await left.promise
  delete hooks.read
  await settled(() => logged.length)
  assert.deepEqual(logged.slice(before), [])
})
