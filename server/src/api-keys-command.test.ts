import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorkspace, openAccess } from './access/index.ts'
import type { Access } from './access/index.ts'
import { API_KEYS } from './api-keys-command.ts'
import { runCommand } from './command.testing.ts'
import { manualClock } from './core/clock.ts'
import { until } from './core/testing.ts'
import { UsageError } from './core/usage.ts'
import { testDatabase } from './store/testing.ts'

const { db, drop } = await testDatabase({ maximumConnections: 3 })
const clock = manualClock(Date.UTC(2027, 0, 1))
let access: Access
before(async () => {
  access = await openAccess(db, clock)
  await db.tx((tx) => createWorkspace(tx, clock, { name: 'Main' }))
})
after(async () => {
  await access.close()
  await drop()
})

/** Answers what it says. */
async function run(...args: string[]): Promise<string[]> {
  return (await runCommand(API_KEYS, { db, clock, args })).lines
}

const secretIn = (lines: readonly string[]): string =>
  /^secret (kontor_\w+) \(shown only this once\)$/.exec(lines.at(-1) ?? '')?.[1] ??
  assert.fail(lines.join('\n'))

const permissionsWith = async (secret: string): Promise<string[]> => {
  const caller = await access.authenticate(`Bearer ${secret}`, { ip: '10.0.0.1' })
  return [...caller.permissions]
}

test('npm run api-keys creates, lists, rotates and revokes', async () => {
  const terms =
    '--permission treasury.withdrawals.create --network 10.0.0.0/8 --limit EUR=1000/5000 ' +
    '--limit BTC --days 30'
  const made = await run('create', 'Payouts', ...terms.split(' '))
  const secret = secretIn(made)
  assert.deepEqual(await permissionsWith(secret), ['treasury.withdrawals.create'])
  // Its use is stored a moment later.
  const listed = await until('its use is stored', async () => {
    const lines = await run('list')
    return lines.some((line) => line.includes('last used 2027')) ? lines : undefined
  })
  assert.deepEqual(
    listed.map((line) => line.replace(/^[0-9a-f-]{36} /, '')),
    [
      'Payouts: ACTIVE, until 2027-01-31T00:00:00.000Z, last used 2027-01-01T00:00:00.000Z, ' +
        'treasury.withdrawals.create',
    ],
  )
  assert.ok(!listed.join('\n').includes(secret))

  const next = secretIn(await run('rotate', 'Payouts', '--overlap', '1'))
  for (const one of [secret, next]) assert.equal((await permissionsWith(one)).length, 1)
  assert.deepEqual(await run('revoke', 'Payouts'), ['API key Payouts is revoked'])
  assert.match(String(await run('list')), /Payouts: REVOKED/)
})

test('what is wrong is said in a sentence', async () => {
  const create = (...more: string[]) => ['create', 'X', '--permission', 'bookings.read', ...more]
  const wrong: [string[], RegExp][] = [
    [['dance'], /does not know dance/],
    [['create'], /takes one label/],
    [['list', 'X'], /takes no label/],
    [['create', 'X'], /--permission/],
    [['create', 'X', '--permission', 'bookings.steal'], /bookings\.steal is no permission/],
    [create('--limit', 'EUR=-1'), /no limit/],
    [create('--limit', 'EUR=0'), /no limit/],
    [create('--route', 'x'), /not the id/],
    [create('--route', '01a1fc75-ea2a-7589-aa8f-000000000011'), /does not exist/],
    [create('--network', '10.0.0.0/99'), /./],
    [create('--days', 'x'), /whole number/],
    [create('--overlap', '1'), /does not belong to create/],
    [create('--workspace', 'Elsewhere'), /no workspace named Elsewhere/],
    [['revoke', 'Nobody'], /no active API key Nobody/],
  ]
  for (const [args, why] of wrong)
    await assert.rejects(run(...args), (error: Error) => {
      assert.ok(error instanceof UsageError, args.join(' '))
      assert.match(error.message, why)
      return true
    })
})

test('among several workspaces one must be named', async () => {
  await db.tx((tx) => createWorkspace(tx, clock, { name: 'Second' }))
  await assert.rejects(run('list'), /--workspace: Main, Second/)
  assert.deepEqual(await run('list', '--workspace', 'Second'), [])
})
