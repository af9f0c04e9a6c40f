/** A statement says what was bought or sold, and at which price. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { testServer } from '../http/testing.ts'
import { ledgerEndpoints } from '../ledger/index.ts'
import type { StatementLine } from '../ledger/index.ts'
import { ExecutionDesk } from '../trading/executions/executions.testing.ts'
import { fillFor, report } from '../trading/testing/trading.fixture.ts'
import { withPapers } from './index.ts'

let desk: ExecutionDesk
let api: Awaited<ReturnType<typeof testServer>>
before(async () => {
  desk = await ExecutionDesk.open()
  const { app, clock, database, workspace } = desk.world
  const { db } = database
  const openPeriod = async () => ({ from: null, to: null })
  api = await testServer({
    db,
    clock,
    endpoints: withPapers({ db, clock }, ledgerEndpoints({ ...app, openPeriod })),
    authenticate: async () => ({
      workspace,
      user_id: newId(),
      session_id: newId(),
      permissions: new Set(['bookings.read', 'accounts.read']),
    }),
  })
})
after(async () => {
  await api.close()
  await desk.close()
})

it('says it beside both bookings of a trade', async () => {
  await desk.reset()
  const created = await desk.execute({})
  desk.world.exchange.sends = [
    () => ({
      outcome: 'accepted',
      report: report('FILLED', [fillFor('T1', '60000', '1'), fillFor('T2', '60100', '0.5')]),
    }),
  ]
  await desk.world.finish(created.id)
  const path = `/bookings/accounts/${desk.alice.account_id}/statement`
  const lines = (await api.call<StatementLine[]>('GET', path)).data
  const ofTrade = lines.filter(({ reference_id }) => reference_id === created.id)
  const bought = 'Bought 1.5 BTC at 60,490.37 EUR, 90,735.56 EUR in all'
  assert.deepEqual(
    ofTrade.map(({ asset, description }) => [asset, description]),
    [
      ['EUR', bought],
      ['BTC', bought],
    ],
  )
})
