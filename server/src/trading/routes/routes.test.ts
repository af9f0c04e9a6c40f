import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import { openPricingWorld, refusal, ROUTES } from '../testing/pricing-world.fixture.ts'
import type { PricingWorld } from '../testing/pricing-world.fixture.ts'
import { priceHistory } from './price-history.ts'
import type { DeclaredPriceRoute } from './routes.schema.ts'

let world: PricingWorld
before(async () => {
  world = await openPricingWorld()
})
after(() => world.close())

describe('the history of a price', () => {
  it('is the product of the hops where each is known, oldest first', async () => {
    const {
      app,
      clock,
      venue_ids: { north, south },
      workspace,
    } = world
    const now = Math.floor(clock.now() / 10_000)
    const mids = [
      [north, 'ETH', 'BTC', now - 3, '0.04'],
      [north, 'ETH', 'BTC', now - 2, '0.041'],
      [north, 'ETH', 'BTC', now - 721, '9'],
      [south, 'BTC', 'EUR', now - 3, '60000.5'],
      [south, 'BTC', 'EUR', now - 1, '61000'],
    ] as const
    for (const [venue_id, base_asset, quote_asset, bucket, mid] of mids)
      await app.db.query(
        sql`
          insert into price_mids (venue_id, base_asset, quote_asset, bucket, mid)
          values (${venue_id}, ${base_asset}, ${quote_asset}, ${bucket}, ${mid})`,
      )
    const { id } = await world.routeOf('across')
    assert.deepEqual(await priceHistory(app, workspace, id), [
      { at: (now - 2) * 10_000, price: '2400.02' },
    ])
    await assert.rejects(priceHistory(app, newId(), id), /does not exist/)
  })
})

describe('routes over several hops in the configuration', () => {
  const { across } = ROUTES
  const wrong: [string, Partial<DeclaredPriceRoute>, { code: string; path: string }][] = [
    [
      'the first hop trades another asset',
      { hops: [{ venue: 'north', base_asset: 'BTC', quote_asset: 'EUR' }] },
      { code: 'ASSET_MISMATCH', path: 'price_routes[0].hops[0]' },
    ],
    [
      'a gap between the hops',
      {
        hops: [
          { venue: 'north', base_asset: 'ETH', quote_asset: 'BTC' },
          { venue: 'south', base_asset: 'ETH', quote_asset: 'EUR' },
        ],
      },
      { code: 'ASSET_MISMATCH', path: 'price_routes[0].hops[1]' },
    ],
    [
      'it ends elsewhere',
      { hops: [{ venue: 'north', base_asset: 'ETH', quote_asset: 'BTC' }] },
      { code: 'ASSET_MISMATCH', path: 'price_routes[0].hops' },
    ],
    [
      'it leads back',
      {
        hops: [
          ['ETH', 'BTC'],
          ['BTC', 'ETH'],
          ['ETH', 'EUR'],
        ].map(([base_asset = '', quote_asset = '']) => ({
          venue: 'north',
          base_asset,
          quote_asset,
        })),
      },
      { code: 'ASSET_MISMATCH', path: 'price_routes[0].hops[1]' },
    ],
    [
      'a venue nobody configured',
      {
        hops: [
          { venue: 'north', base_asset: 'ETH', quote_asset: 'BTC' },
          { venue: 'west', base_asset: 'BTC', quote_asset: 'EUR' },
        ],
      },
      { code: 'NOT_FOUND', path: 'price_routes[0].hops[1].venue' },
    ],
    [
      'a margin that takes all of a sale',
      { margin: { DEFAULT: '0.005', PREMIUM: '1' } },
      { code: 'RANGE', path: 'price_routes[0].margin.PREMIUM' },
    ],
    [
      'an asset nobody configured',
      {
        hops: [
          { venue: 'north', base_asset: 'ETH', quote_asset: 'DOGE' },
          { venue: 'north', base_asset: 'DOGE', quote_asset: 'EUR' },
        ],
      },
      { code: 'UNKNOWN_ASSET', path: 'price_routes[0].hops[0].quote_asset' },
    ],
  ]
  for (const [name, change, expected] of wrong)
    it(`${name}: refused by name`, async () => {
      assert.deepEqual(await refusal(world.declare([{ ...across, ...change }])), expected)
    })

  it('are stored with numbered hops and the services that take the orders', async () => {
    const [stored] = await world.app.db.query<{
      hops: { hop_no: number; venue_id: string; base_asset: string; quote_asset: string }[]
    }>(
      sql`
        select hops
        from price_stream_routes
        where workspace = ${world.workspace}
          and key = 'across'`,
    )
    assert.deepEqual(
      stored?.hops.map(({ hop_no, venue_id, base_asset, quote_asset }) => ({
        hop_no,
        venue_id,
        base_asset,
        quote_asset,
      })),
      [
        { hop_no: 1, venue_id: world.venue_ids.north, base_asset: 'ETH', quote_asset: 'BTC' },
        { hop_no: 2, venue_id: world.venue_ids.south, base_asset: 'BTC', quote_asset: 'EUR' },
      ],
    )
  })
})
