/** The audit trail of the whole service: who, what, on what, before and after, in which chain. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { chainSecurityLog, verifySecurityLog } from '../src/access/index.ts'
import { shownCode } from '../src/access/factors.testing.ts'
import { mustExist } from '../src/core/assert.ts'
import { newId } from '../src/core/ids.ts'
import { TABLES } from '../src/desk/erasure/tables.ts'
import { sql } from '../src/store/sql.ts'
import { openServiceUnderTest } from './service-under-test.ts'

const service = await openServiceUnderTest()
after(() => service.close())
const { app, ours, theirs } = service

type Entry = {
  kind: string
  operation: string | null
  outcome: string
  actor: string | null
  email: string | null
  session_id: string | null
  address: string | null
  agent: string | null
  record_id: string | null
  request_id: string | null
  count: number
  details: {
    events?: string[]
    changes?: { table?: string; before: object; after: object }[]
    error?: string
    codes?: string[]
    format?: string
  }
}

async function ask<Data>(
  method: string,
  url: string,
  { body, key, token = ours.tokens.all, accept }: Asked = {},
): Promise<{ status: number; data: Data; text: string }> {
  const answer = await service.send({
    method: method as never,
    url: `/api${url}`,
    address: '192.0.2.44',
    headers: {
      authorization: `Bearer ${token}`,
      'user-agent': 'desk',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(accept === undefined ? {} : { accept }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
  const isJson = answer.type.startsWith('application/json')
  const data = isJson ? (JSON.parse(answer.text) as { data: Data }).data : (undefined as Data)
  return { status: answer.status, data, text: answer.text }
}
type Asked = { body?: unknown; key?: string; token?: string; accept?: string }

async function trail(query: string, token = ours.tokens.all): Promise<Entry[]> {
  await app.access.security.write()
  const answer = await ask<Entry[]>('GET', `/audit?${query}`, { token })
  assert.equal(answer.status, 200, answer.text)
  return answer.data
}

const retail = (name: string) => ({
  type: 'RETAIL',
  label: name,
  margin: 'DEFAULT',
  booking_schema: 'ADVANCED',
  ignore_balance_check: false,
  ignore_margin: false,
  first_name: name,
  last_name: 'Lovelace',
})
type Customer = ReturnType<typeof retail> & { id: string; account_id: string; version: number }

const made = await ask<Customer>('POST', '/customers', { body: retail('Ada') })
assert.equal(made.status, 200, made.text)
const customer = made.data
const house = (await ask<{ id: string; type: string }[]>('GET', '/accounts')).data.find(
  ({ type }) => type === 'HOUSE',
)
const booking = (quantity: string) => ({
  asset: 'EUR',
  legs: [
    { account_id: house?.id, type: 'DEBIT', quantity },
    { account_id: customer.account_id, type: 'CREDIT', quantity },
  ],
})

const other = (await ask<Customer>('POST', '/customers', { body: retail('Grace') })).data
const transfer = { asset: 'EUR', quantity: '1', reason: 'a gift' }
const between = {
  ...transfer,
  from_account_id: customer.account_id,
  to_account_id: other.account_id,
}

test('a call has one entry, with who and from where; a repeat has none', async () => {
  assert.equal((await ask('POST', '/bookings', { body: booking('1000') })).status, 200)
  const key = newId()
  const first = await ask<{ id: string }>('POST', '/book-transfers', { body: between, key })
  assert.equal(first.status, 200, first.text)
  await ask('POST', '/book-transfers', { body: between, key })
  const entries = await trail(`record_id=${first.data.id}`)
  assert.equal(entries.length, 1)
  const [entry] = entries
  assert.deepEqual(
    {
      kind: entry?.kind,
      operation: entry?.operation,
      outcome: entry?.outcome,
      email: entry?.email,
      address: entry?.address,
      agent: entry?.agent,
    },
    {
      kind: 'CALLED',
      operation: 'createBookTransfer',
      outcome: 'DONE',
      email: 'all@ours.example',
      address: '192.0.2.44',
      agent: 'desk',
    },
  )
  assert.ok(entry?.session_id)
  assert.ok(entry?.request_id)
  assert.ok(entry?.details.events?.includes('book_transfer.created') ?? false)
})

test('what is edited has before and after; texts of persons are not told', async () => {
  const { id, version } = customer
  const body = { ...retail('Augusta'), id, version, ignore_margin: true }
  const changed = await ask('PUT', '/customers', { body })
  assert.equal(changed.status, 200, changed.text)
  const [entry] = await trail(`record_id=${id}&operation=changeCustomer`)
  const change = entry?.details.changes?.find(({ table }) => table === 'customers')
  assert.deepEqual(change?.before, { label: '…', first_name: '…', ignore_margin: false })
  assert.deepEqual(change?.after, { label: '…', first_name: '…', ignore_margin: true })
  const own = await app.db.query<{ details: unknown }>(sql`
    select details
    from security_log
    where workspace = ${ours.workspace}`)
  assert.ok(!JSON.stringify(own).includes('Augusta'))
})

test('tags, comments and views have before and after, without what people write', async () => {
  const made = async (url: string, body: object) => {
    const answer = await ask<{ id: string }>('POST', url, { body })
    assert.equal(answer.status, 200, answer.text)
    return answer.data.id
  }
  const notes = `/notes/customer/${customer.id}`
  await made(`${notes}/tags`, { tag: 'urgent' })
  await made(`${notes}/comments`, { text: 'Ada has called' })
  await made('/views', { list: '/customers', name: 'Ada', query: 'search=Ada', shared: false })
  for (const [operation, table, hidden] of [
    ['addTag', 'record_tags', 'tag'],
    ['writeComment', 'comments', 'text'],
    ['saveView', 'views', 'query'],
  ] as const) {
    const [entry] = await trail(`operation=${operation}`)
    const found = entry?.details.changes?.find((one) => one.table === table)
    const { before, after } = mustExist(found, operation)
    assert.deepEqual(before, {}, operation)
    assert.equal(new Map<string, unknown>(Object.entries(after)).get(hidden), '…')
  }
})

test('a refusal is told with its codes, and what changes nothing with nothing', async () => {
  const refused = await ask('POST', '/bookings', { body: booking('-1') })
  assert.equal(refused.status, 400)
  const entries = await trail('operation=createBooking&outcome=refused')
  assert.equal(entries[0]?.kind, 'CALL_REFUSED')
  assert.equal(entries[0]?.details.error, 'BadRequest')
  assert.ok((entries[0]?.details.codes?.length ?? 0) > 0)
  const { id } = customer
  const before = (await trail(`record_id=${id}`)).length
  await ask('POST', '/notifications/read', { body: { ids: [] } })
  assert.equal((await trail(`record_id=${id}`)).length, before)
})

test('who may not is told with the operation', async () => {
  const refused = await ask('POST', '/bookings', {
    body: booking('1'),
    token: ours.tokens.READER,
  })
  assert.equal(refused.status, 403)
  const [entry] = await trail('outcome=refused&operation=createBooking')
  assert.deepEqual(
    { kind: entry?.kind, operation: entry?.operation },
    { kind: 'PERMISSION_DENIED', operation: 'createBooking' },
  )
})

test('reads of personal data are told, those of the same once', async () => {
  const url = `/customers/${customer.id}`
  for (let times = 0; times < 5; times += 1) await ask('GET', url)
  await ask('GET', '/customers', { accept: 'text/csv' })
  await ask('GET', `/customers/${newId()}`)
  const reads = await trail(`record_id=${customer.id}&operation=getCustomer`)
  assert.deepEqual(
    reads.map(({ kind, outcome }) => ({ kind, outcome })),
    [{ kind: 'READ', outcome: 'DONE' }],
  )
  const [list] = await trail('operation=listCustomers')
  assert.equal(list?.details.format, 'csv')
})

test('it is shown to the own workspace alone, and to nobody without the permission', async () => {
  assert.deepEqual(await trail(`record_id=${customer.id}`, theirs.tokens.all), [])
  assert.equal((await ask('GET', '/audit', { token: ours.tokens.TRADER })).status, 403)
})

test('the entries of a commit have one place in the chain, which finds every change', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => ask('POST', '/book-transfers', { body: between })),
  )
  for (const { status, text } of answers) assert.equal(status, 200, text)
  await chainSecurityLog({ db: app.background, clock: app.clock })
  assert.deepEqual((await verifySecurityLog(app.background, ours.workspace)).faults, [])
  const [shared] = await app.db.query<{ most: number }>(sql`
    select max(entries) as most
    from security_log_places
    where workspace = ${ours.workspace}`)
  assert.ok((shared?.most ?? 0) > 1, 'several transfers of one commit share a place')
})

test('triggers hide all texts of customers, and note no secrets', async () => {
  const noted = await app.db.query<{ name: string; hidden: string }>(sql`
    select relname as name, encode(tgargs, 'escape') as hidden
    from pg_trigger
    join pg_class on pg_class.oid = tgrelid
    where tgname = 'change_noted'`)
  assert.equal(noted.length, 14)
  for (const { name, hidden } of noted) {
    const { customers = {}, staff = [], plain = [] } = mustExist(TABLES[name], name)
    const columns = hidden.split('\\000').filter((column) => column !== '')
    const ofCustomers = columns.filter((column) => !staff.includes(column))
    assert.deepEqual(ofCustomers.toSorted(), Object.keys(customers).toSorted(), name)
    assert.deepEqual(
      plain.filter((column) => /secret|password|key_/.test(column)),
      [],
      name,
    )
  }
})

test('who sets up a factor, and confirms a session by it, has one entry for each', async () => {
  const token = ours.tokens.READER
  const { password } = ours.login
  type Begun = { id: string; secret: string }
  const begun = await ask<Begun>('POST', '/auth/factors/totp', { token, body: { password } })
  assert.equal(begun.status, 200, begun.text)
  const { id, secret } = begun.data
  const code = () => shownCode(secret, app.clock)
  const path = `/auth/factors/${id}/confirm`
  assert.equal((await ask('POST', path, { token, body: { code: code() } })).status, 200)
  const wrong = { password, code: '000000' }
  assert.equal((await ask('POST', '/auth/confirm', { token, body: wrong })).status, 401)
  service.clock.advance(30_000)
  const right = { password, code: code() }
  assert.equal((await ask('POST', '/auth/confirm', { token, body: right })).status, 200)
  for (const operation of ['beginAuthenticator', 'confirmSession']) {
    const entries = await trail(`operation=${operation}`)
    const done = entries.filter(({ kind }) => kind === 'CALLED')
    assert.equal(done.length, 1, operation)
  }
})

test('a closed period and its reopening have one entry each, with what changed', async () => {
  type Period = { id: string; state: string }
  const last_day = new Date(service.clock.now() - 86_400_000).toISOString().slice(0, 10)
  const closed = await ask<Period>('POST', '/periods', { body: { last_day } })
  assert.equal(closed.status, 200, closed.text)
  const { id } = closed.data
  const reason = 'An invoice is missing'
  const reopened = await ask<Period>('POST', `/periods/${id}/reopen`, { body: { reason } })
  assert.equal(reopened.status, 200, reopened.text)
  const [reopening, closing, ...more] = await trail(`record_id=${id}`)
  assert.deepEqual(
    [reopening?.operation, closing?.operation, more],
    ['reopenPeriod', 'closePeriod', []],
  )
  const changed = reopening?.details.changes?.find(({ table }) => table === 'periods')
  assert.partialDeepStrictEqual(changed, {
    before: { state: 'CLOSED', reason: null },
    after: { state: 'REOPENED', reason },
  })
})
