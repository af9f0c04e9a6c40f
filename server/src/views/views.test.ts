import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createUser, createWorkspace } from '../access/index.ts'
import { manualClock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { workerCaller } from '../http/index.ts'
import type { Principal } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { Answer, TestServer } from '../http/testing.ts'
import { insertRow } from '../store/rows.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import { viewsEndpoints } from './index.ts'
import { MAXIMUM_VIEWS, VIEWS } from './views.ts'
import type { View } from './views.schema.ts'

const LIST = '/treasury/deposits'

describe('saved views', () => {
  let database: TestDatabase
  let server: TestServer
  const clock = manualClock(1_800_000_000_000)
  const people = new Map<string, Principal>()

  before(async () => {
    database = await testDatabase()
    const [ours, theirs] = await database.db.tx(async (tx) => [
      await createWorkspace(tx, clock, { name: 'ours' }),
      await createWorkspace(tx, clock, { name: 'theirs' }),
    ])
    const person = (name: string, workspace: typeof ours, permissions: string[] = []) =>
      people.set(name, {
        workspace: workspace.id,
        user_id: newId(),
        session_id: newId(),
        permissions: new Set(permissions),
      })
    person('ann', ours)
    person('ben', ours)
    person('full', ours)
    person('admin', ours, ['users.write'])
    person('stranger', theirs, ['users.write'])
    server = await testServer({
      db: database.db,
      clock,
      endpoints: viewsEndpoints({ db: database.db, clock }),
      authenticate: (header) => {
        const principal = people.get(header?.slice('Bearer '.length) ?? '')
        if (principal === undefined) throw new ApiError('MissingToken')
        return principal
      },
    })
  })
  after(async () => {
    await server.close()
    await database.drop()
  })

  const call = <Data = View>(token: string, how: string, body?: unknown): Promise<Answer<Data>> => {
    const [method, url = ''] = how.split(' ') as ['GET' | 'POST' | 'PUT' | 'DELETE', string?]
    return server.call<Data>(method, url, { token, ...(body === undefined ? {} : { body }) })
  }
  const save = (token: string, name: string, more: object = {}) =>
    call(token, 'POST /views', { list: LIST, name, query: 'period=today', ...more })
  const namesOf = async (token: string, query = '') =>
    (await call<View[]>(token, `GET /views${query}`)).data.map(({ name }) => name)
  const code = ({ status, error_details }: Answer<unknown>) =>
    `${status} ${error_details?.[0]?.code} ${error_details?.[0]?.path}`

  it('say by name whose they are', async () => {
    const ann = people.get('ann')
    assert.ok(ann !== undefined)
    const user = await database.db.tx((tx) =>
      createUser(workerCaller(ann.workspace, 'test'), tx, clock, {
        email: 'petra@example.com',
        name: 'Petra',
        roles: ['TREASURER'],
        password: 'a password for Petra',
      }),
    )
    people.set('petra', { ...ann, user_id: user.id })
    const { data } = await save('petra', 'Hers', { shared: true })
    const listed = (await call<View[]>('ann', 'GET /views')).data
    assert.equal(listed.find(({ id }) => id === data.id)?.user_name, 'Petra')
    await call('petra', `DELETE /views/${data.id}`)
  })

  it('are of who saves them, and of all when they are shared', async () => {
    const { data, text } = await save('ann', 'Today')
    assert.partialDeepStrictEqual(
      data,
      { list: LIST, name: 'Today', query: 'period=today', shared: false, version: 1 },
      text,
    )
    assert.equal(data.user_id, people.get('ann')?.user_id)
    await save('ann', 'For all', { shared: true, query: '' })
    await save('ann', 'Bookings', { list: '/books/bookings' })
    assert.deepEqual(await namesOf('ann'), ['Bookings', 'For all', 'Today'])
    assert.deepEqual(await namesOf('ann', `?list=${LIST}`), ['For all', 'Today'])
    assert.deepEqual(await namesOf('ben'), ['For all'])
    assert.deepEqual(await namesOf('stranger'), [])
  })

  it('are saved once under a key, and once under a name', async () => {
    const request = { list: LIST, name: 'Once', query: 'asset=EUR' }
    const headers = { 'idempotency-key': newId() }
    const send = () => server.call<View>('POST', '/views', { token: 'ann', body: request, headers })
    assert.equal((await send()).data.id, (await send()).data.id)
    assert.equal(code(await save('ann', 'Once')), '400 DUPLICATE name')
    assert.equal((await save('ben', 'Once')).status, 200, "another's name is free")
    assert.equal((await save('ann', 'Once', { list: '/trading/fills' })).status, 200)
  })

  it('are refused without a name, or with what is no address', async () => {
    assert.match(code(await save('ann', ' ')), /^400 .* name$/)
    assert.match(code(await save('ann', 'x', { query: 'state=A B' })), /^400 .* query$/)
    assert.match(code(await save('ann', 'x', { list: 'https://elsewhere' })), /^400 .* list$/)
  })

  it('are renamed, shared and saved anew by their user alone', async () => {
    const { id } = (await save('ann', 'Mine')).data
    const url = `/views/${id}`
    assert.equal(code(await call('ben', `PUT ${url}`, { name: 'His' })), '404 NOT_FOUND view_id')
    const changed = await call('ann', `PUT ${url}`, { name: 'Ours', shared: true, version: 1 })
    assert.partialDeepStrictEqual(changed.data, {
      name: 'Ours',
      shared: true,
      query: 'period=today',
      version: 2,
    })
    assert.equal(code(await call('ben', `PUT ${url}`, { name: 'His' })), '400 CONFLICT view_id')
    const late = await call('ann', `PUT ${url}`, { query: 'asset=BTC', version: 1 })
    assert.equal(code(late), '400 STALE_VERSION version')
    assert.equal((await call('ann', `PUT ${url}`, { query: 'asset=BTC' })).data.query, 'asset=BTC')
    assert.equal(code(await call('ann', `PUT ${url}`, { name: 'Today' })), '400 DUPLICATE name')
  })

  it('are deleted by their user, and by who tidies up what is shared', async () => {
    const [secret, open] = [
      (await save('ann', 'Secret')).data.id,
      (await save('ann', 'Open', { shared: true })).data.id,
    ]
    const gone = '404 NOT_FOUND view_id'
    assert.equal(code(await call('admin', `DELETE /views/${secret}`)), gone)
    assert.equal(code(await call('ben', `DELETE /views/${open}`)), '403 PERMISSION_REQUIRED ')
    assert.equal(code(await call('stranger', `DELETE /views/${open}`)), gone)
    assert.equal((await call('admin', `DELETE /views/${open}`)).data.name, 'Open')
    assert.equal((await call('ann', `DELETE /views/${secret}`)).status, 200)
    assert.equal(code(await call('ann', `DELETE /views/${secret}`)), gone)
  })

  it('are no more than a menu can have', async () => {
    const { workspace, user_id } = people.get('full') as Principal
    await database.db.tx(async (tx) => {
      for (let n = 0; n < MAXIMUM_VIEWS; n += 1) {
        const row = { workspace, id: newId<View['id']>(), user_id, list: LIST, name: `${n}` }
        await tx.query(
          insertRow(VIEWS, { ...row, query: '', shared: false }, { by: null, now: clock.now() }),
        )
      }
    })
    assert.equal(code(await save('full', 'One more')), '400 ABOVE_MAXIMUM name')
  })
})
