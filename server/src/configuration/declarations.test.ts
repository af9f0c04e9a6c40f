import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { mustExist } from '../core/assert.ts'
import { refusalsOf } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { sql } from '../store/sql.ts'
import type { Config } from './index.ts'
import { DeclarationsWorld } from './declarations.testing.ts'
import type { DeclarationRecord } from './declarations.schema.ts'

const WRITES = ['venues.write', 'assets.write', 'trading.routes.write'] as const

describe('declarations over HTTP', () => {
  let world: DeclarationsWorld
  let server: TestServer
  let workspace: WorkspaceId
  let admin: string
  let file: Config

  before(async () => {
    world = await DeclarationsWorld.open()
    server = await world.serve()
    workspace = await world.newWorkspace('ours')
    admin = world.caller(workspace, 'declarations.read', ...WRITES)
    const { wallets: _wallets, routes: _routes, ...rest } = await world.file()
    file = rest
    await world.apply(workspace, file)
  })
  after(async () => {
    await server?.close()
    await world?.close()
  })

  type Declared = Record<string, Json>
  const get = (key: string, token = admin) =>
    server.call<DeclarationRecord>('GET', `/declarations/${key}`, { token })
  const declared = async (key: string) => (await get(key)).data.declaration as Declared
  const put = (key: string, body: unknown, token = admin) =>
    server.call<DeclarationRecord>('PUT', `/declarations/${key}`, { token, body })
  const change = async (key: string, fields: Declared, more = {}) =>
    put(key, { declaration: { ...(await declared(key)), ...fields }, ...more })
  const remove = (key: string, token = admin) =>
    server.call<DeclarationRecord>('DELETE', `/declarations/${key}`, { token })
  const list = async (token = admin) =>
    (await server.call<DeclarationRecord[]>('GET', '/declarations', { token })).data

  it('lists what the file declares, each with its permission', async () => {
    const records = await list()
    const { venues = [], assets = [], price_routes = [] } = file
    assert.equal(records.length, venues.length + assets.length + price_routes.length)
    for (const { hand, version, in_file, drift, file: said, declaration } of records) {
      assert.deepEqual([hand, version, in_file, drift], ['FILE', 1, true, null])
      assert.deepEqual(said, declaration)
    }
    const byKind = new Map(records.map(({ kind, permission }) => [kind, permission]))
    assert.deepEqual(Object.fromEntries(byKind), {
      ASSET: 'assets.write',
      PRICE_ROUTE: 'trading.routes.write',
      VENUE: 'venues.write',
    })
    const before = JSON.stringify(records)
    await world.apply(workspace, file)
    assert.equal(JSON.stringify(await list()), before)
  })

  it('puts each again as it is, and nothing has changed', async () => {
    for (const { key, declaration, version } of await list())
      assert.deepEqual(
        [key, refusalsOf(await put(key, { declaration })), (await get(key)).data.version],
        [key, '200', version],
      )
    assert.deepEqual(await world.apply(workspace, file), [])
  })

  it('adds an asset and a price route, which count at once', async () => {
    const pepe = {
      label: 'Pepe',
      kind: 'CRYPTO',
      scale: 18,
      protocols: [
        {
          protocol: 'ETH',
          decimals: 18,
          names: { kraken: { native: 'PEPE', networks: ['PEPE'] } },
        },
      ],
    }
    assert.equal(refusalsOf(await put('asset.PEPE', { declaration: pepe })), '200')
    const assets = await server.call<{ code: string }[]>('GET', '/assets', { token: admin })
    assert.ok(assets.data.some(({ code }) => code === 'PEPE'))
    const route = { ...(await declared('price_route.btc-eur')), label: 'Another' }
    assert.equal(refusalsOf(await put('price_route.mine', { declaration: route })), '200')
    assert.equal((await routes()).get('mine'), true)
    const [kraken] = await world.db.query<{ terms: object[]; pairs: object[] }>(sql`
      select config -> 'terms' as terms, config -> 'needs' -> 'pairs' as pairs
      from venues
      where workspace = ${workspace}
        and key = 'kraken'`)
    assert.ok(JSON.stringify(kraken?.terms).includes('"PEPE"'))
    assert.equal(refusalsOf(await remove('price_route.mine')), '200')
    assert.equal((await routes()).get('mine'), false)
    assert.equal((await get('price_route.mine')).data.declaration, null)
    assert.equal((await routes()).get('btc-eur'), true)
    await world.apply(workspace, file)
    assert.ok((await list()).some(({ key }) => key === 'asset.PEPE'))
  })

  const routes = async () => {
    const rows = await world.db.query<{ key: string; active: boolean }>(sql`
      select key, active
      from price_stream_routes
      where workspace = ${workspace}`)
    return new Map(rows.map(({ key, active }) => [key, active]))
  }

  it('is checked as a whole: what others need stays', async () => {
    const pool = await declared('venue.kraken')
    const stored = { api_key: { stored: 'api_key' }, api_secret: { stored: 'api_secret' } }
    assert.equal(
      refusalsOf(await put('venue.pool', { declaration: { ...pool, secrets: stored } })),
      '200',
    )
    const route = {
      ...(await declared('price_route.btc-eur')),
      hops: [{ venue: 'pool', base_asset: 'BTC', quote_asset: 'EUR' }],
    }
    assert.equal(refusalsOf(await put('price_route.pooled', { declaration: route })), '200')
    assert.equal(
      refusalsOf(await remove('venue.pool')),
      '400 price_route.pooled.hops[0].venue NOT_FOUND',
    )
    await world.apply(workspace, file)
    assert.equal((await routes()).get('pooled'), true)
    assert.equal(refusalsOf(await remove('price_route.pooled')), '200')
    assert.equal(refusalsOf(await remove('venue.pool')), '200')
  })

  it('takes each kind from who has its permission, and from nobody else', async () => {
    for (const { key, declaration, permission } of await list()) {
      const others = WRITES.filter((name) => name !== permission)
      const wrong = world.caller(workspace, 'declarations.read', ...others)
      assert.equal(
        refusalsOf(await put(key, { declaration }, wrong)),
        '403  PERMISSION_REQUIRED',
        key,
      )
      assert.equal(refusalsOf(await remove(key, wrong)), '403  PERMISSION_REQUIRED', key)
    }
    const nobody = world.caller(workspace, 'venues.read')
    assert.equal((await get('venue.kraken', nobody)).status, 403)
  })

  it('shows another workspace nothing', async () => {
    const theirs = world.caller(await world.newWorkspace('theirs'), 'declarations.read', ...WRITES)
    assert.deepEqual(await list(theirs), [])
    assert.equal((await get('venue.kraken', theirs)).status, 404)
    assert.equal(
      (await server.call('GET', '/declarations/venue.kraken/history', { token: theirs })).status,
      404,
    )
    assert.equal(refusalsOf(await remove('venue.kraken', theirs)), '404 key NOT_FOUND')
  })

  it('stays against the file, is shown as a drift, and is decided', async () => {
    const key = 'venue.kraken'
    const changed = await change(key, { label: 'Kraken of ours' })
    const drift = { file: 'Kraken', record: 'Kraken of ours' }
    const shown = async () => {
      const { data } = await get(key)
      return data.drift === null
        ? null
        : {
            file: (data.drift.file as Declared | null)?.['label'] ?? null,
            record: (data.drift.record as Declared)['label'],
          }
    }
    assert.deepEqual([changed.status, await shown()], [200, drift])
    assert.deepEqual(
      (await world.apply(workspace, file)).map((one) => one.key),
      [key],
    )
    assert.equal((await declared(key))['label'], 'Kraken of ours')
    assert.equal(await labelOf('kraken'), 'Kraken of ours')
    const kept = await change(key, {}, { keep_against_file: true })
    assert.deepEqual([kept.data.drift, kept.data.version], [null, changed.data.version + 1])
    assert.deepEqual(await world.apply(workspace, file), [])
    // The file says yet another thing.
    const [first, ...others] = file.venues ?? []
    const other = { ...file, venues: [{ ...mustExist(first, 'kraken'), label: 'K' }, ...others] }
    await world.apply(workspace, other)
    assert.deepEqual(await shown(), { file: 'K', record: 'Kraken of ours' })
    await put(key, { declaration: (await get(key)).data.file })
    assert.deepEqual([await shown(), await labelOf('kraken')], [null, 'K'])
    // It is the file's again.
    await world.apply(workspace, file)
    assert.deepEqual([await shown(), await labelOf('kraken')], [null, 'Kraken'])
    await change(key, { label: 'Mine' })
    await world.apply(workspace, file, { overwrite_declarations: true })
    assert.deepEqual([await shown(), await labelOf('kraken')], [null, 'Kraken'])
  })

  const labelOf = async (key: string) => {
    const [row] = await world.db.query<{ label: string; state: string }>(sql`
      select label, state
      from venues
      where workspace = ${workspace}
        and key = ${key}`)
    return row?.state === 'DISABLED' ? null : row?.label
  }

  it('outlives a file that no longer names it, once somebody has changed it', async () => {
    const without = {
      ...file,
      venues: (file.venues ?? []).filter(({ key }) => key !== 'managed' && key !== 'okx'),
      price_routes: (file.price_routes ?? []).filter(({ hops }) =>
        hops.every(({ venue }) => venue !== 'okx'),
      ),
    }
    const gone = without.venues.length + 2 - (file.venues ?? []).length
    assert.ok(gone >= 0)
    await change('venue.okx', { label: 'OKX of ours' })
    await world.apply(workspace, without)
    const { data } = await get('venue.okx')
    assert.deepEqual([data.in_file, data.drift?.file], [false, null])
    assert.equal(await labelOf('okx'), 'OKX of ours')
    assert.equal((await routes()).get('btc-eur-okx'), false)
    await world.apply(workspace, file)
    assert.equal((await routes()).get('btc-eur-okx'), true)
    assert.equal(await labelOf('okx'), 'OKX of ours')
    await world.apply(workspace, without)
    assert.equal(refusalsOf(await remove('venue.okx')), '200')
    assert.equal(await labelOf('okx'), null)
    assert.equal((await get('venue.okx')).data.drift, null)
    await world.apply(workspace, file)
    assert.equal(await labelOf('okx'), 'OKX')
  })

  it('is told of once when it begins to differ from the file, and once when it ends', async () => {
    const told = async () => {
      const events = await world.db.query<{ type: string; key: string }>(sql`
        select type, data ->> 'key' as key
        from events
        where workspace = ${workspace}
          and type like 'declaration.drift%'
          and data ->> 'key' = 'venue.managed'
        order by sequence`)
      return events.map(({ type }) => type)
    }
    const before = await told()
    await change('venue.managed', { label: 'Managed by us' })
    await change('venue.managed', { label: 'Managed by them' })
    for (const _start of [1, 2]) await world.apply(workspace, file)
    assert.deepEqual((await told()).slice(before.length), ['declaration.drifted'])
    await change('venue.managed', {}, { keep_against_file: true })
    await world.apply(workspace, file)
    assert.deepEqual((await told()).slice(before.length), [
      'declaration.drifted',
      'declaration.drift_ended',
    ])
    await world.apply(workspace, file, { overwrite_declarations: true })
    assert.equal((await told()).length, before.length + 2)
  })

  it('has everything of before in its history, newest first, and tells of it', async () => {
    type Change = { version: number; before: Declared | null; after: Declared; hand: string }
    const { data } = await server.call<Change[]>('GET', '/declarations/venue.kraken/history', {
      token: admin,
    })
    const { version, id } = (await get('venue.kraken')).data
    assert.deepEqual(
      data.map((row) => row.version),
      Array.from({ length: version }, (_one, index) => version - index),
    )
    assert.deepEqual([data.at(-1)?.before, data.at(-1)?.hand], [null, 'FILE'])
    assert.deepEqual(data[0]?.after, await declared('venue.kraken'))
    await assert.rejects(
      world.db.query(sql`
        delete
        from declaration_changes`),
    )
    const events = await world.db.query<{ data: { version: number } }>(sql`
      select data
      from events
      where workspace = ${workspace}
        and type = 'declaration.changed'
        and resource_id = ${id}
      order by sequence`)
    assert.deepEqual(
      events.map((event) => event.data.version),
      Array.from({ length: version - 1 }, (_one, index) => index + 2),
    )
  })
})
