import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { refusalsOf } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import type { Config } from './index.ts'
import { DeclarationsWorld } from './declarations.testing.ts'
import type { DeclarationRecord } from './declarations.schema.ts'

const WRITES = ['venues.write', 'assets.write', 'trading.routes.write'] as const

describe('declarations that are refused', () => {
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
  const remove = (key: string, token = admin) =>
    server.call<DeclarationRecord>('DELETE', `/declarations/${key}`, { token })
  const list = async (token = admin) =>
    (await server.call<DeclarationRecord[]>('GET', '/declarations', { token })).data

  const refuses = async (wrong: readonly [string, unknown, string][]) => {
    const before = JSON.stringify(await list())
    for (const [key, declaration, says] of wrong)
      assert.equal(refusalsOf(await put(key, { declaration })), says, `${key} ${says}`)
    assert.equal(JSON.stringify(await list()), before)
  }

  it('refuses a venue as the file is refused, and names the place', async () => {
    const stored = { api_key: { stored: 'api_key' }, api_secret: { stored: 'api_secret' } }
    const venue = { label: 'X', kind: 'EXCHANGE', options: { exchange: 'kraken' }, secrets: stored }
    const wrong: [string, unknown, string][] = [
      ['venue.x', {}, '400 declaration.label REQUIRED declaration.kind REQUIRED'],
      ['venue.x', { ...venue, colour: 'red' }, '400 declaration.colour UNKNOWN_FIELD'],
      ['venue.x', { ...venue, key: 'y' }, '400 declaration.key UNKNOWN_FIELD'],
      ['venue.-x', venue, '400 key FORMAT'],
      ['thing.x', venue, '404 key NOT_FOUND'],
      ['venue.x', { ...venue, kind: 'SHOP' }, '400 declaration.kind ENUM'],
      [
        'venue.x',
        { ...venue, options: { ...venue.options, speed: '1' } },
        '400 declaration.options.speed UNKNOWN_FIELD',
      ],
      [
        'venue.x',
        { ...venue, secrets: {} },
        '400 declaration.secrets.api_key REQUIRED declaration.secrets.api_secret REQUIRED',
      ],
      [
        'venue.x',
        { ...venue, secrets: { ...stored, api_key: { stored: 'other' } } },
        '400 declaration.secrets.api_key.stored UNKNOWN_FIELD',
      ],
      [
        'venue.x',
        { ...venue, options: { exchange: 'shop' } },
        '400 declaration.options.exchange FORMAT',
      ],
    ]
    await refuses(wrong)
  })

  it('refuses what could send a secret elsewhere, or have an error tell it', async () => {
    const kraken = await declared('venue.kraken')
    const options = kraken['options'] as Declared
    const stored = { api_key: { stored: 'api_key' }, api_secret: { stored: 'api_secret' } }
    const venue = { label: 'X', kind: 'EXCHANGE', options: { exchange: 'kraken' }, secrets: stored }
    const wrong: [string, unknown, string][] = [
      [
        'venue.x',
        { ...venue, options: { ...venue.options, base_url: 'https://a:b@8.8.8.8' } },
        '400 declaration.options.base_url FORMAT',
      ],
      [
        'venue.x',
        { ...venue, options: { ...venue.options, base_url: 'https://{hostname}.example' } },
        '400 declaration.options.base_url FORMAT',
      ],
      [
        'venue.x',
        { ...venue, secrets: { ...stored, base_url: { stored: 'passphrase' } } },
        '400 declaration.secrets.base_url CONFLICT',
      ],
      [
        'venue.x',
        { ...venue, secrets: { ...stored, tier: { stored: 'api_secret' } } },
        '400 declaration.secrets.tier CONFLICT',
      ],
      [
        'venue.x',
        { ...venue, secrets: { ...stored, api_key: { stored: 'api_secret' } } },
        '400 declaration.secrets.api_key CONFLICT',
      ],
      [
        'venue.kraken',
        { ...kraken, options: { ...options, exchange: 'bitstamp' } },
        '400 declaration.secrets.api_key CONFLICT declaration.secrets.api_secret CONFLICT ' +
          'declaration.options.exchange IN_USE',
      ],
    ]
    await refuses(wrong)
  })

  it('refuses where a venue may not lie, and what only the file may name', async () => {
    const kraken = await declared('venue.kraken')
    const options = kraken['options'] as Declared
    const stored = { api_key: { stored: 'api_key' }, api_secret: { stored: 'api_secret' } }
    const venue = { label: 'X', kind: 'EXCHANGE', options: { exchange: 'kraken' }, secrets: stored }
    const wrong: [string, unknown, string][] = [
      [
        'venue.x',
        { ...venue, terms: [{ asset: 'NONE', protocol: 'ETH', native: 'N', networks: ['N'] }] },
        '400 declaration.terms[0].asset UNKNOWN_ASSET',
      ],
      [
        'venue.x',
        { ...venue, options: { ...venue.options, base_url: 'https://10.0.0.1' } },
        '400 declaration.options.base_url FORMAT',
      ],
      [
        'venue.x',
        { ...venue, options: { ...venue.options, base_url: 'nowhere' } },
        '400 declaration.options.base_url FORMAT',
      ],
      [
        'venue.x',
        { ...venue, secrets: { ...stored, api_key: { file: '/etc/passwd' } } },
        '400 declaration.secrets.api_key CONFLICT',
      ],
      [
        'venue.x',
        { ...venue, secrets: { ...stored, api_key: { env: 'DATABASE_URL' } } },
        '400 declaration.secrets.api_key CONFLICT',
      ],
      [
        'venue.kraken',
        { ...kraken, options: { ...options, base_url: `${world.sandbox.url}/elsewhere` } },
        '400 declaration.secrets.api_key CONFLICT declaration.secrets.api_secret CONFLICT',
      ],
      [
        'venue.kraken',
        { ...venue, kind: 'MANAGED_WALLET', options: { base_url: 'https://a.example' } },
        '400 declaration.kind IN_USE',
      ],
    ]
    await refuses(wrong)
  })

  it('reads no file and no variable that only the file may name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kontor-named-'))
    const secret = join(folder, 'key')
    await writeFile(secret, 'NOBODY-SHALL-READ-THIS')
    for (const reference of [{ file: secret }, { file: secret, field: 'x' }, { env: 'PATH' }])
      for (const name of ['iban', 'bic', 'currency', 'name']) {
        const answer = await put('venue.leak', {
          declaration: {
            label: 'Leak',
            kind: 'BANK',
            options: {
              currency: 'EUR',
              bic: 'COBADEFFXXX',
              name: 'House',
              iban: 'AT611904300234573201',
            },
            secrets: { [name]: reference },
          },
        })
        assert.match(refusalsOf(answer), /^400 declaration\.secrets\.\w+ CONFLICT/)
        const said = JSON.stringify(answer)
        assert.ok(
          !said.includes('NOBODY-SHALL') && !said.includes(process.env['PATH'] ?? ' '),
          said,
        )
      }
    await rm(folder, { recursive: true })
  })

  it('refuses assets and price routes so', async () => {
    const route = await declared('price_route.btc-eur')
    const wrong: [string, unknown, string][] = [
      ['asset.BTC', { label: 'Bitcoin', kind: 'CRYPTO', scale: 2 }, '400 declaration.scale RANGE'],
      ['asset.BTC', { label: 'Bitcoin', kind: 'FIAT', scale: 18 }, '400 declaration.kind CONFLICT'],
      ['asset.x', { label: 'X', kind: 'FIAT', scale: 2 }, '400 key FORMAT'],
      [
        'asset.X',
        { label: 'X', kind: 'CRYPTO', scale: 2, protocols: [{ protocol: 'NONE' }] },
        '400 declaration.protocols[0].protocol NOT_FOUND',
      ],
      [
        'price_route.x',
        { ...route, base_asset: 'NONE' },
        '400 declaration.base_asset UNKNOWN_ASSET',
      ],
      ['price_route.x', { ...route, max_amount: '0.00001' }, '400 declaration.max_amount RANGE'],
      [
        'price_route.x',
        { ...route, hops: [{ venue: 'none', base_asset: 'BTC', quote_asset: 'EUR' }] },
        '400 declaration.hops[0].venue NOT_FOUND',
      ],
    ]
    await refuses(wrong)
  })

  it('refuses a version that is gone, and to remove what is needed', async () => {
    const venue = await declared('venue.kraken')
    assert.equal(
      refusalsOf(await put('venue.kraken', { declaration: venue, version: 7 })),
      '400 version STALE_VERSION',
    )
    assert.equal(
      refusalsOf(await put('venue.x', { declaration: venue, version: 1 })),
      '400 version STALE_VERSION',
    )
    assert.equal(refusalsOf(await remove('asset.BTC')), '400 key CONFLICT')
    assert.equal(refusalsOf(await remove('venue.kraken')), '400 key CONFLICT')
    assert.equal(refusalsOf(await remove('venue.none')), '404 key NOT_FOUND')
  })

  it('leaves folders and calendars of a bank to the file and to settings', async () => {
    const bank = await declared('venue.bank')
    const withOptions = (options: Declared) =>
      put('venue.bank', {
        declaration: { ...bank, options: { ...(bank['options'] as Declared), ...options } },
      })
    assert.equal(
      refusalsOf(await withOptions({ outbox_dir: '/etc' })),
      '400 declaration.options.outbox_dir CONFLICT',
    )
    assert.equal(
      refusalsOf(await withOptions({ holidays: '12-24' })),
      '400 declaration.options CONFLICT',
    )
    assert.equal(refusalsOf(await withOptions({ foreign_fee: '13' })), '200')
    assert.equal(refusalsOf(await put('venue.bank', { declaration: bank })), '200')
    assert.deepEqual((await get('venue.bank')).data.drift, null)
  })
})
