import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../core/ids.ts'
import { workerCaller } from '../http/index.ts'
import { sql } from '../store/sql.ts'
import { openAccessWorld } from './access.testing.ts'
import { DEFAULT_SETTINGS, putSettings, settingsOf } from './index.ts'

const { clock, db, workspace } = await openAccessWorld()
const caller = workerCaller(workspace, 'test')

test('settings: defaults, changes that stay, refusals', async () => {
  assert.deepEqual(await settingsOf(db, workspace), DEFAULT_SETTINGS)
  const changed = await db.tx((tx) =>
    putSettings(caller, tx, clock, {
      compliance: true,
      margins: { ...DEFAULT_SETTINGS.margins, GOLD: '0.001' },
    }),
  )
  assert.deepEqual(changed, {
    ...DEFAULT_SETTINGS,
    compliance: true,
    margins: { ...DEFAULT_SETTINGS.margins, GOLD: '0.001' },
  })
  assert.deepEqual(await settingsOf(db, workspace), changed)
  const gold = (GOLD: string) => ({ margins: { ...DEFAULT_SETTINGS.margins, GOLD } })
  for (const wrong of [
    { slippage: '1e3' },
    { slippage: '1' },
    { default_risk: '-0.1' },
    { default_risk: '1' },
    gold('much'),
    gold('1'),
    { unknown: true },
  ]) {
    await assert.rejects(
      db.tx((tx) => putSettings(caller, tx, clock, wrong as never)),
      { kind: 'BadRequest' },
    )
  }
  await assert.rejects(settingsOf(db, newId()), { kind: 'NewResourceNotFound' })
  assert.deepEqual(await settingsOf(db, workspace), changed)
})

test('the security log tells of a setting that is another one, and of no other', async () => {
  const slippage = '0.02'
  for (let times = 1; times <= 2; times += 1)
    await db.tx((tx) => putSettings(caller, tx, clock, { slippage, compliance: true }))
  const logged = await db.query<{ actor: string; details: unknown }>(sql`
    select actor, details
    from security_log
    where workspace = ${workspace}
      and kind = 'SETTINGS_CHANGED'
    order by id desc
    limit 1`)
  const [count] = await db.query<{ count: number }>(sql`
    select count(*) as count
    from security_log
    where kind = 'SETTINGS_CHANGED'`)
  assert.deepEqual(logged, [
    { actor: 'test', details: { before: { slippage: '0.01' }, after: { slippage } } },
  ])
  assert.equal(count?.count, 2, 'one of the test before')
})
