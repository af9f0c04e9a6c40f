/** Keys that sign tokens: wrapped, followed by the next one without a restart, and forgotten. */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { manualClock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { until } from '../core/testing.ts'
import { UsageError } from '../core/usage.ts'
import { createKeyFile, readKeyFile } from '../store/key-files.ts'
import { sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import { forgetOldSigningKeys, rotateSigningKeys } from './signing-keys.ts'
import { openTokens } from './tokens.ts'
import type { Identity, Tokens } from './tokens.ts'

const MINUTE = 60_000
const clock = manualClock(Date.now())
const { db, drop } = await testDatabase({ maximumConnections: 4 })
const folder = await mkdtemp(join(tmpdir(), 'kontor-keys-'))
const key_file = join(folder, 'data/kontor.key')
const opened: Tokens[] = []
after(async () => {
  for (const tokens of opened) tokens.close()
  await drop()
  await rm(folder, { recursive: true })
})

/** As a process of the service has them, which looks often. */
async function open(file: string | undefined = key_file): Promise<Tokens> {
  const options = { look_ms: 10, ...(file === undefined ? {} : { key_file: file }) }
  const tokens = await openTokens(db, clock, options)
  opened.push(tokens)
  return tokens
}

const rotate = (more: { key_file?: string | undefined; at_once?: boolean } = {}) =>
  rotateSigningKeys(db, clock, { key_file, at_once: false, by: 'operator somebody', ...more })

const who: Identity = {
  user_id: newId(),
  session_id: newId(),
  workspace: newId<WorkspaceId>(),
  email: 'somebody@example.com',
  name: null,
  roles: [],
}

const keyOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string })
    .kid

/** Rows with what a reader of the database would have. */
const stored = () =>
  db.query<{ id: string; open: boolean; wrapped: boolean }>(sql`
    select
      id,
      private_key is not null as open,
      wrapped_key is not null as wrapped
    from signing_keys
    order by signs_from desc, id desc`)

async function fault(work: () => Promise<unknown>): Promise<string> {
  const error = await work().then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof UsageError, String(error))
  return error.message
}

test('a key that lay there unwrapped signs nothing once there is a file', async () => {
  const bare = await openTokens(db, clock, {})
  bare.close()
  const { access_token } = bare.sign(who)
  clock.advance(1)
  const [one, two] = await Promise.all([open(), open()])
  assert.deepEqual(
    (await stored()).map(({ open: isOpen, wrapped }) => ({ isOpen, wrapped })),
    [
      { isOpen: false, wrapped: true },
      { isOpen: false, wrapped: false },
    ],
  )
  assert.equal((await stat(key_file)).mode & 0o777, 0o600)
  const next = one.sign(who).access_token
  assert.notEqual(keyOf(next), keyOf(access_token))
  for (const tokens of [one, two])
    for (const token of [access_token, next])
      assert.equal(tokens.verify(token)?.session_id, who.session_id)
})

test('the next key is known to every process before it signs, and the last one ends', async () => {
  const [one, two] = [opened[0] ?? assert.fail(), opened[1] ?? assert.fail()]
  const before = one.sign(who)
  const generations = [one.generation, two.generation]
  await rotate()
  await until('both have seen it', () =>
    [one, two].every(({ generation }, index) => generation > (generations[index] ?? 0)),
  )
  assert.equal(keyOf(one.sign(who).access_token), keyOf(before.access_token), 'not yet')
  clock.advance(2 * MINUTE)
  await until('it signs', () => keyOf(one.sign(who).access_token) !== keyOf(before.access_token))
  const next = one.sign(who).access_token
  await until('the other process knows it', () => two.verify(next) !== undefined)
  assert.equal(two.verify(before.access_token)?.user_id, who.user_id)

  // The longest token is over: whoever has the old key opens nothing, whatever he writes into one.
  clock.advance(70 * MINUTE)
  const { expires_at = 0 } = two.verify(before.access_token) ?? {}
  assert.ok(expires_at <= clock.now())
  assert.equal((await two.verifyExpired(before.access_token))?.user_id, who.user_id, 'a refresh')
  await forgetOldSigningKeys(db, clock)
  assert.deepEqual(
    (await stored()).map(({ wrapped }) => wrapped),
    [true, false, false],
  )
  clock.advance(91 * 24 * 60 * MINUTE)
  await forgetOldSigningKeys(db, clock)
  assert.deepEqual((await stored()).length, 1)
  await until(
    'it is forgotten',
    async () => (await two.verifyExpired(before.access_token)) === undefined,
  )
})

test('at once: what was signed before counts no longer', async () => {
  const [one] = opened
  const before = one?.sign(who).access_token ?? ''
  await rotate({ at_once: true })
  await until('it is known', () => one?.verify(before) === undefined)
  assert.equal((await stored()).length, 1)
})

test('without its file nothing starts, and it says which; a lost one is replaced', async () => {
  const [{ wrapped_by: key } = { wrapped_by: '' }] = await db.query<{ wrapped_by: string }>(sql`
    select wrapped_by
    from signing_keys`)
  const needed = `the keys that sign tokens are wrapped by the key ${key}`
  assert.equal(
    await fault(() => openTokens(db, clock, {})),
    `${needed}: KONTOR_KEY_FILE must name its file`,
  )
  await rename(key_file, `${key_file}.away`)
  assert.ok((await fault(() => open())).startsWith(`${needed}, and ${key_file} is missing: `))
  await writeFile(key_file, 'nothing', { mode: 0o644 })
  assert.match(await fault(() => open()), /can be opened by others: chmod 600/)
  await chmod(key_file, 0o600)
  assert.equal(await fault(() => open()), `${key_file} holds no key`)
  await rm(key_file)

  const before = opened[0]?.sign(who).access_token ?? ''
  await rotate()
  assert.notEqual(await readFile(key_file, 'utf8'), await readFile(`${key_file}.away`, 'utf8'))
  const tokens = await open()
  assert.notEqual(keyOf(tokens.sign(who).access_token), keyOf(before))
  assert.equal(tokens.verify(before)?.user_id, who.user_id, 'nobody has to log in again')
})

test('the file of another key is not taken for a lost one', async () => {
  const before = await stored()
  const [{ wrapped_by: key } = { wrapped_by: '' }] = await db.query<{ wrapped_by: string }>(sql`
    select wrapped_by
    from signing_keys
    where wrapped_by is not null`)
  const other = join(folder, 'other.key')
  await createKeyFile(other)
  const { id } = (await readKeyFile(other, 'wrapping')) ?? assert.fail()
  for (const at_once of [false, true])
    assert.equal(
      await fault(() => rotate({ key_file: other, at_once })),
      `the keys that sign tokens are wrapped by the key ${key}, and ${other} holds the key ` +
        `${id}: put the right file there. If it is lost, move this one away, and npm run keys ` +
        '-- rotate makes another (docs/operations.md, Keys)',
    )
  assert.match(await fault(() => rotate({ key_file: undefined })), /must name its file$/)
  assert.deepEqual(await stored(), before)
})

for (const [lost, rotated] of [
  ['the file is lost', key_file],
  ['a first file comes', undefined],
] as const)
  test(`${lost} while another key was to sign later: the one that signs now lasts`, async () => {
    await db.query(sql`
      delete from signing_keys`)
    if (rotated === undefined) (await openTokens(db, clock, {})).close()
    else await open()
    clock.advance(1)
    await rotate({ key_file: rotated })
    if (rotated !== undefined) {
      await rm(rotated)
      await rotate()
    }
    const tokens = await open()
    const signing = keyOf(tokens.sign(who).access_token)
    clock.advance(120 * MINUTE)
    await forgetOldSigningKeys(db, clock)
    const after = await open()
    const { access_token } = after.sign(who)
    assert.equal(keyOf(access_token), signing)
    assert.ok((after.verify(access_token)?.expires_at ?? 0) > clock.now(), 'it opens something')
  })

test('a key that was moved to another row is not opened', async () => {
  const [row] = await db.query<{ id: string }>(sql`
    select id
    from signing_keys
    where wrapped_key is not null`)
  await db.query(sql`
    update signing_keys
    set id = ${newId()}
    where id = ${row?.id ?? ''}`)
  const tokens = await open()
  assert.throws(() => tokens.sign(who), /a signing key that can be opened/)
})
