/** A transfer is held once and booked once, wherever the process dies between the two. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { apiClient, openServices, prepareDatabase, repeat } from '../core/service.testing.ts'
import type { Service } from '../core/service.testing.ts'
import { until } from '../core/testing.ts'
import { putAsset, verifyBooks } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import type { BookTransfer } from './book-transfers.schema.ts'
import type { Customer } from './index.ts'

const ADMIN = { email: 'admin@example.com', password: 'fault tests only' }

describe('a transfer between customers outlives its processes', { timeout: 300_000 }, () => {
  let database: TestDatabase
  let services: ReturnType<typeof openServices>
  let api: Service
  let workspace: WorkspaceId
  let customers: Customer[]
  const { call, connect } = apiClient(ADMIN)

  async function startApi(env: Record<string, string> = {}): Promise<void> {
    api = services.start({ KONTOR_ROLE: 'api', ...env })
    await connect((await api.ready).port)
  }

  const person = (label: string) =>
    call<Customer>('POST', '/customers', {
      type: 'RETAIL',
      label,
      margin: 'DEFAULT',
      booking_schema: 'ADVANCED',
      ignore_balance_check: false,
      ignore_margin: false,
      first_name: label,
      last_name: 'Example',
    })

  before(async () => {
    database = await testDatabase({ maximumConnections: 3 })
    await prepareDatabase(database.url, ADMIN)
    services = openServices({
      DATABASE_URL: database.url,
      KONTOR_LEASE_MS: '1000',
    })
    await startApi()
    const accounts = await call<{ id: string; type: string; workspace: WorkspaceId }[]>(
      'GET',
      '/accounts',
    )
    const house = accounts.find((account) => account.type === 'HOUSE') ?? assert.fail()
    workspace = house.workspace
    await putAsset(database.db, workspace, {
      code: 'EUR',
      label: 'EUR',
      kind: 'FIAT',
      scale: 2,
      circulating_supply: null,
    })
    customers = [await person('Giver'), await person('Receiver')]
    await call('POST', '/bookings', {
      asset: 'EUR',
      legs: [
        { account_id: house.id, type: 'DEBIT', quantity: '100' },
        { account_id: customers[0]?.account_id, type: 'CREDIT', quantity: '100' },
      ],
    })
  })
  after(async () => {
    await services.killAll()
    await database.drop()
  })

  const ask = (key: string) =>
    call<BookTransfer>(
      'POST',
      '/book-transfers',
      {
        from_account_id: customers[0]?.account_id,
        to_account_id: customers[1]?.account_id,
        asset: 'EUR',
        quantity: '10',
        reason: 'killed',
      },
      { 'idempotency-key': key },
    )
  const totals = async () => {
    const rows = await database.db.query<{ label: string; total: string; held: string }>(sql`
      select a.label, trim_scale(b.total)::text as total,
        trim_scale(b.held_withdrawal)::text as held
      from balances b
      join accounts a on a.workspace = b.workspace
        and a.id = b.account_id
      where a.type = 'CUSTOMER'
      order by a.label`)
    return rows.map(({ label, total, held }) => `${label} ${total}/${held}`)
  }

  it('is held once, wherever the process dies that was asked', async () => {
    for (const point of ['book-transfer.create.before', 'book-transfer.create.after']) {
      await services.kill(api)
      await startApi({ KONTOR_FAILPOINT: point })
      const dying = api
      const key = newId()
      await assert.rejects(ask(key))
      assert.equal(await dying.exited, 'SIGKILL', point)
      await startApi()
      await repeat(() => ask(key))
    }
    assert.deepEqual(await totals(), ['Giver 100/20'])
  })

  it('is booked once, wherever its worker dies', async () => {
    for (const point of ['book-transfer.book.before', 'book-transfer.book.after']) {
      const killed = services.start({ KONTOR_ROLE: 'worker', KONTOR_FAILPOINT: point })
      assert.equal(await killed.exited, 'SIGKILL', point)
    }
    const worker = services.start({ KONTOR_ROLE: 'worker' })
    const { metrics_port } = await worker.ready
    const metrics = await (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text()
    assert.match(metrics, /^kontor_task_age_seconds\{kind="housekeeping"\} /m, 'of a worker')
    await until('both are booked', async () => {
      const done = await call<BookTransfer[]>('GET', '/book-transfers?state=DONE')
      return done.length === 2 ? true : undefined
    })
    await services.kill(worker)
    assert.deepEqual(await totals(), ['Giver 80/0', 'Receiver 20/0'])
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
  })
})
