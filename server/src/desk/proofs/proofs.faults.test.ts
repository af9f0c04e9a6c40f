/** A process that is killed while it makes a proof leaves none; the repeat makes a whole one. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { checkProof } from '@kontor/client'
import { newId } from '../../core/ids.ts'
import { apiClient, openServices, prepareDatabase, repeat } from '../../core/service.testing.ts'
import type { Service } from '../../core/service.testing.ts'
import type { Customer } from '../../customers/index.ts'
import { putAsset } from '../../ledger/index.ts'
import type { Account } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import type { AccountProof, Proof } from './proofs.schema.ts'

const ADMIN = { email: 'admin@example.com', password: 'fault tests only' }

describe('a proof outlives the processes that make it', { timeout: 300_000 }, () => {
  let database: TestDatabase
  let services: ReturnType<typeof openServices>
  let api: Service
  const customers: Customer[] = []
  const { call, connect } = apiClient(ADMIN)

  async function startApi(env: Record<string, string> = {}): Promise<void> {
    api = services.start({ KONTOR_ROLE: 'api', ...env })
    await connect((await api.ready).port)
  }

  before(async () => {
    database = await testDatabase({ maximumConnections: 3 })
    await prepareDatabase(database.url, ADMIN)
    services = openServices({ DATABASE_URL: database.url, KONTOR_LEASE_MS: '1000' })
    await startApi()
    const accounts = await call<Account[]>('GET', '/accounts')
    const house = accounts.find(({ type }) => type === 'HOUSE') ?? assert.fail()
    await putAsset(database.db, house.workspace, {
      code: 'EUR',
      label: 'EUR',
      kind: 'FIAT',
      scale: 2,
      circulating_supply: null,
    })
    for (const quantity of ['100', '20.5', '0.01']) {
      const customer = await call<Customer>('POST', '/customers', {
        type: 'RETAIL',
        label: quantity,
        margin: 'DEFAULT',
        booking_schema: 'ADVANCED',
        ignore_balance_check: false,
        ignore_margin: false,
        first_name: quantity,
        last_name: 'Example',
      })
      customers.push(customer)
      await call('POST', '/bookings', {
        asset: 'EUR',
        legs: [
          { account_id: house.id, type: 'DEBIT', quantity },
          { account_id: customer.account_id, type: 'CREDIT', quantity },
        ],
      })
    }
  })
  after(async () => {
    await services?.killAll()
    await database?.drop()
  })

  const rows = async (): Promise<number> => {
    const [row] = await database.db.query<{ count: number }>(sql`
      select (select count(*) from proofs)::int + (select count(*) from proof_trees)::int
        + (select count(*) from proof_nodes)::int as count`)
    return row?.count ?? 0
  }
  const make = (key: string) =>
    call<Proof>('POST', '/proofs', undefined, { 'idempotency-key': key })

  for (const point of ['proof.grow.before', 'proof.grow.after'])
    it(`killed at ${point}: nothing of it is there, and the repeat is whole`, async () => {
      const before = await rows()
      await services.kill(api)
      await startApi({ KONTOR_FAILPOINT: point })
      const dying = api
      const key = newId()
      await assert.rejects(make(key))
      assert.equal(await dying.exited, 'SIGKILL', point)
      assert.equal(await rows(), before)
      await startApi()
      const proof = await repeat(() => make(key))
      assert.deepEqual(await make(key), proof)
      assert.equal(proof.trees[0]?.total, '120.51')
      const published = proof.trees.map(({ root }) => root)
      for (const { account_id, label } of customers) {
        const file = await call<AccountProof>('GET', `/proofs/${proof.id}/accounts/${account_id}`)
        assert.equal((await checkProof(file, published))[0]?.quantity, label)
      }
      const { length } = await call<Proof[]>('GET', '/proofs')
      assert.equal(length, point === 'proof.grow.before' ? 1 : 2)
    })
})
