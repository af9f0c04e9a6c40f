import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createFirstUser } from '../access/index.ts'
import { systemClock } from '../core/clock.ts'
import { decimal, format } from '../core/decimal.ts'
import type { ApiError } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { until as waitUntil } from '../core/testing.ts'
import { balancesOf, openBooks, openLane, venueAccounts, verifyBooks } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { runTasks } from '../store/task-runner.ts'
import type { TaskRunner } from '../store/task-runner.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import { agreedFee, currentEstimate, routeById, treasuryTasks } from '../treasury/index.ts'
import { startSandbox } from '../venues/sandbox-process.testing.ts'
import type { SandboxProcess } from '../venues/sandbox-process.testing.ts'
import { adapterFactories, openVenues, venuesTasks } from '../venues/index.ts'
import type { Venues, VenueRecord } from '../venues/index.ts'
import { readConfig } from './config-file.ts'
import { applyConfig, workspaceOf } from './configuration.ts'
import type { ConfigApp } from './configuration.ts'

const EXCHANGE_SERVICES = ['PRICE_STREAM', 'TOMS', 'WOMS']

describe('the demo world, configured', () => {
  let database: TestDatabase
  let sandbox: SandboxProcess
  let venues: Venues
  let app: ConfigApp
  let workspace: WorkspaceId
  let runner: TaskRunner
  const config = () => readConfig(join(sandbox.dir, 'kontor.json'), {})
  const problems: string[] = []
  const noLog = {
    error(details: object, message: string) {
      problems.push(`${message} ${JSON.stringify(details)}`)
    },
  }

  before(async () => {
    database = await testDatabase()
    sandbox = await startSandbox()
    const { db } = database
    venues = openVenues({ db, log: noLog, adapters: adapterFactories(noLog) })
    app = {
      db,
      clock: systemClock,
      venues,
      lane: openLane(db, systemClock, { key_lifetime_ms: 86_400_000 }),
      workspace_tasks: [],
    }
    await createFirstUser(db, systemClock, { email: 'admin@example.com' })
    workspace = await workspaceOf(db, await config())
    await db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock: systemClock }))
  })
  after(async () => {
    await runner?.stop()
    await app.lane.close()
    await venues.close()
    await sandbox.stop()
    await database.drop()
  })

  const byLabel = async (label: string) =>
    (await venues.list(workspace)).find((venue) => venue.label === label) as VenueRecord
  const until = (what: string, holds: () => Promise<boolean>) =>
    waitUntil(what, holds, () => problems.join('\n'))
  const ids = async () =>
    JSON.stringify(
      await database.db.query(sql`
          select 'venue' as what, id::text, version
          from venues
          union all
          select 'wallet', id::text, version
          from wallets
          union all
          select 'route', id::text, version
          from treasury_routes
          union all
          select 'price', id::text, version
          from price_stream_routes
          order by 1, 2`),
    )

  it('is applied twice as once, also while the venues are down', async () => {
    await sandbox.kill()
    await applyConfig(app, workspace, await config())
    const before = await ids()
    await applyConfig(app, workspace, await config())
    assert.equal(await ids(), before)
    assert.deepEqual(
      (await venues.list(workspace)).map(({ label, kind, state, services }) => ({
        label,
        kind,
        state,
        services: services.map((service) => service.type),
      })),
      [
        { label: 'Kraken', kind: 'EXCHANGE', state: 'CONNECTING', services: EXCHANGE_SERVICES },
        { label: 'Bitstamp', kind: 'EXCHANGE', state: 'CONNECTING', services: EXCHANGE_SERVICES },
        {
          label: 'Prime Brokerage',
          kind: 'EXCHANGE',
          state: 'CONNECTING',
          services: EXCHANGE_SERVICES,
        },
        { label: 'Fireblocks', kind: 'CUSTODY_VAULT', state: 'CONNECTING', services: ['WOMS'] },
        {
          label: 'Managed Custody',
          kind: 'MANAGED_WALLET',
          state: 'CONNECTING',
          services: ['WOMS'],
        },
        { label: 'Sandbox Bank', kind: 'BANK', state: 'CONNECTING', services: ['WOMS'] },
      ],
    )
    await sandbox.restart()
  })

  it('connects the venues and books what they hold as OPENING, once', async () => {
    runner = runTasks(database.db, systemClock, {
      handlers: { ...venuesTasks(app), ...treasuryTasks(app) },
      poll_ms: 50,
      onError: (task, error) => {
        problems.push(`${task.kind}: ${String(error)}`)
      },
    })
    await until('connection', async () =>
      (await venues.list(workspace)).every(
        (venue) => venue.state === 'CONNECTED' && venue.capabilities.length > 0,
      ),
    )
    const held = async (label: string) => {
      const venue = await byLabel(label)
      const balances = await balancesOf(
        database.db,
        workspace,
        (await venueAccounts(database.db, workspace, venue.id)).VENUE,
      )
      return Object.fromEntries(balances.map((balance) => [balance.asset, format(balance.total)]))
    }
    assert.deepEqual(await held('Kraken'), { BTC: '5', ETH: '40', EUR: '250000', XRP: '10000' })
    assert.deepEqual(await held('Bitstamp'), { BTC: '3', ETH: '25', EUR: '150000', XRP: '5000' })
    assert.deepEqual(await held('Fireblocks'), { BTC: '3', ETH: '20', XRP: '5000' })
    assert.deepEqual(await held('Managed Custody'), { BTC: '2', ETH: '15' })
    assert.deepEqual(await held('Sandbox Bank'), { EUR: '500000' })
    await applyConfig(app, workspace, await config())
    runner.wake()
    await until(
      'tasks are worked off',
      async () =>
        (
          await database.db.query(sql`
          select 1
          from tasks
          where kind = 'connect_venue'`)
        ).length === 0,
    )
    assert.deepEqual(await held('Fireblocks'), { BTC: '3', ETH: '20', XRP: '5000' })
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
    assert.deepEqual((await byLabel('Fireblocks')).capabilities, [
      'balances',
      'protocols',
      'transfers',
      'allowlist',
      'wallets',
    ])
  })

  it("has the vault's routes allowed, and every route costs something known", async () => {
    await until(
      'approval',
      async () =>
        (
          await database.db.query(
            sql`
              select 1
              from treasury_routes
              where allowlist_state = 'APPROVED'`,
          )
        ).length === 9,
    )
    const routes = await database.db.query<{ id: string; key: string }>(
      sql`
        select id, key
        from treasury_routes
        order by key`,
    )
    assert.equal(routes.length, 27)
    for (const { id, key } of routes) {
      const route = await routeById(database.db, workspace, id)
      const estimate = await currentEstimate(app, route, decimal('1'))
      assert(estimate.speed_levels.SLOW <= estimate.speed_levels.FAST, key)
      assert.equal(
        (
          await agreedFee(app, route, decimal('1'), {
            speed_level: 'DEFAULT',
            fee: estimate.speed_levels.DEFAULT,
          })
        ).fee,
        estimate.speed_levels.DEFAULT,
        key,
      )
    }
  })

  it('has wallets made at their venues, once however often the file is applied', async () => {
    const full = await config()
    const made = [
      {
        key: 'made-vault',
        venue: 'fireblocks',
        asset: 'ETH',
        address: '',
        label: 'Made vault ETH',
        configuration: { create_external_wallet: true, protocol: 'ETH', vault_name: 'Made' },
      },
      {
        key: 'made-managed',
        venue: 'managed',
        asset: 'BTC',
        address: '',
        label: 'Made managed BTC',
        configuration: { create_external_wallet: true, customer_id: 'kontor' },
      },
    ]
    for (let times = 0; times < 2; times += 1)
      await applyConfig(app, workspace, { ...full, wallets: [...(full.wallets ?? []), ...made] })
    runner?.wake()
    const rows = () =>
      database.db.query<{
        key: string
        state: string
        address: string
        foreign_id: string
        configuration: object
      }>(
        sql`
          select key, state, address, foreign_id, configuration
          from wallets
          where key like 'made-%'
          order by key`,
      )
    await until('the wallets are made', async () =>
      (await rows()).every((row) => row.state === 'ACTIVE'),
    )
    const [managed, vault] = await rows()
    assert.deepEqual(managed?.configuration, {
      create_external_wallet: true,
      customer_id: 'kontor',
      wallet_id: managed?.foreign_id,
    })
    assert.deepEqual(vault?.configuration, {
      create_external_wallet: true,
      protocol: 'ETH',
      vault_name: 'Made',
      vault_id: vault?.foreign_id,
    })
    assert.match(vault.address, /^0x[0-9a-fA-F]{40}$/)
    assert.equal(await sandbox.received('fireblocks', 'create_account'), 1)
    assert.equal(await sandbox.received('managed', 'create_wallet'), 1)
  })

  it('disables what the file no longer names, and finds it again', async () => {
    const full = await config()
    await applyConfig(app, workspace, {
      ...full,
      venues: (full.venues ?? []).filter((venue) => venue.key !== 'bank'),
      wallets: (full.wallets ?? []).filter((wallet) => wallet.venue !== 'bank'),
    })
    const bank = await byLabel('Sandbox Bank')
    assert.equal(bank.state, 'DISABLED')
    assert.deepEqual(
      bank.services.map((service) => service.state),
      ['STOPPED'],
    )
    await assert.rejects(venues.connect(workspace, bank.id), /no longer configured/)
    await applyConfig(app, workspace, full)
    const { id, state } = await byLabel('Sandbox Bank')
    assert.deepEqual({ id, state }, { id: bank.id, state: 'CONNECTED' })
  })

  it('refuses another kind under the same key, and a wrong entry by its name', async () => {
    const full = await config()
    const [kraken, ...others] = full.venues ?? []
    assert(kraken !== undefined)
    await assert.rejects(
      applyConfig(app, workspace, {
        ...full,
        venues: [
          {
            key: kraken.key,
            label: 'x',
            kind: 'CUSTODY_VAULT',
            options: { base_url: 'x' },
            secrets: { api_key: { env: 'X' }, secret_pem: { env: 'X' } },
          },
          ...others,
        ],
      }),
      /of kind EXCHANGE/,
    )
    await assert.rejects(
      applyConfig(app, workspace, {
        ...full,
        venues: [{ ...kraken, options: { exchange: 'kraken', api_secret: 'in clear' } }, ...others],
      }),
      /venues\[0\].options.api_secret is a secret/,
    )
    await assert.rejects(
      applyConfig(app, workspace, {
        ...full,
        wallets: [
          { ...(full.wallets?.[0] as NonNullable<typeof full.wallets>[number]), address: '?' },
        ],
      }),
      /wallets\[0\]: address is not valid/,
    )
    await assert.rejects(
      applyConfig(app, workspace, {
        ...full,
        routes: [
          {
            ...(full.routes?.[0] as NonNullable<typeof full.routes>[number]),
            transfer: { to: {} },
          },
        ],
      }),
      (error: ApiError) => error.details[0]?.path === 'routes[0].transfer.to.name',
    )
  })

  it('keeps no secret in the database', async () => {
    const { api_secret } = JSON.parse(await sandbox.credential('kraken.json')) as {
      api_secret: string
    }
    const { api_key } = JSON.parse(await sandbox.credential('coingecko.json')) as {
      api_key: string
    }
    const [row] = await database.db.query<{ all: string }>(
      sql`
        select string_agg(config::text, ' ') as all
        from (select config from venues union all select config from aggregators) as configs`,
    )
    assert(!row?.all.includes(api_secret) && row?.all.includes('credentials/kraken.json'))
    assert(
      !row?.all.includes(api_key) &&
        row?.all.includes(join(sandbox.dir, 'credentials/coingecko.json')),
    )
    assert(!JSON.stringify(await venues.list(workspace)).includes('credentials'))
  })
})
