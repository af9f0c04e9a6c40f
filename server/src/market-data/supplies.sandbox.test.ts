/**
 * Market caps from the sandbox's aggregator: fetched by a task, kept with their age, left out and
 * named when there is none.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../core/clock.ts'
import { decimal } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { workerCaller } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { putAsset } from '../ledger/index.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import type { PriceFeed, VenueRecord } from '../venues/index.ts'
import { startSandbox } from '../venues/sandbox-process.testing.ts'
import type { SandboxProcess } from '../venues/sandbox-process.testing.ts'
import { openCoinGecko } from './coingecko.ts'
import { marketDataEndpoints } from './market-data.http.ts'
import { openPriceBook } from './price-book.ts'
import {
  applyAggregator,
  pauseAfter,
  suppliesTask,
  SUPPLIES_TASK,
  SUPPLY_FRESH_MILLISECONDS,
} from './supplies.ts'
import type { DeclaredAggregator } from './supplies.ts'

/** Long enough for the slowest machine. */
const PATIENT_MILLISECONDS = 30_000

async function putAssets(db: Db, workspace: WorkspaceId): Promise<void> {
  for (const [code, supply] of [
    ['BTC', '1'],
    ['ETH', null],
    ['ADA', '35000000000'],
    ['XRP', null],
  ] as const)
    await putAsset(db, workspace, {
      code,
      label: code,
      kind: 'CRYPTO',
      scale: 8,
      circulating_supply: supply,
    })
  await putAsset(db, workspace, {
    code: 'EUR',
    label: 'Euro',
    kind: 'FIAT',
    scale: 2,
    circulating_supply: null,
  })
}

describe('market caps', () => {
  let database: TestDatabase
  let sandbox: SandboxProcess
  let api: TestServer
  let fetchSupplies: TaskHandler
  let feed: PriceFeed
  let declared: DeclaredAggregator
  let warnings: string[] = []
  const clock = manualClock(Date.now())
  let request_timeout_ms = PATIENT_MILLISECONDS
  const [workspace, venue] = [newId<WorkspaceId>(), newId()]
  const prices = openPriceBook()
  const task = { workspace, kind: SUPPLIES_TASK, subject_id: workspace, attempts: 1 }

  const sendTickers = () => {
    const received_at = clock.now()
    for (const [base_asset, price] of [
      ['BTC', '60000'],
      ['ETH', '2400'],
      ['ADA', '0.5'],
    ] as const) {
      feed.ticker({
        base_asset,
        quote_asset: 'EUR',
        bid: decimal(price),
        ask: decimal(price),
        last: decimal(price),
        volume_24h: decimal('10'),
        change_24h: null,
        received_at,
      })
    }
  }
  const details = async (target = 'EUR') => {
    sendTickers()
    const { data } = await api.call<{
      market_cap: Record<string, string>
      market_cap_ages: Record<string, number>
      market_cap_stale: string[]
    }>('GET', `/market-data/prices/v2/${target}/details`)
    return { caps: data.market_cap, ages: data.market_cap_ages, stale: data.market_cap_stale }
  }
  const failures = async () =>
    (
      await database.db.query<{ failures: number; error: string | null }>(sql`
        select failures, error
        from aggregators
        where workspace = ${workspace}`)
    )[0]
  const declare = (next: DeclaredAggregator | undefined) =>
    database.db.tx((tx) => applyAggregator(workerCaller(workspace, 'test'), { tx, clock }, next))

  before(async () => {
    ;[database, sandbox] = await Promise.all([testDatabase(), startSandbox()])
    const { db } = database
    await putAssets(db, workspace)
    const step = decimal('0.01')
    const pairs = ['BTC', 'ETH', 'ADA'].map((base_asset) => ({
      base_asset,
      quote_asset: 'EUR',
      price_step: step,
      amount_step: step,
      min_amount: step,
      taker_fee: 0n,
    }))
    await prices.follow(
      venue,
      {
        pairs: async () => pairs,
        watch: (_pairs, opened) => {
          feed = opened
          return async () => undefined
        },
      },
      pairs,
    )
    api = await testServer({
      db,
      clock,
      endpoints: marketDataEndpoints({
        db,
        clock,
        prices,
        venues: { list: async () => [{ id: venue } as VenueRecord] },
      }),
      authenticate: async () => ({
        workspace,
        user_id: newId(),
        session_id: newId(),
        permissions: new Set(['market-data.read']),
      }),
    })
    fetchSupplies = suppliesTask(
      {
        db,
        clock,
        log: {
          warn: (_details, message) => {
            warnings.push(message)
          },
        },
      },
      (config) => openCoinGecko({ ...config, request_timeout_ms }),
    )
    declared = {
      kind: 'COINGECKO',
      base_url: `${sandbox.url}/coingecko/api/v3`,
      api_key: { file: join(sandbox.dir, 'credentials/coingecko.json'), field: 'api_key' },
      coins: { BTC: 'bitcoin', ETH: 'ethereum', XRP: 'ripple' },
    }
  })
  after(async () => {
    await api?.close()
    await prices.close()
    await Promise.all([sandbox?.stop(), database?.drop()])
  })

  it('without an aggregator: by what the configuration declares', async () => {
    assert.equal(await fetchSupplies(task), 'done')
    assert.deepEqual(await details(), {
      caps: { BTC: '60000', ADA: '17500000000' },
      ages: {},
      stale: ['ETH', 'XRP'],
    })
  })

  it('with one: named as missing until it has reported, then by its report', async () => {
    await declare(declared)
    assert.deepEqual(await details(), {
      caps: { ADA: '17500000000' },
      ages: {},
      stale: ['BTC', 'ETH', 'XRP'],
    })
    assert.deepEqual(await fetchSupplies(task), { again_at: clock.now() + 600_000 })
    const { caps, ages, stale } = await details()
    assert.deepEqual(
      { caps, stale },
      { caps: { ADA: '17500000000', BTC: '1197000000000', ETH: '289680000600' }, stale: ['XRP'] },
      'nobody prices XRP',
    )
    assert.deepEqual(Object.keys(ages).toSorted(), ['BTC', 'ETH'])
    assert.ok(Object.values(ages).every((age) => age >= 0 && age < 10_000))
    assert.equal((await details('BTC')).caps['ETH'], '4828000.01')
  })

  it('asks again after pauses that grow, and as late as the aggregator wants', () => {
    assert.equal(pauseAfter(1, undefined), 5_000)
    assert.equal(pauseAfter(2, undefined), 10_000)
    assert.equal(pauseAfter(8, undefined), 600_000)
    assert.equal(pauseAfter(500, undefined), 600_000)
    assert.equal(pauseAfter(1, 30_000), 30_000)
    assert.equal(pauseAfter(9, 30_000), 600_000)
    assert.equal(pauseAfter(1, 1e12), 3_600_000)
  })

  it('keeps the last report while it is away, and asks again later and later', async () => {
    for (const [kind, reason, pause] of [
      ['DOWN', /^no answer/, 5_000],
      ['TIMEOUT_AFTER_ACCEPT', /^no answer/, 10_000],
      ['REFUSE', /^429/, 30_000],
    ] as const) {
      await sandbox.fault('coingecko', 'coins/markets', kind)
      request_timeout_ms = kind === 'TIMEOUT_AFTER_ACCEPT' ? 1_000 : PATIENT_MILLISECONDS
      assert.deepEqual(await fetchSupplies(task), { again_at: clock.now() + pause })
      assert.match((await failures())?.error ?? '', reason)
      assert.equal((await details()).caps['BTC'], '1197000000000')
    }
    request_timeout_ms = PATIENT_MILLISECONDS
    await sandbox.control('POST', 'coingecko/coins', {
      id: 'bitcoin',
      circulating_supply: '20000000',
    })
    await sandbox.control('POST', 'coingecko/coins', { id: 'ethereum', circulating_supply: null })
    await sandbox.fault('coingecko', 'coins/markets', 'TWICE')
    await fetchSupplies(task)
    const { caps } = await details()
    assert.equal(caps['BTC'], '1200000000000')
    assert.equal(caps['ETH'], '289680000600')
    assert.deepEqual(await failures(), { failures: 0, error: null })
    assert.deepEqual(warnings, [
      'the aggregator does not report supplies',
      'the aggregator answers again',
    ])
  })

  it('leaves out and names a supply that is too old', async () => {
    const reports = await database.db.query<{ told_at: number }>(sql`
      select told_at
      from supplies
      where workspace = ${workspace}
        and told_at is not null
      order by told_at`)
    clock.set((reports[0]?.told_at ?? 0) + SUPPLY_FRESH_MILLISECONDS)
    assert.equal((await details()).ages['BTC'], SUPPLY_FRESH_MILLISECONDS)
    clock.set((reports.at(-1)?.told_at ?? 0) + SUPPLY_FRESH_MILLISECONDS + 1)
    assert.deepEqual(await details(), {
      caps: { ADA: '17500000000' },
      ages: {},
      stale: ['BTC', 'ETH', 'XRP'],
    })
  })

  it('a key that is missing or wrong is a failure like any other, and shown nowhere', async () => {
    warnings = []
    for (const [api_key, reason] of [
      [{ file: '/nowhere/key' }, /cannot be read/],
      [{ file: join(sandbox.dir, 'credentials/coingecko.json') }, /is not one/],
      [undefined, /^401/],
    ] as const) {
      const { api_key: _right, ...rest } = declared
      await declare(api_key === undefined ? rest : { ...rest, api_key })
      assert.deepEqual(await fetchSupplies(task), { again_at: clock.now() + 5_000 })
      const { error } = (await failures()) ?? {}
      assert.match(error ?? '', reason)
      assert.doesNotMatch(error ?? '', /CG-/)
    }
  })

  it('declared otherwise: another coin is another supply; others are forgotten', async () => {
    clock.set(Date.now())
    await declare(declared)
    await fetchSupplies(task)
    assert.equal((await details()).caps['BTC'], '1200000000000')
    await declare({ ...declared, coins: { BTC: 'ethereum' } })
    assert.deepEqual((await details()).stale, ['BTC', 'ETH', 'XRP'])
    await assert.rejects(
      declare({ ...declared, coins: { DOGE: 'dogecoin' } }),
      /asset DOGE is not configured/,
    )
    await declare(undefined)
    assert.deepEqual(await details(), {
      caps: { BTC: '60000', ADA: '17500000000' },
      ages: {},
      stale: ['ETH', 'XRP'],
    })
    assert.equal(await fetchSupplies(task), 'done')
  })
})
