/** One transaction of a venue pays several: one that is refused does not stop the others. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { loadList, readListFiles } from '../screening/index.ts'
import type { ScreeningCase } from '../screening/index.ts'
import { sql } from '../store/sql.ts'
import { CAROLS, openSharedTransactions } from '../treasury/batches/shared-transactions.testing.ts'
import { listNaming } from './compliance.testing.ts'
import { decideCase } from './decisions.ts'

describe('a transaction with a payment that a list may name', () => {
  let shared: Awaited<ReturnType<typeof openSharedTransactions>>
  before(async () => {
    shared = await openSharedTransactions()
  })
  after(() => shared.place.close())

  it('waits as a whole, and leaves without what was refused', async () => {
    const { place } = shared
    const { app, db, clock, workspace } = place
    const payers = await shared.newPayers()
    await place.settings({ screening: { withdrawals: true, lists: ['OFAC_SDN'] } })
    const read = readListFiles(listNaming({ name: 'SOMEBODY', address: CAROLS }))
    await db.tx((tx) => loadList({ tx, clock }, workspace, read, { by: 'test', smaller: true }))
    const rows = await shared.submitted(payers.four())
    await place.work()
    assert.deepEqual(await shared.states(rows), ['PENDING', 'PENDING', 'PENDING', 'PENDING'])
    assert.equal(shared.sends(rows).length, 0)
    const cases = await db.query<Pick<ScreeningCase, 'id' | 'record_id'>>(sql`
      select id, record_id
      from screening_cases
      where workspace = ${workspace}`)
    const [found] = cases
    assert.equal(cases.length, 1)
    const carols = rows.find((row) => row.destination_address === CAROLS)
    assert.equal(found?.record_id, carols?.id)

    const caller = { ...place.caller, idempotency: undefined, by: newId() }
    const body = { decision: 'REFUSE', reason: 'it is them' } as const
    await decideCase(caller as typeof place.caller, app, found?.id ?? '', body)
    await place.later(2_000)
    const [sent, ...more] = shared.sends(rows)
    assert.deepEqual(more, [])
    assert.equal(sent?.further_outputs?.length, 2)
    const after = await shared.all(rows)
    for (const row of after) {
      const refused = row.id === carols?.id
      assert.equal(row.state === 'CANCELED', refused)
      assert.equal(row.submitted_at === null, refused)
    }
  })
})
