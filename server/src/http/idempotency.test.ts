import { mustExist } from '../core/assert.ts'
import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { after, test } from 'node:test'
import { ERRORS, refuse } from '../core/errors.ts'
import type { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { sql, statement } from '../store/sql.ts'
import { fixture, USERS } from './http.fixture.ts'
import { idempotencyOf, onceInSteps } from './idempotency.ts'
import { forgetOldKeys } from './index.ts'

const { call, db, clock, hooks, runs, close } = await fixture({
  request_key: createSecretKey('known to the service alone', 'utf8'),
})
after(close)

const { workspace } = mustExist(USERS['all'], 'it is declared')
type Run = { run: number; label: string }
const DAY = 86_400_000
const conflict = ERRORS.IdempotencyConflict.code
const inProgress = ERRORS.IdempotencyInProgress.code

/** As if the keys had been stored so many seconds earlier; one of them, or all. */
const age = (seconds: number, key?: string) =>
  db.query(sql`
    update idempotency_keys
    set stored_at = stored_at - make_interval(secs => ${seconds})
    where ${key === undefined ? sql`true` : sql`key = ${key}`}`)

for (const effect of ['transaction', 'steps']) {
  const post = (key: string | undefined, label = 'a', token = 'all') =>
    call<Run>('POST', `/runs/${effect}`, {
      token,
      body: { label },
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    })

  test(`${effect}: only with a key the first answer is replayed, for 24 hours`, async () => {
    const before = await runs()
    assert.notDeepEqual((await post(undefined)).data, (await post(undefined)).data)
    const key = newId()
    const first = await post(key)
    assert.deepEqual((await post(key)).text, first.text)
    await age(DAY / 1000 - 60, key)
    await forgetOldKeys(db)
    assert.deepEqual((await post(key)).text, first.text)
    assert.equal(await runs(), before + 3)
    await age(60, key)
    await forgetOldKeys(db)
    assert.notDeepEqual((await post(key)).data, first.data)
    assert.equal(await runs(), before + 4)
  })

  test(`${effect}: a wrong clock ends no key`, async () => {
    const key = newId()
    const first = await post(key)
    const now = clock.now()
    for (const wrong of [now + 2 * DAY, now - 2 * DAY]) {
      clock.set(wrong)
      await post(newId())
      await forgetOldKeys(db)
      assert.deepEqual((await post(key)).text, first.text)
    }
    clock.set(now)
  })

  test(`${effect}: a hash says nothing without its key; one of before is still known`, async () => {
    const key = newId()
    const first = await post(key)
    const request = { method: 'POST', url: `/api/runs/${effect}`, body: { label: 'a' } }
    const plain = mustExist(idempotencyOf(key, request, undefined), 'it has a key').request_hash
    const [stored] = await db.query<{ request_hash: Buffer }>(sql`
      select request_hash
      from idempotency_keys
      where key = ${key}`)
    assert.equal(stored?.request_hash.includes(plain), false)
    await db.query(sql`
      update idempotency_keys
      set request_hash = ${plain}
      where key = ${key}`)
    assert.deepEqual((await post(key)).text, first.text)
    assert.equal((await post(key, 'b')).error_code, conflict)
  })

  test(`${effect}: in a workspace the same key with another request is a conflict`, async () => {
    const key = newId()
    const first = await post(key)
    assert.equal((await post(key, 'b')).error_code, conflict)
    const elsewhere = await call('POST', `/runs/${effect === 'steps' ? 'transaction' : 'steps'}`, {
      token: 'all',
      body: { label: 'a' },
      headers: { 'idempotency-key': key },
    })
    assert.deepEqual([elsewhere.status, elsewhere.error_code], [409, conflict])
    const other = await post(key, 'b', 'other')
    assert.equal(other.status, 200)
    assert.notEqual(other.data.run, first.data.run)
  })

  test(`${effect}: a refusal is not stored, and its key may be tried again`, async () => {
    const key = newId()
    hooks.work = async () => {
      throw refuse('INSUFFICIENT_BALANCE', '', 'not now')
    }
    assert.equal((await post(key)).error_code, ERRORS.BadRequest.code)
    hooks.work = async () => {
      throw new Error('broken')
    }
    assert.equal((await post(key)).error_code, ERRORS.InternalServerError.code)
    hooks.work = async () => undefined
    assert.equal((await post(key)).status, 200)
  })

  test(`${effect}: the same key is refused while the first is running, then replayed`, async () => {
    const before = await runs()
    const key = newId()
    let open: () => void = () => undefined
    const inside = new Promise<void>((resolve) => {
      hooks.work = () => {
        resolve()
        return new Promise((done) => {
          open = done
        })
      }
    })
    const first = post(key)
    await inside
    hooks.work = async () => undefined
    const meanwhile = await Promise.all([post(key), post(key), post(key)])
    for (const answer of meanwhile)
      assert.deepEqual([answer.status, answer.error_code], [409, inProgress])
    open()
    assert.equal((await first).status, 200)
    assert.deepEqual((await post(key)).text, (await first).text)
    assert.equal(await runs(), before + 1)
  })
}

test('many at once with one key run once', async () => {
  for (const effect of ['transaction', 'steps']) {
    const before = await runs()
    const headers = { 'idempotency-key': newId() }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        call<Run>('POST', `/runs/${effect}`, { token: 'all', body: { label: 'a' }, headers }),
      ),
    )
    assert.equal(await runs(), before + 1)
    assert.ok(answers.some((answer) => answer.status === 200))
    for (const answer of answers)
      if (answer.status !== 200) assert.equal(answer.error_code, inProgress)
  }
})

test('a request that a crash left running may be repeated two minutes later', async () => {
  const headers = { 'idempotency-key': newId() }
  const post = (label: string) =>
    call<Run>('POST', '/runs/steps', { token: 'all', body: { label }, headers })
  const first = await post('a')
  await db.query(sql`
    update idempotency_keys
    set state = 'RUNNING', reply = null
    where key = ${headers['idempotency-key']}`)
  clock.advance(DAY)
  assert.equal((await post('a')).error_code, inProgress)
  await age(120, headers['idempotency-key'])
  assert.equal((await post('b')).error_code, conflict)
  const again = await post('a')
  assert.equal(again.status, 200)
  assert.notEqual(again.data.run, first.data.run)
  assert.deepEqual((await post('a')).data, again.data)
})

test('a request whose key was taken meanwhile is a conflict that changes nothing', async () => {
  const before = await runs()
  const headers = { 'idempotency-key': newId() }
  const post = (effect: string) =>
    call<Run>('POST', `/runs/${effect}`, { token: 'all', body: { label: 'a' }, headers })
  let inner: Awaited<ReturnType<typeof post>> | undefined
  hooks.work = async () => {
    hooks.work = async () => undefined
    inner = await post('steps')
  }
  assert.equal((await post('transaction')).error_code, conflict)
  assert.equal(inner?.status, 200)
  assert.deepEqual((await post('steps')).data, inner.data)
  assert.equal(await runs(), before + 1)
})

test('steps whose answer could not be stored are not taken again', async () => {
  const failing = (times: number): typeof db => ({
    ...db,
    async query<Row>(query: Parameters<typeof db.query>[0]) {
      if (statement(query).text.includes('update idempotency_keys') && times-- > 0)
        throw new Error('Connection terminated unexpectedly')
      return db.query<Row>(query)
    },
  })
  let done = 0
  const once = (through: typeof db, key: string) =>
    onceInSteps(
      { db: through },
      { workspace, idempotency: { key, request_hash: Buffer.from('a') } },
      async () => {
        done += 1
        return done
      },
    )
  assert.equal(await once(failing(1), 'short'), 1)
  assert.equal(await once(db, 'short'), 1)
  assert.equal(await once(failing(1000), 'long'), 2)
  await assert.rejects(
    once(db, 'long'),
    (error: ApiError) => error.kind === 'IdempotencyInProgress',
  )
  assert.equal(done, 2)
})

test('a key is 1 to 128 visible characters; the order of fields does not matter', async () => {
  for (const key of ['', 'with space', 'é', 'x'.repeat(129)]) {
    const answer = await call('POST', '/runs/steps', {
      token: 'all',
      body: { label: 'a' },
      headers: { 'idempotency-key': key },
    })
    assert.deepEqual([answer.status, answer.error_details?.[0]?.code], [400, 'FORMAT'], key)
  }
  assert.equal(
    (
      await call('POST', '/runs/steps', {
        token: 'all',
        body: { label: 'a' },
        headers: { 'idempotency-key': '~'.repeat(128) },
      })
    ).status,
    200,
  )
  const headers = { 'idempotency-key': newId() }
  const one = await call('POST', '/runs/steps', { token: 'all', body: '{"label":"a"}', headers })
  assert.deepEqual(
    (await call('POST', '/runs/steps', { token: 'all', body: '{ "label" : "\\u0061" }', headers }))
      .data,
    one.data,
  )
})

test('old keys are forgotten', async () => {
  await call('POST', '/runs/steps', {
    token: 'all',
    body: { label: 'a' },
    headers: { 'idempotency-key': newId() },
  })
  await age(DAY / 1000)
  assert.ok((await forgetOldKeys(db)) > 0)
  assert.deepEqual(
    await db.query(sql`
      select 1
      from idempotency_keys
      where workspace = ${USERS['all']?.workspace ?? ''}`),
    [],
  )
})

test('a day of many keys is forgotten in slices', async () => {
  await db.query(sql`
    insert into idempotency_keys (workspace, key, request_hash, state, stored_at)
    select ${workspace}::uuid, 'slice ' || n, ''::bytea, 'DONE', now() - interval '24 hours'
    from generate_series(1, 25000) n`)
  let statements = 0
  let largest = 0
  const watched: typeof db = {
    ...db,
    async query<Row>(query: Parameters<typeof db.query>[0]) {
      const rows = await db.query<Row>(query)
      statements += 1
      largest = Math.max(largest, rows.length)
      return rows
    },
  }
  assert.equal(await forgetOldKeys(watched), 25_000)
  assert.equal(statements, 3)
  assert.equal(largest, 1)
})

test('a request has the same hash in every release', () => {
  const request = { method: 'POST', url: '/api/x', body: { b: [1, null], a: 'ü' } }
  const hash = idempotencyOf('k', request, undefined)?.request_hash.toString('hex')
  assert.equal(hash, 'bffe4752073d705310a2843318e8992a06cd4addb25dd1ab3c2c8e6711a2351b')
})
