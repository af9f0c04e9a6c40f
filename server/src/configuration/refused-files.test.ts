/** A file in which something is wrong: every fault is named, and nothing of the file is applied. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ApiError } from '../core/errors.ts'
import { sql } from '../store/sql.ts'
import { openConfigurationWorld } from './configuration.testing.ts'
import type { ConfigurationWorld } from './configuration.testing.ts'

describe('a file that is wrong', () => {
  let world: ConfigurationWorld
  before(async () => {
    world = await openConfigurationWorld()
    await world.apply(await world.config())
  })
  after(() => world?.close())

  it('refuses another kind under the same key, and a wrong entry by its name', async () => {
    const full = await world.config()
    const [kraken, ...others] = full.venues ?? []
    assert(kraken !== undefined)
    const before = await world.logged()
    await assert.rejects(
      world.apply({
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
      world.apply({
        ...full,
        venues: [{ ...kraken, options: { exchange: 'kraken', api_secret: 'in clear' } }, ...others],
      }),
      /venues\[0\].options.api_secret is a secret/,
    )
    await assert.rejects(
      world.apply({
        ...full,
        wallets: [
          { ...(full.wallets?.[0] as NonNullable<typeof full.wallets>[number]), address: '?' },
        ],
      }),
      /wallets\[0\]: address is not a valid IBAN/,
    )
    await assert.rejects(
      world.apply({
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
    assert.deepEqual(await world.logged(), before, 'what was refused was not applied')
  })

  it('names every entry that is wrong, and applies nothing of the file', async () => {
    const full = await world.config()
    const [before, log, settings] = [
      await world.ids(),
      await world.logged(),
      await world.settings(),
    ]
    const [first, wallet, other, ...wallets] = full.wallets ?? []
    const [route, ...routes] = full.routes ?? []
    const [price, ...prices] = full.price_routes ?? []
    assert(first && wallet && other && route && price)
    const made = { ...route, key: 'made', label: 'Made' }
    const refused = await world
      .apply({
        ...full,
        settings: { ...full.settings, open_period_from: 1 },
        assets: [
          ...(full.assets ?? []),
          { code: 'DOGE', label: 'Dogecoin', kind: 'CRYPTO', scale: 8 },
        ],
        wallets: [first, { ...wallet, address: '?' }, { ...other, asset: 'NONE' }, ...wallets],
        routes: [...routes, { ...made, to: 'nowhere' }, { ...made, key: 'm', from: route.to }],
        price_routes: [{ ...price, amount_step: '0.0000000001' }, ...prices],
      })
      .then(
        () => assert.fail('it was applied'),
        (error: ApiError) => error.details.map(({ path }) => path),
      )
    assert.deepEqual(
      refused.map((path) => path.split('.')[0]),
      [
        'wallets[1]',
        'wallets[2]',
        `routes[${routes.length}]`,
        `routes[${routes.length + 1}]`,
        'price_routes[0]',
      ],
    )
    assert.deepEqual([await world.ids(), await world.logged()], [before, log])
    assert.deepEqual(await world.settings(), settings)
    assert.deepEqual(
      await world.database.db.query(sql`
      select code
      from assets
      where code = 'DOGE'`),
      [],
    )
  })
})
