/**
 * Against the demo world's venues over their real protocols: a coin that arrives from outside while
 * nobody reads deposits.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ConfigApp } from '../src/configuration/index.ts'
import { CONFIRM_MILLISECONDS } from '../src/desk/reconciliation/comparison.ts'
import type { Position } from '../src/desk/reconciliation/reconciliation.schema.ts'
import { reconcileNow } from '../src/desk/reconciliation/reconciliation.ts'
import { verifyBooks } from '../src/ledger/index.ts'
import { sql } from '../src/store/sql.ts'
import { putTasks } from '../src/store/tasks.ts'
import { treasuryTasks } from '../src/treasury/index.ts'
import { venuesTasks } from '../src/venues/index.ts'
import { DemoWorld } from './demo-world.testing.ts'

describe('reconciliation of the demo world', () => {
  let world: DemoWorld
  /** The same service at a time that stands still. */
  const at = (time: number) => ({ ...world.app, clock: { now: () => time } })

  before(async () => {
    world = await DemoWorld.open((app) => ({ ...venuesTasks(app), ...treasuryTasks(app) }))
  })
  after(() => world.close())

  const breaks = () =>
    world.database.db.query<{
      state: string
      wallet: string | null
      asset: string
      difference: string
      closed_reason: string | null
    }>(
      sql`
        select state, wallet, asset, difference, closed_reason
        from breaks
        where workspace = ${world.workspace}`,
    )

  it('finds every venue as it was opened', async () => {
    let positions: Position[] = []
    // A venue that did not answer in time is left out.
    await world.until('every venue to have answered', async () => {
      positions = await reconcileNow(world, world.app)
      return (
        new Set(positions.map((position) => position.venue_id)).size ===
        (await world.app.venues.list(world.workspace)).length
      )
    })
    assert.ok(positions.length >= 8, String(positions.length))
    assert.deepEqual(
      positions.filter((position) => position.state !== 'BALANCED'),
      [],
    )
    const kinds = new Map(
      (await world.app.venues.list(world.workspace)).map((venue) => [venue.id, venue.kind]),
    )
    for (const position of positions) {
      assert.equal(
        position.wallets.every(({ wallet }) => wallet === null),
        kinds.get(position.venue_id) === 'EXCHANGE',
        JSON.stringify(position),
      )
      assert.ok(
        position.wallets.every(({ ledger, total }) => ledger === total),
        JSON.stringify(position),
      )
    }
  })

  it('calls a coin that nobody has read a break, until its deposit is booked', async () => {
    await world.stopTasks()
    const [vault] = await world.database.db.query<{
      venue_id: string
      address: string
      venue_wallet: string
    }>(sql`
      select w.venue_id, w.address, w.venue_wallet
      from wallets w
      join venues v on v.workspace = w.workspace
        and v.id = w.venue_id
      where v.kind = 'CUSTODY_VAULT'
        and w.asset = 'BTC'
      order by w.id
      limit 1`)
    assert.ok(vault)
    await world.sandbox.control('POST', 'chain/send', {
      asset: 'BTC',
      quantity: '0.4',
      to_address: vault.address,
    })
    const position = async (app: ConfigApp = world.app) =>
      (await reconcileNow(world, app)).find(
        ({ venue_id, asset }) => venue_id === vault.venue_id && asset === 'BTC',
      )
    const seen = Date.now()
    await world.until('arrival', async () => (await position(at(seen)))?.difference === '0.4')
    assert.equal((await position(at(seen)))?.state, 'CHECKING')
    await world.until(
      'the break',
      async () => (await position(at(seen + CONFIRM_MILLISECONDS)))?.state === 'BREAK',
    )
    assert.deepEqual(await breaks(), [
      {
        state: 'OPEN',
        wallet: vault.venue_wallet,
        asset: 'BTC',
        difference: '0.4',
        closed_reason: null,
      },
    ])

    world.startTasks()
    await putTasks(world.database.db, [
      { workspace: world.workspace, kind: 'poll_venue', subject_id: vault.venue_id, due_at: 0 },
    ])
    world.wakeTasks()
    await world.until('the deposit is booked', async () => (await position())?.state === 'BALANCED')
    assert.deepEqual(await breaks(), [
      {
        state: 'CLOSED',
        wallet: vault.venue_wallet,
        asset: 'BTC',
        difference: '0.4',
        closed_reason: 'RESOLVED',
      },
    ])
    assert.deepEqual((await verifyBooks(world.database.db, world.workspace)).faults, [])
  })
})
