import assert from 'node:assert/strict'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createWorkspace, readWrappingKey, wrappingKeysOf } from './access/index.ts'
import { openTokens } from './access/tokens.ts'
import { runCommand } from './command.testing.ts'
import { manualClock } from './core/clock.ts'
import { newId, NO_WORKSPACE } from './core/ids.ts'
import type { VenueId } from './core/ids.ts'
import { UsageError } from './core/usage.ts'
import { KEYS } from './keys-command.ts'
import { sql } from './store/sql.ts'
import { testDatabase } from './store/testing.ts'
import { writeSecret } from './venues/index.ts'

const { db, drop } = await testDatabase({ maximumConnections: 2 })
const folder = await mkdtemp(join(tmpdir(), 'kontor-keys-command-'))
const key_file = join(folder, 'kontor.key')
const clock = manualClock(Date.now())
after(async () => {
  await drop()
  await rm(folder, { recursive: true })
})

/** Answers what it says, with ids and times left out. */
async function run(args: readonly string[], file: string | undefined = key_file) {
  const { lines } = await runCommand(KEYS, { db, clock, args, key_file: file })
  return lines.map((line) => line.replace(/^[0-9a-f-]{36} signs from \S+, /, 'a key '))
}

test('npm run keys lists the signing keys and makes the next one', async () => {
  const tokens = await openTokens(db, clock, { key_file })
  tokens.close()
  const [id] = await wrappingKeysOf(db)
  const wrapped = `a key wrapped by ${id}`
  const where = `the wrapping key is in ${key_file}: keep a copy elsewhere`
  assert.deepEqual(await run([]), [wrapped, where])
  assert.deepEqual(await run(['rotate']), [wrapped, wrapped, where])
  assert.deepEqual(await run(['rotate', '--at-once']), [wrapped, where])
  for (const args of [['dance'], ['rotate', 'twice'], ['--at-once'], ['--soon']])
    await assert.rejects(run(args), UsageError)
})

type Entry = { workspace: string; kind: string; actor: string; details: object }

/** Oldest first. */
const logged = () =>
  db.query<Entry>(sql`
    select workspace, kind, actor, details
    from security_log
    order by occurred_at, kind`)

test('the security log says who has rotated what', async () => {
  const before = (await logged()).length
  const { id: workspace } = await db.tx((tx) => createWorkspace(tx, clock, { name: 'Bank' }))
  clock.advance(1)
  await run(['rotate'])
  clock.advance(1)
  const [old] = await wrappingKeysOf(db)
  await rename(key_file, `${key_file}.away`)
  await run(['rotate'])
  const [wrapping] = await wrappingKeysOf(db)
  clock.advance(1)
  await db.tx((tx) => createWorkspace(tx, clock, { name: 'Another Bank' }))
  await run(['rotate', '--at-once'])
  const [signing] = await db.query<{ id: string }>(sql`
    select id
    from signing_keys`)
  const entries = (await logged()).slice(before)
  const actor = `operator ${userInfo().username}`
  assert.ok(entries.every((entry) => entry.actor === actor))
  assert.deepEqual(
    entries.map(({ workspace: whose, kind }) => [whose, kind]),
    [
      [workspace, 'SIGNING_KEY_ROTATED'],
      [workspace, 'SIGNING_KEY_ROTATED'],
      [workspace, 'WRAPPING_KEY_REPLACED'],
      [NO_WORKSPACE, 'SIGNING_KEY_ROTATED'],
    ],
  )
  assert.deepEqual(entries[2]?.details, { before: [old], key: wrapping })
  assert.deepEqual(entries[3]?.details, { key: signing?.id, at_once: true })
})

test('stored secrets of venues are told of, and cleared when their key is lost', async () => {
  const wrapping = await readWrappingKey(key_file)
  const { id: workspace } = await db.tx((tx) => createWorkspace(tx, clock, { name: 'Third' }))
  const place = { workspace, id: newId<VenueId>(), options: {} }
  const now = clock.now()
  await db.query(sql`
    insert into venues (
      workspace, id, key, label, kind, settlement, state, config, system_created_at,
      system_updated_at
    )
    values (
      ${workspace}, ${place.id}, 'one', 'One', 'EXCHANGE', 'PREFUNDED', 'CONNECTING', '{}', ${now},
      ${now}
    )`)
  await db.tx((tx) =>
    writeSecret({ tx, wrapping, now, by: 'test' }, place, { name: 'api_key', value: 'secret' }),
  )
  const told = `1 stored secrets of venues, wrapped by ${wrapping?.id}`
  assert.ok((await run([])).includes(told))
  assert.ok((await run(['rotate'])).includes(told))
  await rename(key_file, `${key_file}.gone`)
  const lines = await run(['rotate'])
  assert.ok(lines.some((line) => line.startsWith('1 stored secrets of venues were wrapped by')))
  assert.deepEqual(
    lines.filter((line) => line.includes('secrets of venues, wrapped')),
    [],
  )
})
