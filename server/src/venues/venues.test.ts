import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../core/clock.ts'
import { decimal } from '../core/decimal.ts'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { workerCaller } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { sql } from '../store/sql.ts'
import { nextPollAt } from '../store/tasks.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import type { Prices, Venue } from './contract.ts'
import { putVenues } from './declaration.ts'
import type { DeclaredVenue } from './declaration.schema.ts'
import { openVenues } from './registry.ts'
import type { Venues } from './registry.ts'
import { balancesByAsset } from './balances.ts'
import { snapshotTask } from './snapshots.ts'
import { SERVICE_MOVES, SERVICE_STATES, VENUE_MOVES, VENUE_STATES } from './venues.schema.ts'
import type { AssetProtocolsRecord, VenueBalances, VenueRecord } from './venues.schema.ts'
import { venuesEndpoints } from './venues.http.ts'

const SECRET = 'the-secret-itself'

describe('venues', () => {
  let database: TestDatabase
  let venues: Venues
  let api: TestServer
  let dir: string
  let id: string
  const clock = manualClock(1_800_000_000_000)
  const workspace = newId<WorkspaceId>()
  const opened: Record<string, string>[] = []
  const closed: string[] = []
  let down = false
  const declared: DeclaredVenue = {
    key: 'exchange',
    label: 'Exchange',
    kind: 'EXCHANGE',
    options: { exchange: 'kraken' },
    secrets: { api_key: { env: 'VENUES_TEST_KEY' }, api_secret: { file: '', field: 'api_secret' } },
  }
  const total = (
    asset: string,
    wallet: string | null,
    quantity: string | null,
    protocol: string | null = asset,
  ) => ({
    wallet,
    asset,
    protocol,
    free: quantity === null ? null : decimal(quantity),
    used: 0n,
    total: quantity === null ? null : decimal(quantity),
  })
  let holdings = [total('BTC', null, '5')]

  function adapter(config: Record<string, string>): Venue {
    opened.push(config)
    const answer = <T>(value: T) =>
      down ? Promise.reject(new ApiError('VenueUnreachable', 'down')) : Promise.resolve(value)
    return {
      kind: 'EXCHANGE',
      balances: () => answer(holdings),
      protocols: () =>
        answer([
          {
            asset: 'BTC',
            protocols: [
              {
                protocol: 'BTC',
                native: 'XXBT',
                decimals: 8,
                tag_required: false,
                min_withdrawal: decimal('0.0005'),
                max_withdrawal: null,
                deposit: true,
                withdraw: true,
              },
            ],
          },
        ]),
      close: async () => {
        closed.push(config['exchange'] ?? '')
      },
    }
  }
  const put = (...list: Parameters<typeof putVenues>[3][number][]) =>
    database.db.tx((tx) => putVenues(workerCaller(workspace, 'test'), tx, clock, list))
  const snapshot = () =>
    snapshotTask({ db: database.db, clock, venues })({
      workspace,
      kind: 'snapshot_venue',
      subject_id: id,
      attempts: 1,
    })
  const state = async () => {
    const [venue] = await venues.list(workspace)
    return [venue?.state, ...(venue?.services ?? []).map((service) => service.state)]
  }

  before(async () => {
    database = await testDatabase()
    dir = await mkdtemp(join(tmpdir(), 'venues-'))
    declared.secrets = {
      ...declared.secrets,
      api_secret: { file: join(dir, 'keys.json'), field: 'api_secret' },
    }
    venues = openVenues({
      db: database.db,
      log: { error() {} },
      adapters: { EXCHANGE: async (config) => adapter(config) },
    })
    api = await testServer({
      db: database.db,
      clock,
      endpoints: venuesEndpoints({ db: database.db, clock, venues }),
      authenticate: () => ({
        workspace,
        user_id: newId(),
        session_id: workspace,
        permissions: new Set(['venues.read']),
      }),
    })
    id = (await put(declared)).get('exchange')?.id ?? ''
  })
  after(async () => {
    delete process.env['VENUES_TEST_KEY']
    await api.close()
    await venues.close()
    await database.drop()
    await rm(dir, { recursive: true })
  })

  it('open only with their secrets, once, and name what is missing, never its text', async () => {
    await assert.rejects(
      venues.connect(workspace, id),
      /api_key is missing: the environment has no VENUES_TEST_KEY/,
    )
    process.env['VENUES_TEST_KEY'] = 'key'
    await assert.rejects(venues.connect(workspace, id), /keys.json cannot be read/)
    await writeFile(join(dir, 'keys.json'), `{"other": "${SECRET}"}`)
    await assert.rejects(
      venues.connect(workspace, id),
      (error: ApiError) =>
        error.kind === 'VenueUnreachable' &&
        /no text api_secret/.test(error.message) &&
        !error.message.includes(SECRET),
    )
    await writeFile(join(dir, 'keys.json'), JSON.stringify({ api_secret: SECRET }))
    const [one, two] = await Promise.all([
      venues.connect(workspace, id),
      venues.connect(workspace, id),
    ])
    assert.equal(one.adapter, two.adapter)
    assert.deepEqual(opened, [{ exchange: 'kraken', api_key: 'key', api_secret: SECRET }])
    await assert.rejects(
      venues.connect(newId(), id),
      (error: ApiError) => error.kind === 'NewResourceNotFound',
    )
    await assert.rejects(
      venues.connect(workspace, newId()),
      (error: ApiError) => error.kind === 'NewResourceNotFound',
    )
  })

  it('are listed without anything secret', async () => {
    const listed = await api.call<VenueRecord[]>('GET', '/venues')
    assert.equal(listed.status, 200, listed.text)
    assert.deepEqual(
      [
        listed.data[0]?.label,
        listed.data[0]?.state,
        listed.data[0]?.settlement,
        listed.data[0]?.services.length,
      ],
      ['Exchange', 'CONNECTING', 'PREFUNDED', 3],
    )
    assert(!/keys\.json|VENUES_TEST_KEY|secret/.test(listed.text))
  })

  it('answer now, and from the last snapshot, marked stale, when they are down', async () => {
    const balances = () => api.call<VenueBalances>('GET', `/venues/${id}/balances`)
    const protocols = () => api.call<AssetProtocolsRecord[]>('GET', `/venues/${id}/protocols`)
    down = true
    assert.deepEqual((await balances()).data, {
      venue_id: id,
      timestamp: null,
      stale: true,
      balances: {},
    })
    assert.equal((await protocols()).error_code, 2003)
    down = false
    assert.deepEqual(await snapshot(), {
      again_at: nextPollAt({ subject_id: id }, clock.now(), 10_000),
    })
    const taken = clock.now()
    clock.advance(3_000)
    holdings = [total('BTC', null, '6')]
    assert.deepEqual((await balances()).data, {
      venue_id: id,
      timestamp: clock.now(),
      stale: false,
      balances: { BTC: { free: '6', used: '0', total: '6', protocol: 'BTC' } },
    })
    down = true
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
    down = false
  })

  it('are DEGRADED at once, UNREACHABLE after half a minute, and come back', async () => {
    await database.db.query(
      sql`
        update venues
        set state = 'CONNECTED'
        where workspace = ${workspace}`,
    )
    down = true
    await snapshot()
    assert.deepEqual(await state(), ['CONNECTED', 'DEGRADED', 'DEGRADED', 'DEGRADED'])
    clock.advance(31_000)
    assert.deepEqual(await snapshot(), {
      again_at: nextPollAt({ subject_id: id }, clock.now(), 10_000),
    })
    assert.deepEqual(await state(), ['UNREACHABLE', 'DEGRADED', 'DEGRADED', 'DEGRADED'])
    down = false
    await snapshot()
    assert.deepEqual(await state(), ['CONNECTED', 'RUNNING', 'RUNNING', 'RUNNING'])
    const [before] = await venues.list(workspace)
    await snapshot()
    assert.equal((await venues.list(workspace))[0]?.version, before?.version)
  })

  it('are there while their markets cannot be read', async () => {
    const pairs = [{ base_asset: 'BTC', quote_asset: 'EUR' }]
    await put({ ...declared, moves: { needs: { assets: [], pairs } } })
    const { venue, adapter: known } = await venues.connect(workspace, id)
    const unread = { pairs: () => Promise.reject(new ApiError('VenueUnreachable', 'no markets')) }
    const withoutMarkets = { ...known, prices: unread as unknown as Prices }
    const connect = async () => ({ venue, adapter: withoutMarkets })
    const { db } = database
    await snapshotTask({ db, clock, venues: { ...venues, connect } })({
      workspace,
      kind: 'snapshot_venue',
      subject_id: id,
      attempts: 1,
    })
    assert.deepEqual(await state(), ['CONNECTED', 'RUNNING', 'RUNNING', 'RUNNING'])
  })

  it('open anew when their configuration has changed, and not when it lacks them', async () => {
    const changed: DeclaredVenue = {
      ...declared,
      options: { exchange: 'kraken', base_url: 'http://other' },
      services: ['WOMS'],
    }
    await put(changed)
    const { adapter: first } = await venues.connect(workspace, id)
    assert.deepEqual([opened.length, closed], [2, ['kraken']])
    assert.deepEqual(await state(), ['CONNECTED', 'STOPPED', 'STOPPED', 'RUNNING'])
    assert.equal((await venues.connect(workspace, id)).adapter, first)
    await put({ ...changed, moves: { needs: { assets: [], pairs: [] } } })
    assert.equal((await venues.connect(workspace, id)).adapter, first)
    await put()
    await assert.rejects(venues.connect(workspace, id), /no longer configured/)
    assert.deepEqual(closed, ['kraken', 'kraken'])
    assert.equal(await snapshot(), 'done')
  })

  it('keep the IBANs they pay from as banks report them, and refuse what is none', async () => {
    const stored = async (payout_ibans?: string[]) => {
      await put({ ...declared, ...(payout_ibans === undefined ? {} : { payout_ibans }) })
      const [row] = await database.db.query<{ payout_ibans: string[] }>(sql`
        select payout_ibans
        from venues
        where workspace = ${workspace}
          and id = ${id}`)
      return row?.payout_ibans
    }
    assert.deepEqual(await stored(['lu28 0019 4006 4475 0000', 'LU280019400644750000']), [
      'LU280019400644750000',
    ])
    assert.deepEqual(await stored(), [])
    await assert.rejects(
      put({ ...declared, payout_ibans: ['LU280019400644750001'] }),
      (error: ApiError) =>
        error.details.map(({ code, path }) => `${code} ${path}`).join() ===
        'INVALID_ADDRESS venues[0].payout_ibans',
    )
    await put()
  })

  it('sum over their wallets; a sum with an unknown part is unknown', () => {
    assert.deepEqual(
      balancesByAsset([
        total('ETH', '1', '1.5'),
        total('BTC', '0', '1'),
        total('ETH', '0', '2', 'ARB'),
        total('BTC', '1', null),
      ]),
      {
        BTC: { free: null, used: '0', total: null, protocol: 'BTC' },
        ETH: { free: '3.5', used: '0', total: '3.5', protocol: null },
      },
    )
  })

  it('have tables of moves that name every state', () => {
    assert.deepEqual(Object.keys(VENUE_MOVES).toSorted(), [...VENUE_STATES].toSorted())
    assert.deepEqual(Object.keys(SERVICE_MOVES).toSorted(), [...SERVICE_STATES].toSorted())
  })
})
