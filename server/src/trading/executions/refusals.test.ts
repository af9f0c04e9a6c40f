import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import { ExecutionDesk } from './executions.testing.ts'

/** A change of the request, and how it is refused: status, code, detail, path. */
type Refusal = [Record<string, unknown>, unknown[]]

/** `ALICE` has money, `POOR` 100 EUR; `NOBODY` and `NOTHING` are ids that do not exist. */
const REFUSALS: Refusal[] = [
  [{ customers: [{ customer_id: 'POOR' }] }, [400, 3001, 'INSUFFICIENT_BALANCE', '']],
  [{ customers: [{ customer_id: 'POOR' }], side: 'SELL' }, [400, 3001, 'INSUFFICIENT_BALANCE', '']],
  [
    { customers: [{ customer_id: 'NOBODY' }] },
    [404, 4004, 'NOT_FOUND', 'customers[0].customer_id'],
  ],
  [{ customers: [] }, [400, 3001, 'RANGE', 'customers']],
  [
    { customers: [{ customer_id: 'ALICE', quantity_absolute: '1' }] },
    [400, 3001, 'SUM_MISMATCH', 'customers[0].quantity_absolute'],
  ],
  [
    { customers: [{ customer_id: 'ALICE' }, { customer_id: 'POOR' }] },
    [400, 3001, 'REQUIRED', 'customers'],
  ],
  [
    {
      customers: [{ customer_id: 'ALICE' }, { customer_id: 'ALICE', quantity_absolute: '1' }],
    },
    [400, 3001, 'DUPLICATE', 'customers[1].customer_id'],
  ],
  [
    {
      customers: [
        { customer_id: 'ALICE', quantity_absolute: '1' },
        { customer_id: 'POOR', quantity_absolute: '0.4' },
      ],
    },
    [400, 3001, 'SUM_MISMATCH', 'customers'],
  ],
  [
    {
      customers: [{ customer_id: 'ALICE' }, { customer_id: 'POOR', quantity_absolute: '1' }],
    },
    [400, 3001, 'INSUFFICIENT_BALANCE', ''],
  ],
  [{ route_id: 'NOTHING' }, [404, 4004, 'NOT_FOUND', 'route_id']],
  [{ route_id: undefined }, [400, 3001, 'REQUIRED', 'route_id']],
  [{ symbol: 'BTC/EUR' }, [400, 3001, 'CONFLICT', 'symbol']],
  [{ route_id: '', symbol: 'XYZ/EUR' }, [404, 4004, 'NOT_FOUND', 'symbol']],
  [{ amount: undefined }, [400, 3001, 'REQUIRED', 'amount']],
  [{ amount: '3.1' }, [400, 3001, 'NO_LIQUIDITY', 'amount']],
  [{ amount: '10.1' }, [400, 3001, 'NO_LIQUIDITY', 'amount']],
  [{ amount: '0.0001' }, [400, 3001, 'BELOW_MINIMUM', 'amount']],
  [{ amount: '1.000001' }, [400, 3001, 'SCALE', 'amount']],
  [{ amount: '-1' }, [400, 3001, 'FORMAT', 'amount']],
  [{ volume: '100' }, [400, 3001, 'CONFLICT', 'volume']],
  [{ mode: 'VOLUME', volume: '100' }, [400, 3001, 'CONFLICT', 'amount']],
  [{ mode: 'VOLUME', amount: undefined }, [400, 3001, 'REQUIRED', 'volume']],
  [{ mode: 'VOLUME', volume: '10', amount: undefined }, [400, 3001, 'BELOW_MINIMUM', 'volume']],
  [{ mode: 'VOLUME', volume: '300000', amount: undefined }, [400, 3001, 'NO_LIQUIDITY', 'volume']],
  [{ mode: 'VOLUME', volume: '100.001', amount: undefined }, [400, 3001, 'SCALE', 'volume']],
  [
    {
      mode: 'VOLUME',
      volume: '100',
      amount: undefined,
      execution_type: 'LIMIT',
      price: '60000',
    },
    [400, 3001, 'CONFLICT', 'mode'],
  ],
  [{ execution_type: 'LIMIT' }, [400, 3001, 'REQUIRED', 'price']],
  [{ execution_type: 'LIMIT', price: '60000.05' }, [400, 3001, 'SCALE', 'price']],
  [{ execution_type: 'LIMIT', price: '0.1' }, [400, 3001, 'RANGE', 'price']],
  [
    { execution_type: 'LIMIT', price: '60000', stop_order_condition: 'STOP_LOSS' },
    [400, 3001, 'CONFLICT', 'stop_order_condition'],
  ],
  [
    { execution_type: 'LIMIT', price: '60000', tif_mode: 'GTD' },
    [400, 3001, 'REQUIRED', 'expires_at'],
  ],
  [
    { execution_type: 'LIMIT', price: '60000', tif_mode: 'GTD', expires_at: 1_700_000_000 },
    [400, 3001, 'RANGE', 'expires_at'],
  ],
  [
    { execution_type: 'LIMIT', price: '60000', tif_mode: 'GTD', expires_at: 'soon' },
    [400, 3001, 'FORMAT', 'expires_at'],
  ],
  [
    { execution_type: 'LIMIT', price: '60000', expires_at: 1_900_000_000 },
    [400, 3001, 'CONFLICT', 'expires_at'],
  ],
  [
    { execution_type: 'LIMIT', price: '60000', tif_mode: 'FOK' },
    [400, 3001, 'UNSUPPORTED_BY_VENUE', 'tif_mode'],
  ],
  [
    { execution_type: 'STOP_MARKET', price: '60000' },
    [400, 3001, 'REQUIRED', 'stop_order_condition'],
  ],
  [
    {
      execution_type: 'STOP_MARKET',
      price: '50000',
      stop_order_condition: 'STOP_LOSS',
      tif_mode: 'FOK',
    },
    [400, 3001, 'UNSUPPORTED_BY_VENUE', 'tif_mode'],
  ],
  [{ price: '60000' }, [400, 3001, 'CONFLICT', 'price']],
  [{ tif_mode: 'IOC' }, [400, 3001, 'CONFLICT', 'tif_mode']],
  [{ risk: '1' }, [400, 3001, 'RANGE', 'risk']],
  [{ side: 'HOLD' }, [400, 3001, 'ENUM', 'side']],
  [{ quote_id: 'x' }, [400, 3001, 'MALFORMED_ID', 'quote_id']],
]

describe('what cannot be executed', () => {
  let desk: ExecutionDesk
  before(async () => {
    desk = await ExecutionDesk.open()
  })
  after(() => desk.close())
  beforeEach(() => desk.reset())

  const sequences = () =>
    desk.world.database.db.query(
      sql`
        select booking_sequence, event_sequence
        from lanes
        where workspace = ${desk.world.workspace}`,
    )
  const setActive = (active: boolean) =>
    desk.world.database.db.query(
      sql`
        update price_stream_routes
        set active = ${active}
        where workspace = ${desk.world.workspace}`,
    )
  const refusal = (change: Record<string, unknown> = {}) =>
    desk.refused('/executions', desk.body(change))

  it('is refused by the table, and nothing changes', async () => {
    const poor = await desk.world.customer({}, { EUR: '100' })
    const ids = { ALICE: desk.alice.id, POOR: poor.id, NOBODY: newId(), NOTHING: newId() }
    const before = await sequences()
    for (const [change, expected] of REFUSALS) {
      const text = JSON.stringify(change, (_name, value: unknown) => value ?? null)
      const named = Object.entries(ids).reduce(
        (all, [name, id]) => all.replaceAll(`"${name}"`, `"${id}"`),
        text,
      )
      const fields = Object.entries(JSON.parse(named) as Record<string, unknown>).map(
        ([name, value]) => [name, value ?? undefined],
      )
      assert.deepEqual(await refusal(Object.fromEntries(fields)), expected, text)
    }
    assert.deepEqual(await sequences(), before)
    assert.equal(desk.world.exchange.sent.length, 0)
  })

  it('is refused while its price is far, old or switched off, and nothing changes', async () => {
    const before = await sequences()
    desk.world.exchange.feed().ticker({
      base_asset: 'BTC',
      quote_asset: 'EUR',
      bid: decimal('50000'),
      ask: decimal('50010'),
      last: decimal('50000'),
      volume_24h: 0n,
      change_24h: null,
      received_at: desk.world.clock.now(),
    })
    assert.deepEqual(await refusal(), [400, 3001, 'STALE_PRICE', 'route_id'])
    desk.world.clock.advance(60_001)
    assert.deepEqual(await refusal(), [400, 3001, 'STALE_PRICE', 'route_id'])
    await setActive(false)
    assert.deepEqual(await refusal(), [400, 3001, 'NOT_ACTIVE', 'route_id'])
    await setActive(true)
    assert.deepEqual(await sequences(), before)
    assert.equal(desk.world.exchange.sent.length, 0)
  })
})
