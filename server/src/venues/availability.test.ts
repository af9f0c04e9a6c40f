/** What venues answer and which state they are in: up, down, back, and configured anew. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { sql } from '../store/sql.ts'
import { nextPollAt } from '../store/tasks.ts'
import type { Prices } from './contract.ts'
import type { DeclaredVenue } from './declaration.schema.ts'
import { HELD_LEASE } from './lease/lease.testing.ts'
import { openVenues } from './registry.ts'
import { snapshotTask } from './snapshots.ts'
import { NotAsked } from './time-limit.ts'
import type { AssetProtocolsRecord, VenueBalances } from './venues.schema.ts'
import { openTestVenues, total } from './venues.testing.ts'
import type { TestVenues } from './venues.testing.ts'

describe('venues that come and go', () => {
  let place: TestVenues
  before(async () => {
    place = await openTestVenues()
    await place.provideSecrets()
  })
  after(() => place.close())

  it('answer now, and from the last snapshot, marked stale, when they are down', async () => {
    const { api, clock, fake, id, snapshot } = place
    const balances = () => api.call<VenueBalances>('GET', `/venues/${id}/balances`)
    const protocols = () => api.call<AssetProtocolsRecord[]>('GET', `/venues/${id}/protocols`)
    fake.down = true
    assert.deepEqual((await balances()).data, {
      venue_id: id,
      timestamp: null,
      stale: true,
      balances: {},
    })
    assert.equal((await protocols()).error_code, 2003)
    fake.down = false
    assert.deepEqual(await snapshot(), {
      again_at: nextPollAt({ subject_id: id }, clock.now(), 10_000),
    })
    const taken = clock.now()
    clock.advance(3_000)
    fake.holdings = [total('BTC', null, '6')]
    assert.deepEqual((await balances()).data, {
      venue_id: id,
      timestamp: clock.now(),
      stale: false,
      balances: { BTC: { free: '6', used: '0', total: '6', protocol: 'BTC' } },
    })
    fake.down = true
    assert.deepEqual((await balances()).data, {
      venue_id: id,
      timestamp: taken,
      stale: true,
      balances: { BTC: { free: '5', used: '0', total: '5', protocol: 'BTC' } },
    })
    assert.deepEqual((await protocols()).data, [
      {
        asset: 'BTC',
        unserved: [],
        protocols: [
          {
            protocol: 'BTC',
            native: 'XXBT',
            decimals: 8,
            tag_required: false,
            min_withdrawal: '0.0005',
            max_withdrawal: null,
            deposit: true,
            withdraw: true,
          },
        ],
      },
    ])
    for (const path of ['balances', 'protocols']) {
      assert.equal((await api.call('GET', `/venues/${newId()}/${path}`)).status, 404)
      assert.equal(
        (await api.call('GET', `/venues/no-id/${path}`)).error_details?.[0]?.code,
        'MALFORMED_ID',
      )
    }
    fake.down = false
  })

  it('are DEGRADED at once, UNREACHABLE after half a minute, and come back', async () => {
    const { clock, db, fake, id, snapshot, state, venues, workspace } = place
    await db.query(
      sql`
        update venues
        set state = 'CONNECTED'
        where workspace = ${workspace}`,
    )
    fake.down = true
    await snapshot()
    assert.deepEqual(await state(), ['CONNECTED', 'DEGRADED', 'DEGRADED', 'DEGRADED'])
    clock.advance(31_000)
    assert.deepEqual(await snapshot(), {
      again_at: nextPollAt({ subject_id: id }, clock.now(), 10_000),
    })
    assert.deepEqual(await state(), ['UNREACHABLE', 'DEGRADED', 'DEGRADED', 'DEGRADED'])
    fake.down = false
    await snapshot()
    assert.deepEqual(await state(), ['CONNECTED', 'RUNNING', 'RUNNING', 'RUNNING'])
    const [before] = await venues.list(workspace)
    await snapshot()
    assert.equal((await venues.list(workspace))[0]?.version, before?.version)
  })

  it('say in record and log why they do not answer, once for each reason', async () => {
    const { clock, db, fake, id, venues, workspace, writeKeys } = place
    const logged: string[] = []
    const log = { warn: (_details: object, message: string) => logged.push(message) }
    const task = { workspace, kind: 'snapshot_venue', subject_id: id, attempts: 1 }
    const look = snapshotTask({ db, clock, venues, log })
    const fault = async () => {
      const [venue] = await venues.list(workspace)
      return [venue?.fault, venue?.fault_since]
    }
    fake.down = true
    await look(task)
    const [down, since] = await fault()
    assert.ok(typeof down === 'string' && down !== '')
    assert.equal(since, clock.now())
    clock.advance(10_000)
    await look(task)
    assert.deepEqual(await fault(), [down, since])
    assert.deepEqual(logged, [`Exchange is not available: ${down}`])
    fake.down = false
    await look(task)
    assert.deepEqual(await fault(), [null, null])
    assert.equal(logged.length, 1)

    // A venue whose secret is gone is opened anew by the next process.
    await writeKeys('{}')
    const another = openVenues({
      db,
      log: { error() {} },
      lease: HELD_LEASE,
      adapters: { EXCHANGE: () => assert.fail('it was opened') },
    })
    await snapshotTask({ db, clock, venues: another, log })(task)
    assert.match(String((await fault())[0]), /^Exchange: api_secret is missing: .* has no text /)
    assert.equal(logged.length, 2)
    await another.close()
    await place.provideSecrets()
    await look(task)
    assert.deepEqual(await fault(), [null, null])
  })

  it('are not blamed where nobody asked them', async () => {
    const { clock, db, id, state, venues, workspace } = place
    const before = await state()
    const unasked = openVenues({
      db,
      log: { error() {} },
      lease: HELD_LEASE,
      adapters: { EXCHANGE: () => Promise.reject(new NotAsked('it was not its turn')) },
    })
    const task = { workspace, kind: 'snapshot_venue', subject_id: id, attempts: 1 }
    await snapshotTask({ db, clock, venues: unasked })(task)
    const [venue] = await venues.list(workspace)
    assert.deepEqual({ state: await state(), fault: venue?.fault }, { state: before, fault: null })
    await unasked.close()
  })

  it('are there while their markets cannot be read', async () => {
    const { clock, db, declared, id, put, state, venues, workspace } = place
    const pairs = [{ base_asset: 'BTC', quote_asset: 'EUR' }]
    await put({ ...declared, moves: { needs: { assets: [], pairs } } })
    const { venue, adapter: known } = await venues.connect(workspace, id)
    const unread = { pairs: () => Promise.reject(new ApiError('VenueUnreachable', 'no markets')) }
    const withoutMarkets = { ...known, prices: unread as unknown as Prices }
    const connect = async () => ({ venue, adapter: withoutMarkets })
    await snapshotTask({ db, clock, venues: { ...venues, connect } })({
      workspace,
      kind: 'snapshot_venue',
      subject_id: id,
      attempts: 1,
    })
    assert.deepEqual(await state(), ['CONNECTED', 'RUNNING', 'RUNNING', 'RUNNING'])
  })

  it('that cannot serve the configuration are logged at the start and at each change', async () => {
    const { clock, db, declared, id, put, venues, workspace } = place
    const need = (asset: string) => ({
      asset,
      protocol: null,
      scale: 8,
      receives: true,
      sends: true,
    })
    const serve = (...assets: string[]) =>
      put({ ...declared, moves: { needs: { assets: assets.map(need), pairs: [] } } })
    const logged: string[] = []
    const log = { warn: (_details: object, message: string) => logged.push(message) }
    const start = () => snapshotTask({ db, clock, venues, log })
    const task = { workspace, kind: 'snapshot_venue', subject_id: id, attempts: 1 }
    const cannot = (...assets: string[]) =>
      `${declared.label} cannot serve what is configured: ` +
      assets
        .map(
          (asset) =>
            `${asset}: it has no word for ${asset}: neither the configuration nor what is ` +
            'shipped names one',
        )
        .join('; ')

    await serve('BTC', 'ABC')
    const first = start()
    await first(task)
    for (let reading = 0; reading < 3; reading += 1) {
      clock.advance(600_000)
      await first(task)
    }
    assert.deepEqual(logged, [cannot('ABC')])
    await start()(task)
    assert.deepEqual(logged.splice(0), [cannot('ABC'), cannot('ABC')])
    await serve('BTC', 'ABC', 'XYZ')
    clock.advance(600_000)
    await first(task)
    await first(task)
    assert.deepEqual(logged.splice(0), [cannot('ABC', 'XYZ')])
    await serve('BTC')
    clock.advance(600_000)
    await first(task)
    assert.deepEqual(logged, [])
  })

  it('open anew when their configuration has changed, and not when it lacks them', async () => {
    const { declared, fake, id, put, snapshot, state, venues, workspace } = place
    const changed: DeclaredVenue = {
      ...declared,
      options: { exchange: 'kraken', base_url: 'http://other' },
      services: ['WOMS'],
    }
    await put(changed)
    const { adapter: first } = await venues.connect(workspace, id)
    assert.deepEqual([fake.opened.length, fake.closed], [2, ['kraken']])
    assert.deepEqual(await state(), ['CONNECTED', 'STOPPED', 'STOPPED', 'RUNNING'])
    assert.equal((await venues.connect(workspace, id)).adapter, first)
    await put({ ...changed, moves: { needs: { assets: [], pairs: [] } } })
    assert.equal((await venues.connect(workspace, id)).adapter, first)
    await put()
    await assert.rejects(venues.connect(workspace, id), /no longer configured/)
    assert.deepEqual(fake.closed, ['kraken', 'kraken'])
    assert.equal(await snapshot(), 'done')
  })
})
