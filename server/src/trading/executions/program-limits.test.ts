/** The limits of an API key hold for executions. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { TestServer } from '../../http/testing.ts'
import { refusalOf } from '../../http/testing.ts'
import { insertApiKey } from '../../store/api-keys.testing.ts'
import type { ApiKeyTestLimits } from '../../store/api-keys.testing.ts'
import { sql } from '../../store/sql.ts'
import { openTradingApi } from '../testing/desk.testing.ts'
import { ExecutionDesk } from './executions.testing.ts'

const EXCEEDED = '403 1003 LIMIT_EXCEEDED '
const any = (asset: string, per_transaction: string | null = null) => ({
  asset,
  per_transaction,
  per_day: null,
})

let desk: ExecutionDesk
const servers: TestServer[] = []
before(async () => {
  desk = await ExecutionDesk.open()
  await desk.reset()
})
after(async () => {
  for (const server of servers) await server.close()
  await desk.close()
})

/** A program with these limits. */
async function program(given: Partial<ApiKeyTestLimits>) {
  const { database, workspace } = desk.world
  const limits = { assets: null, routes: null, ...given }
  const id = await insertApiKey(database.db, { workspace, limits })
  const terms = { networks: [], expires_at: Infinity, limited: true }
  const api_key = { id, permissions: new Set<string>(), ...terms }
  const api = await openTradingApi(desk.world, workspace, { user_id: id, api_key })
  servers.push(api)
  return {
    execute: (more: object = {}) =>
      api.call('POST', '/executions', { body: desk.body({ ...more }) }),
    moved: () =>
      database.db.query<{ asset: string; quantity: string }>(sql`
        select asset, trim_scale(quantity)::text as quantity
        from api_key_spending
        where key_id = ${id}`),
  }
}

test('what customers may have to give counts', async () => {
  const { execute, moved } = await program({ assets: [any('BTC', '1'), any('EUR', '1000000')] })
  assert.equal(refusalOf(await execute({ side: 'SELL', amount: '1.1' })), EXCEEDED)
  const sold = await execute({ side: 'SELL', amount: '1' })
  assert.equal(sold.status, 200, sold.text)
  assert.deepEqual(await moved(), [{ asset: 'BTC', quantity: '1' }])
  const poor = await program({ assets: [any('BTC'), any('EUR', '10')] })
  assert.equal(refusalOf(await poor.execute()), EXCEEDED)
})

test('what they get must be allowed', async () => {
  const { execute } = await program({ assets: [any('EUR')] })
  assert.equal(refusalOf(await execute()), EXCEEDED)
  assert.equal(refusalOf(await execute({ side: 'SELL' })), EXCEEDED)
})

test('the route must be allowed', async () => {
  const own = await program({ routes: [desk.world.route.id] })
  assert.equal((await own.execute()).status, 200)
  const other = await program({ routes: [newId()] })
  assert.equal(refusalOf(await other.execute()), EXCEEDED)
})
