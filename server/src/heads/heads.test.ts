import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { chainSecurityLog, createWorkspace, verifySecurityLog } from '../access/index.ts'
import { newId } from '../core/ids.ts'
import { testServer } from '../http/testing.ts'
import { chainEvents } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { readFolder } from './exported.ts'
import { makeHeads } from './heads.ts'
import type { Head, SignedHead } from './heads.schema.ts'
import { DAY, openThreeDays, verifyAll, verifyKept } from './heads.testing.ts'
import type { HeadsWorld } from './heads.testing.ts'
import { headsEndpoints, openKey, replaceKey, verifyHeads } from './index.ts'

let world: HeadsWorld
before(async () => {
  world = await openThreeDays()
})
after(() => world.close())

describe('heads', () => {
  it('the service may only add heads and batches, never change or delete them', async () => {
    for (const table of ['heads', 'event_batches', 'security_log_batches', 'security_log_places'])
      await assert.rejects(world.db.query({ strings: [`delete from ${table}`], values: [] }))
    await assert.rejects(
      world.db.query(sql`
        update heads
        set number = 9`),
    )
    await assert.rejects(
      world.db.query(sql`
        update security_log_places
        set sequence = null`),
    )
  })

  it('are read with audit.read, of the own workspace, with where they went', async () => {
    const principal = {
      workspace: world.workspace,
      user_id: newId(),
      session_id: newId(),
      permissions: new Set(['audit.read']),
    }
    const api = await testServer({
      db: world.db,
      clock: world.clock,
      authenticate: () => principal,
      endpoints: headsEndpoints(),
    })
    try {
      const { data } = await api.call<SignedHead[]>('GET', '/signed-heads')
      assert.deepEqual(
        data.map(({ number }) => number),
        [3, 2, 1],
      )
      const { kept } = await readFolder(world.folder)
      assert.deepEqual(
        data.map(({ signed }) => signed).toReversed(),
        kept.map((one) => one.signed),
      )
      const [delivery] = data[0]?.deliveries ?? []
      assert.equal(delivery?.target, 'FILE')
      assert.equal(delivery.delivered_at, world.clock.now() - DAY)
      principal.workspace = newId()
      assert.deepEqual((await api.call('GET', '/signed-heads')).data, [])
      principal.permissions = new Set(['accounts.read'])
      assert.equal((await api.call('GET', '/signed-heads')).status, 403)
    } finally {
      await api.close()
    }
  })

  it('several processes make one head a day, and chain each row once', async () => {
    await world.act('six', 'seven')
    const twice = [0, 1].map(async () => {
      await chainEvents(world.app)
      await chainSecurityLog(world.app)
      return world.make()
    })
    assert.deepEqual((await Promise.all(twice)).toSorted(), [0, 1])
    assert.equal(await world.make(), 0, 'one a day')
    assert.deepEqual(await verifyAll(world), { rows: [], heads: [] })
  })

  it('a head that was not written when the process ended is written by the next', async () => {
    assert.equal((await verifyKept(world)).heads, 4)
    assert.equal((await readFolder(world.folder)).kept.length, 3)
    await world.deliver()
    const { kept } = await readFolder(world.folder)
    assert.equal(kept.length, 4)
    assert.deepEqual((await verifyKept(world)).faults, [])
  })

  it('a file is never overwritten, and one that cannot be written stops no other', async () => {
    world.clock.advance(DAY)
    await world.act('eight')
    await world.make()
    const [waiting] = await world.db.query<{ file: string }>(sql`
      select recipient as file
      from head_deliveries
      where delivered_at is null`)
    const path = join(world.folder, waiting?.file ?? '')
    await writeFile(path, 'something else')
    world.clock.advance(DAY)
    await world.make()
    await assert.rejects(world.deliver(), /is there already, and is another head/)
    assert.equal(await readFile(path, 'utf8'), 'something else')
    const left = await world.db.query(sql`
      select recipient as file, attempts, reason
      from head_deliveries
      where delivered_at is null`)
    assert.deepEqual(left, [
      { ...waiting, attempts: 1, reason: `${path} is there already, and is another head` },
    ])
    await rm(path)
    await world.deliver()
    const names = await readdir(world.folder)
    assert.equal(names.length, 6)
    assert.ok(names.every((name) => name.endsWith('.json')))
    assert.deepEqual((await verifyKept(world)).faults, [])
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  })

  it('a workspace whose last head cannot be read stops no other', () =>
    world.asOwner(async (owner) => {
      const { clock, key } = world
      await owner.query(sql`
        update heads
        set signed = 'nothing'`)
      const { id } = await createWorkspace(owner, clock, { name: 'Other' })
      clock.advance(DAY)
      await assert.rejects(makeHeads({ db: owner as never, clock }, key, []), /JSON/)
      clock.advance(-DAY)
      const made = await owner.query(sql`
        select number
        from heads
        where workspace = ${id}`)
      assert.deepEqual(made, [{ number: 1 }])
    }))

  it('a late entry of the security log takes the next place', async () => {
    const [{ last }] = (await world.db.query<{ last: number }>(sql`
      select max(sequence) as last
      from security_log_places`)) as [{ last: number }]
    world.clock.advance(-3 * DAY)
    await world.act('late')
    world.clock.advance(3 * DAY)
    await chainSecurityLog(world.app)
    const places = await world.db.query(sql`
      select p.sequence
      from security_log_places p
      join security_log using (workspace, id)
      where details ->> 'name' = 'late'`)
    assert.deepEqual(places, [{ sequence: last + 1 }])
    assert.deepEqual((await verifySecurityLog(world.db, world.workspace)).faults, [])
  })

  it('goes by mail to each address, again with a pause where it was not taken', async () => {
    const sent: { id: string; recipient: string; body: string }[] = []
    let takes = false
    world.app.mailer = {
      send: async (mail) => {
        sent.push(mail)
        return takes ? { handover: 'taken' } : { handover: 'failed', reason: 'not now' }
      },
      close: () => undefined,
    }
    world.clock.advance(DAY)
    await world.make(['a@auditor.example', 'b@auditor.example'])
    await world.deliver()
    await world.deliver()
    assert.deepEqual(sent.map(({ recipient }) => recipient).toSorted(), [
      'a@auditor.example',
      'b@auditor.example',
    ])
    takes = true
    world.clock.advance(600_000)
    await world.deliver()
    await world.deliver()
    assert.equal(sent.length, 4)
    assert.equal(new Set(sent.map(({ id }) => id)).size, 2, 'a repeat has the same Message-ID')
    const [mail] = sent
    const file = `{${mail?.body.slice(mail.body.indexOf('{') + 1) ?? ''}`
    const { kept } = await readFolder(world.folder)
    assert.deepEqual((JSON.parse(file) as { head: Head }).head, kept.at(-1)?.head)
  })
})

describe('the key of heads', () => {
  const path = () => join(dirname(world.folder), 'keys', 'one.key')

  it('is made once, in a file that only its owner may open', async () => {
    const [one, other] = await Promise.all([openKey(path()), openKey(path())])
    assert.equal(one.publicKey, other.publicKey)
    assert.equal((await stat(path())).mode & 0o777, 0o600)
    assert.deepEqual(await readdir(dirname(path())), ['one.key'])
    await chmod(path(), 0o640)
    await assert.rejects(openKey(path()), /can be opened by others: chmod 600/)
    await chmod(path(), 0o600)
    await writeFile(path(), 'no key')
    await assert.rejects(openKey(path()), /must hold one private key, and holds 0/)
    await rm(path())
  })

  it('is replaced by one that knows it', async () => {
    await mkdir(dirname(path()), { recursive: true })
    const before = await openKey(path())
    const later = await replaceKey(path(), [world.key.publicKey], 1)
    assert.notEqual(later.publicKey, before.publicKey)
    assert.deepEqual(later.known, new Set([later.publicKey, before.publicKey, world.key.publicKey]))
    assert.deepEqual((await readdir(dirname(path()))).toSorted(), ['one.key', 'one.key.until-1'])
    world.clock.advance(DAY)
    assert.equal(await makeHeads(world.app, later, []), 1)
    const { faults } = await verifyHeads(world.db, world.workspace, { keys: later.known })
    assert.deepEqual(faults, [])
  })
})
