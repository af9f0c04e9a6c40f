import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Command } from './command.ts'
import { runCommand } from './command.testing.ts'
import { UsageError } from './core/usage.ts'
import { HEADS } from './heads-command.ts'
import { DAY, openHeadsWorld } from './heads/heads.testing.ts'
import type { HeadsWorld } from './heads/heads.testing.ts'
import { sql } from './store/sql.ts'
import { VERIFY } from './verify-command.ts'

let world: HeadsWorld
before(async () => {
  world = await openHeadsWorld()
  for (const name of ['one', 'two', 'three']) {
    await world.act(name)
    await world.make()
    world.clock.advance(DAY)
  }
  await world.deliver()
})
after(() => world.close())

async function run(
  command: Command,
  args: readonly string[],
  more: { db?: HeadsWorld['db']; env?: Record<string, string> } = {},
) {
  const { folder, key } = world.place
  const env = { KONTOR_HEADS: folder, KONTOR_HEADS_KEY: key }
  return runCommand(command, { db: world.db, clock: world.clock, args, env, ...more })
}

describe('npm run verify', () => {
  it('says of heads how many there are, and how many it was given', async () => {
    const { code, lines } = await run(VERIFY, ['--heads', world.folder])
    assert.equal(code, 0, lines.join('\n'))
    assert.deepEqual(lines.slice(1), [
      '  3 heads, the last of 2026-11-22, compared with 3 that were kept',
      '1 workspace verified: the books are correct',
    ])
  })

  it('names the first day whose head shows a fault, and ends with 1', () =>
    world.asOwner(async (owner) => {
      await owner.query(sql`
        delete from heads
        where number > 1`)
      const { code, lines } = await run(VERIFY, ['--heads', world.folder], {
        db: owner as unknown as HeadsWorld['db'],
      })
      assert.equal(code, 1)
      assert.deepEqual(lines.slice(1), [
        '  1 head, the last of 2026-11-20, compared with 3 that were kept',
        '  2026-11-21: the database does not have the head that was kept',
        '  2026-11-22: the database does not have the head that was kept',
        'the first day whose head shows a fault: 2026-11-21',
        '1 workspace verified: 2 faults found',
      ])
      const alone = await run(VERIFY, [], { db: owner as unknown as HeadsWorld['db'] })
      assert.equal(alone.code, 0)
    }))

  it('takes the key that is named, from a head too, before the one of this machine', async () => {
    const [head = ''] = await readdir(world.folder)
    const named = await run(VERIFY, ['--key', join(world.folder, head)], { env: {} })
    assert.equal(named.code, 0, named.lines.join('\n'))
    const other = join(dirname(world.folder), 'other.pem')
    const made = await run(HEADS, [], {
      env: { KONTOR_HEADS: world.folder, KONTOR_HEADS_KEY: `${other}.key` },
    })
    await writeFile(other, made.lines.slice(1, 4).join('\n'))
    const { code, lines } = await run(VERIFY, ['--key', other])
    assert.equal(code, 1)
    assert.match(lines.join('\n'), /2026-11-20: the head is signed with an unknown key/)
    const none = await run(VERIFY, ['--heads', world.folder], { env: {} })
    assert.match(none.lines[0] ?? '', /^no key is named: the heads must be signed like the first/)
    assert.equal(none.code, 0)
  })

  it('refuses a folder without heads, a file that is none, and a file without a key', async () => {
    const empty = dirname(world.folder)
    await assert.rejects(run(VERIFY, ['--heads', empty]), UsageError)
    await assert.rejects(run(VERIFY, ['--heads', join(empty, 'nowhere')]), UsageError)
    const stray = join(world.folder, 'stray.json')
    await writeFile(stray, '{"head":1}')
    await assert.rejects(run(VERIFY, ['--heads', world.folder]), /hold no head: stray\.json/)
    await assert.rejects(run(VERIFY, ['--key', stray]), /holds no key/)
    await rm(stray)
  })
})

describe('npm run heads', () => {
  it('prints the public key and the last head, and makes a new key on demand', async () => {
    const first = await run(HEADS, [])
    assert.match(first.lines.join('\n'), /signs heads[^]*BEGIN PUBLIC KEY[^]*Bank: head 3 of/)
    const second = await run(HEADS, ['new-key'])
    assert.match(second.lines.join('\n'), /signs heads from now on\nit follows [0-9a-f]{16}\n/)
    assert.equal((await run(VERIFY, [])).code, 0, 'it knows the key before it')
    const [entry] = await world.db.query<{ actor: string; details: object }>(sql`
      select actor, details
      from security_log
      where kind = 'HEAD_KEY_REPLACED'`)
    const [key, former] = second.lines.slice(0, 2).map((line) => /[0-9a-f]{16}/.exec(line)?.[0])
    assert.deepEqual(entry, {
      actor: `operator ${userInfo().username}`,
      details: { key, follows: [former] },
    })
    await assert.rejects(run(HEADS, ['dance']), UsageError)
    await assert.rejects(run(HEADS, ['--former', 'x']), UsageError)
    await assert.rejects(run(HEADS, [], { env: {} }), /heads have no place/)
  })
})
