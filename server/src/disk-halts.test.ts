import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createWorkspace } from './access/index.ts'
import { manualClock } from './core/clock.ts'
import { haltByDisk } from './disk-halts.ts'
import {
  haltAfterSetBack,
  openBooks,
  openLane,
  putHalt,
  releaseAfterSetBack,
} from './ledger/index.ts'
import { bookingChange, openTestBooks } from './ledger/lane/books.testing.ts'
import { DiskWatch } from './store/disk-watch.ts'
import { SET_BACK } from './store/history.ts'
import { sql } from './store/sql.ts'
import { testDatabase } from './store/testing.ts'

const { db, drop } = await testDatabase()
const clock = manualClock(1_800_000_000_000)
const lane = openLane(db, clock)
after(async () => {
  await lane.close()
  await drop()
})

let free = 0
const diskWatch = new DiskWatch({
  folder: '/data',
  limit_mb: 512,
  freeBytes: async () => free * 1_048_576,
})
const app = { db, clock, diskWatch, log: { error: () => undefined } }
const WITHDRAWALS = { action: 'WITHDRAWALS' as const, venue_ids: [], assets: [] }

test('a disk that is nearly full halts money, and what has happened is booked', async () => {
  const [{ workspace, house, customer }, other] = [
    await openTestBooks(db, clock),
    await openTestBooks(db, clock),
  ]
  const halts = () =>
    db.query(sql`
      select workspace, action, reason, set_by
      from brakes
      where state = 'SET'
      order by workspace, action`)
  const commit = (of: 'command' | 'fact') =>
    lane.commit(
      bookingChange(
        workspace,
        { from: house, to: customer, quantity: '1' },
        { class: of, halt: WITHDRAWALS },
      ),
    )
  free = 400
  assert.equal(await haltByDisk(app, true), false)
  assert.equal(await haltByDisk(app, false), false)
  const blind = { ...app, diskWatch: new DiskWatch({ limit_mb: 512 }) }
  assert.equal(await haltByDisk(blind, undefined), true, 'who does not see it releases nothing')
  const reason = 'the disk of the database has 400 MB left, less than 512 MB'
  assert.deepEqual(
    await halts(),
    [workspace, other.workspace].toSorted().flatMap((id) =>
      ['TRADING', 'WITHDRAWALS'].map((action) => ({
        workspace: id,
        action,
        reason,
        set_by: 'disk watch',
      })),
    ),
  )
  await assert.rejects(commit('command'), new RegExp(`withdrawals halted: ${reason}`))
  await commit('fact')

  // A person takes one of them over, in the other workspace.
  await db.tx((tx) =>
    putHalt(
      { workspace: other.workspace, by: 'a person' },
      { tx, clock },
      { action: 'TRADING', halted: true, reason: 'until I have looked' },
    ),
  )
  free = 700
  assert.equal(await haltByDisk(app, false), true)
  assert.deepEqual(await halts(), [
    {
      workspace: other.workspace,
      action: 'TRADING',
      reason: 'until I have looked',
      set_by: 'disk watch',
    },
  ])
  await commit('command')
})

test('after a restored backup an audit outlives the halts, one of the disk does not', async () => {
  const workspace = await db.tx(async (tx) => {
    const { id } = await createWorkspace(tx, clock, { name: 'set back' })
    await openBooks({ workspace: id, by: 'a test' }, { tx, clock })
    return id
  })
  const reasons = async () => {
    const set = await db.query<{ action: string; reason: string }>(sql`
      select action, reason
      from brakes
      where workspace = ${workspace}
        and state = 'SET'
      order by action`)
    return set.map(({ action, reason }) => `${action}: ${reason}`)
  }
  free = 400
  await haltByDisk(app, true)
  const audit = { action: 'TRADING', halted: true, reason: 'an audit' } as const
  await db.tx((tx) => putHalt({ workspace, by: 'a person' }, { tx, clock }, audit))
  await db.tx((tx) => haltAfterSetBack(tx, clock, `${SET_BACK}: a test`))
  free = 2_000
  await haltByDisk(app, false)
  assert.deepEqual(await reasons(), [
    `TRADING: ${SET_BACK}: a test It was halted before: an audit`,
    `WITHDRAWALS: ${SET_BACK}: a test`,
  ])
  const by = { by: 'after-restore', reason: 'a person has agreed' }
  await db.tx((tx) => releaseAfterSetBack(tx, clock, by))
  assert.deepEqual(await reasons(), ['TRADING: an audit'])
  await haltByDisk(app, undefined)
  assert.deepEqual(await reasons(), ['TRADING: an audit'], 'the watch does not release it')
})
