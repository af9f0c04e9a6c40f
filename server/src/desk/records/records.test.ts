/** Orders and transactions in the fields of the Annex of Delegated Regulation (EU) 2025/1140. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { page } from '../../http/index.ts'
import { testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import type { Reader } from '../../store/db.ts'
import { openPlannedReads } from '../../store/planned-reads.testing.ts'
import { ExecutionDesk } from '../../trading/executions/executions.testing.ts'
import { fillFor, report } from '../../trading/testing/trading.fixture.ts'
import { decimalOf } from './fields.ts'
import type { Field } from './fields.ts'
import { ORDER_FIELDS } from './order-fields.ts'
import { recordsEndpoints } from './records.http.ts'
import type { OrderEntry, TransactionEntry } from './records.schema.ts'
import { orderRecords, transactionRecords } from './records.ts'
import { TRANSACTION_FIELDS } from './transaction-fields.ts'

const filled = (entry: object) =>
  Object.fromEntries(Object.entries(entry).filter(([key, value]) => /^f\d/.test(key) && value))

describe('the records of orders and transactions', () => {
  let desk: ExecutionDesk
  let api: TestServer
  before(async () => {
    desk = await ExecutionDesk.open()
    const { clock, database, workspace } = desk.world
    const { db } = database
    api = await testServer({
      db,
      clock,
      endpoints: recordsEndpoints({ db }),
      authenticate: async () => ({
        workspace,
        user_id: newId(),
        session_id: newId(),
        permissions: new Set(['records.read']),
      }),
    })
    await desk.reset()
  })
  after(async () => {
    await api.close()
    await desk.close()
  })

  const orders = async (query = '') =>
    (await api.call<OrderEntry[]>('GET', `/records/orders?${query}`)).data
  const transactions = async (query = '') =>
    (await api.call<TransactionEntry[]>('GET', `/records/transactions?${query}`)).data
  const sends = (...fills: ReturnType<typeof fillFor>[]) => {
    desk.world.exchange.sends = [() => ({ outcome: 'accepted', report: report('FILLED', fills) })]
  }

  it('has each order and each trade once, and fills what Kontor knows', async () => {
    const { world, alice } = desk
    const { id } = await desk.execute({ amount: '1' })
    sends(fillFor('T1', '60000', '1'))
    await world.finish(id)
    const time = new Date(world.clock.now()).toISOString().slice(0, 10)
    const [order, ...moreOrders] = await orders()
    assert.deepEqual(moreOrders, [])
    assert.deepEqual([order?.execution_id, order?.customer_id], [id, alice.id])
    assert.ok(order)
    const { f05_date_time, ...fields } = filled(order)
    assert.match(f05_date_time, new RegExp(`^${time}T\\d\\d:\\d\\d:\\d\\d\\.\\d{3}000Z$`))
    assert.deepEqual(fields, {
      f12_order_identification_code: 'OABC',
      f13_event: 'NEWO',
      f14_order_type: 'MARKET',
      f15_order_type_classification: 'LMTO',
      f16_limit_price: 'NOAP',
      f17_additional_limit_price: 'NOAP',
      f18_stop_price: 'NOAP',
      f19_pegged_limit_price: 'NOAP',
      f20_transaction_price: '60000',
      f21_price_currency: 'EUR',
      f22_price_notation: 'MONE',
      f23_buy_sell_indicator: 'BUYI',
      f24_order_status: 'INAC',
      f25_quantity_notation: 'UNIT',
      f27_initial_quantity: '1',
      f28_remaining_quantity: '0',
      f29_traded_quantity: '1',
      f30_minimum_acceptable_quantity: 'NOAP',
      f33_passive_only: 'false',
      f34_passive_or_aggressive: 'AGRE',
      f36_platform_transaction_code: 'T1',
    })
    const [trade, ...moreTrades] = await transactions()
    assert.deepEqual(moreTrades, [])
    assert.ok(trade)
    assert.deepEqual(filled(trade), {
      f01_transaction_status: 'NEWT',
      f02_transaction_record_number: trade.fill_id.replaceAll('-', ''),
      f03_platform_transaction_code: 'T1',
      f08_buyer_first_names: 'Alice',
      f09_buyer_surnames: 'A',
      f27_trading_date_time: '2027-01-15T08:00:00.000000Z',
      f29_quantity: '1',
      f31_price: '60000',
      f32_price_currency: 'EUR',
      f39_crypto_asset_full_name: 'BTC',
    })
  })

  it('says of a sale by two, a limit and a stop what each customer asked for', async () => {
    const { world, alice } = desk
    world.clock.advance(1_000)
    const since = world.clock.now()
    const from = `from=${since}`
    const bob = await world.customer()
    const customers = [
      { customer_id: alice.id, quantity_absolute: '30000' },
      { customer_id: bob.id },
    ]
    const more = { side: 'SELL', mode: 'VOLUME', volume: '60000', amount: undefined }
    const sold = await desk.execute({ ...more, customers })
    sends(fillFor('T2', '60000', '1'), fillFor('T3', '60000', '0.01'))
    await world.finish(sold.id)
    const expires_at = since + 3_600_000
    const limit = { execution_type: 'LIMIT', price: '50000', tif_mode: 'GTD', expires_at }
    // Rows of one millisecond stand in no order.
    world.clock.advance(1)
    await desk.execute({ ...limit, amount: '1' })
    world.clock.advance(1)
    const stop = { execution_type: 'STOP_MARKET', price: '70000' }
    await desk.execute({ ...stop, amount: '1', stop_order_condition: 'STOP_LOSS' })
    const rows = await orders(from)
    assert.deepEqual(
      rows.map((row) => [
        row['f15_order_type_classification'],
        row['f06_validity_period'],
        row['f08_validity_period_and_time'],
        row['f16_limit_price'],
        row['f18_stop_price'],
        row['f23_buy_sell_indicator'],
        row['f24_order_status'],
        row['f25_quantity_notation'],
        row['f26_quantity_currency'],
        row['f27_initial_quantity'],
      ]),
      [
        ['LMTO', null, null, 'NOAP', 'NOAP', 'SELL', 'INAC', 'MONE', 'EUR', '30000'],
        ['LMTO', null, null, 'NOAP', 'NOAP', 'SELL', 'INAC', 'MONE', 'EUR', '30000'],
        [
          'LMTO',
          'GTSV',
          new Date(expires_at).toISOString().replace('Z', '000Z'),
          '50000',
          'NOAP',
          'BUYI',
          'ACTI',
          'UNIT',
          null,
          '1',
        ],
        ['STOP', 'GTCV', null, 'NOAP', '70000', 'BUYI', 'INAC', 'UNIT', null, '1'],
      ],
    )
    assert.deepEqual(
      rows.map((row) => row['f36_platform_transaction_code']),
      [null, null, null, null],
      'two trades have no one code',
    )
    assert.deepEqual(await orders(`to=${since}&from=${since - 1}`), [])
    // What one trade brought to each of two is not known, so neither is named.
    const trades = (await transactions()).filter((row) => row.execution_id === sold.id)
    assert.deepEqual(
      trades.map((row) => [row['f03_platform_transaction_code'], row['f18_seller_surnames']]),
      [
        ['T2', null],
        ['T3', null],
      ],
    )
  })

  it('refuses a period that ends where it begins', async () => {
    const { error_details } = await api.call(
      'GET',
      '/records/transactions?to=1790000000000&from=1790000000000',
    )
    assert.equal(error_details?.[0]?.code, 'RANGE')
  })

  it('is a file too, with the number of each field in its head', async () => {
    const { rawPayload } = await api.server.inject({
      method: 'GET',
      url: '/api/records/transactions',
      headers: { accept: 'text/csv', authorization: 'Bearer all' },
    })
    const [head = '', first = ''] = rawPayload.toString().split('\r\n')
    assert.match(head, /fill_id.*f01_transaction_status.*f45_short_selling/)
    assert.match(first, /NEWT/)
  })
})

describe('the fields of the Annex', () => {
  const numbersOf = (fields: readonly Field<never>[]) => fields.length

  it('are all there, and docs/records.md says why one is empty', async () => {
    assert.deepEqual([numbersOf(ORDER_FIELDS), numbersOf(TRANSACTION_FIELDS)], [41, 45])
    const docs = await readFile(new URL('../../../../docs/records.md', import.meta.url), 'utf8')
    const rows = docs.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
    const check = (table: string, fields: readonly Field<never>[]) => {
      for (const [index, [, name, what]] of fields.entries()) {
        const row = rows.find((cells) => cells[1] === table && cells[2] === String(index + 1))
        const says = typeof what === 'string' ? what : undefined
        assert.equal(row?.[4], says, `${table}, field ${index + 1} ${name}`)
      }
    }
    check('2', ORDER_FIELDS as readonly Field<never>[])
    check('3', TRANSACTION_FIELDS as readonly Field<never>[])
  })

  it('rounds to the digits that a field has', () => {
    assert.equal(decimalOf('0.123456789012345678', 17), '0.12345678901234568')
    assert.equal(decimalOf('123456789012.3456789', 13), '123456789012.345679')
    assert.equal(decimalOf('10.000005', 5), '10')
  })
})

describe('plans of the records', () => {
  it('read as much for a period, however much was traded', async () => {
    const reads = await openPlannedReads()
    const { owner } = reads
    const workspace = newId<never>()
    await owner.query('set session_replication_role = replica')
    await owner.query(
      `insert into assets (workspace, code, label, kind, scale)
       values ($1, 'BTC', 'Bitcoin', 'CRYPTO', 8), ($1, 'EUR', 'Euro', 'FIAT', 2)`,
      [workspace],
    )
    const trade = async (from: number, to: number) => {
      for (const part of [EXECUTIONS, SHARES, FILLS]) await owner.query(part, [workspace, from, to])
      await owner.query('vacuum analyze')
    }
    const period = { from: 500_000, to: 600_000 }
    const rows = (name: string, list: typeof orderRecords | typeof transactionRecords) =>
      reads.rowsRead(name, async (reader: Reader) => {
        const { items } = await page(
          reader,
          await (list as typeof orderRecords)({ reader, workspace }, period),
          20,
          undefined,
        )
        assert.equal(items.length, 20)
      })
    await trade(1, 1_000)
    const [orders, trades] = [
      await rows('orders', orderRecords),
      await rows('transactions', transactionRecords),
    ]
    await trade(1_001, 10_000)
    const [later, laterTrades] = [
      await rows('orders', orderRecords),
      await rows('transactions', transactionRecords),
    ]
    assert.ok(later <= orders + 20, `${later} after ${orders}`)
    assert.ok(laterTrades <= trades + 20, `${laterTrades} after ${trades}`)
    await reads.close()
  })
})

/** One a second, of one customer. */
const EXECUTIONS = `
  insert into executions (
    workspace, id, state, internal_ref, route_id, symbol, base_asset, quote_asset, side,
    execution_type, mode, amount, firm, taker_fee, system_created_at, system_updated_at
  )
  select $1, first_id_at(n * 1000), 'DONE', n::text, gen_random_uuid(), 'BTC/EUR', 'BTC', 'EUR',
    'BUY', 'MARKET', 'AMOUNT', 1, false, 0, n * 1000, n * 1000
  from generate_series($2::int, $3::int) n`
const SHARES = `
  insert into execution_customers (
    workspace, execution_id, customer_no, customer_id, account_id, booking_schema, hold_id, amount,
    margin, risk
  )
  select $1, first_id_at(n * 1000), 1, gen_random_uuid(), gen_random_uuid(), 'ADVANCED',
    gen_random_uuid(), 1, 0, 0
  from generate_series($2::int, $3::int) n`
const FILLS = `
  insert into fills (
    workspace, id, execution_id, order_id, hop_no, service_id, venue_id, symbol, base_asset,
    quote_asset, side, price, quantity, volume, fee, fee_asset, liquidity, foreign_id, executed_at,
    settlement_state, system_created_at, system_updated_at
  )
  select $1, gen_random_uuid(), first_id_at(n * 1000), gen_random_uuid(), 1, gen_random_uuid(),
    gen_random_uuid(), 'BTC/EUR', 'BTC', 'EUR', 'BUY', 1, 1, 1, 0, 'EUR', 'TAKER', n::text,
    n * 1000, 'SETTLED', 0, 0
  from generate_series($2::int, $3::int) n`
