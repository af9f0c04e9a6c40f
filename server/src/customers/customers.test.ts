import { mustExist } from '../core/assert.ts'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createWorkspace } from '../access/index.ts'
import { manualClock } from '../core/clock.ts'
import { decimal } from '../core/decimal.ts'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Principal } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { Answer, TestServer } from '../http/testing.ts'
import { accountById, houseAccounts, openBooks, openLane } from '../ledger/index.ts'
import type { Lane } from '../ledger/index.ts'
import { bookingChange } from '../ledger/lane/books.testing.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import { customersEndpoints } from './index.ts'
import type { Customer } from './index.ts'

const RETAIL = {
  type: 'RETAIL',
  label: 'Ada',
  margin: 'DEFAULT',
  booking_schema: 'ADVANCED',
  ignore_balance_check: false,
  ignore_margin: false,
  first_name: 'Ada',
  last_name: 'Lovelace',
}

describe('customers', () => {
  let database: TestDatabase
  let lane: Lane
  let server: TestServer
  let workspace: WorkspaceId
  let house: string
  const clock = manualClock(1_800_000_000_000)
  const principals = new Map<string, Principal>()
  const permissions = new Set(['customers.read', 'customers.write'])
  const commitments = new Set<string>()

  before(async () => {
    database = await testDatabase()
    lane = openLane(database.db, clock)
    for (const name of ['ours', 'theirs']) {
      const { id } = await database.db.tx(async (tx) => {
        const made = await createWorkspace(tx, clock, { name })
        await openBooks({ workspace: made.id, by: 'test' }, { tx, clock })
        return made
      })
      principals.set(name, { workspace: id, user_id: newId(), session_id: newId(), permissions })
    }
    workspace = mustExist(principals.get('ours'), 'it was made').workspace
    house = (await houseAccounts(database.db, workspace)).HOUSE
    server = await testServer({
      db: database.db,
      clock,
      endpoints: customersEndpoints(
        { db: database.db, clock },
        async (_reader, _workspace, customer_id) => commitments.has(customer_id),
      ),
      authenticate: (header) => {
        const principal = principals.get(header?.slice('Bearer '.length) ?? '')
        if (principal === undefined) throw new ApiError('MissingToken')
        return principal
      },
    })
  })
  after(async () => {
    await server.close()
    await lane.close()
    await database.drop()
  })

  const call = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    body?: unknown,
    token = 'ours',
  ) => server.call<Customer>(method, url, { token, ...(body === undefined ? {} : { body }) })
  const code = ({ status, error_code, error_details }: Answer<unknown>) =>
    `${status} ${error_code} ${error_details?.[0]?.code} ${error_details?.[0]?.path}`
  /** Out of the account when the quantity is negative. */
  const pay = (account: string, quantity: string) => {
    const [from, to] = quantity.startsWith('-') ? [account, house] : [house, account]
    const payment = { from, to, quantity: quantity.replace('-', '') }
    return lane.commit(bookingChange(workspace, payment, { class: 'fact' }))
  }

  it('creates a customer with its account', async () => {
    const { data, status } = await call('POST', '/customers', {
      ...RETAIL,
      foreign_id: '',
      company_name: null,
      notification_recipients: ['a@b.example'],
      time_zone: 'Europe/Berlin',
    })
    assert.equal(status, 200)
    assert.equal(data.state, 'ACTIVE')
    assert.equal(data.version, 1)
    assert.deepEqual([data.language, data.time_zone], [null, 'Europe/Berlin'])
    const { foreign_id, company_name, investment_entity_ids, notification_recipients } = data
    assert.deepEqual(
      { foreign_id, company_name, investment_entity_ids, notification_recipients },
      {
        foreign_id: null,
        company_name: null,
        investment_entity_ids: [],
        notification_recipients: ['a@b.example'],
      },
    )
    const account = await accountById(database.db, workspace, data.account_id)
    const { type, label, customer_id } = account
    assert.deepEqual(
      { type, label, customer_id },
      { type: 'CUSTOMER', label: 'Ada', customer_id: data.id },
    )
    assert.deepEqual((await call('GET', `/customers/${data.id}`)).data, data)
  })

  it('refuses what is missing or unknown, naming it', async () => {
    const cases: [object, string][] = [
      [{ ...RETAIL, last_name: '' }, '400 3001 REQUIRED last_name'],
      [{ ...RETAIL, type: 'INSTITUTION' }, '400 3001 REQUIRED company_name'],
      [{ ...RETAIL, type: 'JOINT' }, '400 3001 REQUIRED joint_name'],
      [{ ...RETAIL, margin: 'GOLD' }, '400 3001 ENUM margin'],
      [{ ...RETAIL, booking_schema: 'OTHER' }, '400 3001 ENUM booking_schema'],
      [{ ...RETAIL, language: 'fr' }, '400 3001 ENUM language'],
      [{ ...RETAIL, time_zone: 'Moon/Sea' }, '400 3001 FORMAT time_zone'],
      [{ ...RETAIL, ignore_margin: 'false' }, '400 3001 TYPE ignore_margin'],
      [{ ...RETAIL, state: 'ACTIVE' }, '400 3001 UNKNOWN_FIELD state'],
      [
        { ...RETAIL, notification_recipients: ['nobody'] },
        '400 3001 FORMAT notification_recipients[0]',
      ],
    ]
    for (const [body, expected] of cases)
      assert.equal(code(await call('POST', '/customers', body)), expected)
  })

  it('keeps foreign_id unique within the workspace only', async () => {
    assert.equal((await call('POST', '/customers', { ...RETAIL, foreign_id: 'F1' })).status, 200)
    assert.equal(
      code(await call('POST', '/customers', { ...RETAIL, foreign_id: 'F1' })),
      '400 3001 DUPLICATE foreign_id',
    )
    assert.equal(
      (await call('POST', '/customers', { ...RETAIL, foreign_id: 'F1' }, 'theirs')).status,
      200,
    )
  })

  it('changes a customer by the record as it was read, and its account with it', async () => {
    const { data } = await call('POST', '/customers', RETAIL)
    const changed = await call('PUT', '/customers', {
      ...data,
      label: 'Ada L.',
      ignore_balance_check: true,
    })
    const { version, label } = changed.data
    assert.deepEqual(
      { status: changed.status, version, label },
      { status: 200, version: 2, label: 'Ada L.' },
    )
    assert.equal((await accountById(database.db, workspace, data.account_id)).label, 'Ada L.')
    const spent = { from: data.account_id, to: house, quantity: '1' }
    await lane.commit(bookingChange(workspace, spent))
    assert.equal(
      code(await call('PUT', '/customers', { ...data, label: 'Old' })),
      '400 3001 STALE_VERSION version',
    )
    assert.equal(
      code(await call('PUT', '/customers', { ...data, id: newId() })),
      '404 4004 NOT_FOUND id',
    )
    assert.equal(
      code(await call('PUT', '/customers', { ...data }, 'theirs')),
      '404 4004 NOT_FOUND id',
    )
  })

  it('refuses another booking schema while something is traded', async () => {
    const { data } = await call('POST', '/customers', RETAIL)
    await pay(data.account_id, '5')
    const hold_id = newId()
    await lane.commit({
      workspace,
      class: 'command',
      by: 'test',
      ledger: [
        {
          step: 'hold',
          hold: {
            id: hold_id,
            kind: 'TRADING',
            account_id: data.account_id,
            asset: 'EUR',
            quantity: decimal('5'),
            cause_type: 'execution',
            cause_id: newId(),
          },
        },
      ],
    })
    assert.equal(
      code(await call('PUT', '/customers', { ...data, booking_schema: 'SIMPLE' })),
      '400 3001 IN_USE booking_schema',
    )
    assert.equal((await call('PUT', '/customers', { ...data, label: 'Else' })).status, 200)
    await lane.commit({
      workspace,
      class: 'command',
      by: 'test',
      ledger: [{ step: 'release', hold_id }],
    })
    assert.equal(
      (await call('PUT', '/customers', { ...RETAIL, id: data.id, booking_schema: 'SIMPLE' })).data
        .booking_schema,
      'SIMPLE',
    )
  })

  it('deletes softly, and only what is not in use', async () => {
    const { data } = await call('POST', '/customers', RETAIL)
    await pay(data.account_id, '5')
    assert.equal(code(await call('DELETE', `/customers/${data.id}`)), '400 3001 IN_USE ')
    await pay(data.account_id, '-5')
    commitments.add(data.id)
    assert.equal(code(await call('DELETE', `/customers/${data.id}`)), '400 3001 IN_USE ')
    commitments.delete(data.id)
    assert.equal(
      code(await call('DELETE', `/customers/${data.id}`, undefined, 'theirs')),
      '404 4004 NOT_FOUND customer_id',
    )
    const gone = await call('DELETE', `/customers/${data.id}`)
    assert.deepEqual(gone.data, { id: data.id })
    assert.equal((await call('GET', `/customers/${data.id}`)).data.state, 'DELETED')
    assert.equal(code(await call('DELETE', `/customers/${data.id}`)), '400 3001 STATE_NOT_ALLOWED ')
    assert.equal(
      code(await call('PUT', '/customers', { ...RETAIL, id: data.id })),
      '400 3001 STATE_NOT_ALLOWED ',
    )
    const listed = async (query: string) =>
      (await server.call<Customer[]>('GET', `/customers${query}`, { token: 'ours' })).data.map(
        (customer) => customer.id,
      )
    assert.ok(!(await listed('')).includes(data.id))
    assert.deepEqual(await listed('?state=deleted'), [data.id])
    assert.ok(!(await listed('?state=ACTIVE')).includes(data.id))
  })
})
