import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from '../../store/sql.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import { ExecutionDesk } from './executions.testing.ts'
import type { ExecutionQuality } from './quality.schema.ts'

describe('the report on execution quality', () => {
  let desk: ExecutionDesk
  before(async () => {
    desk = await ExecutionDesk.open()
  })
  after(() => desk.close())
  beforeEach(() => desk.reset())

  const rows = async (more = '') =>
    (
      await desk.api.call<ExecutionQuality[]>(
        'GET',
        `/executions/quality?customer_id=${desk.alice.id}${more}`,
      )
    ).data
  const bought = async (fields: Record<string, unknown> = {}) => {
    const { id } = await desk.execute(fields)
    desk.world.exchange.sends = [
      () => ({
        outcome: 'accepted',
        report: report('FILLED', [
          { ...fillFor(`${id} 1`, '60000', '1'), executed_at: desk.world.clock.now() + 40 },
          {
            ...fillFor(`${id} 2`, '60100', '0.5', { fee: '0.001', fee_asset: 'BTC' }),
            executed_at: desk.world.clock.now() + 90,
          },
        ]),
      }),
    ]
    await desk.world.finish(id)
    return id
  }

  it('shows price, reference, times, venue and fees of what was filled', async () => {
    const id = await bought({ client_ref: 'quality' })
    const [row] = await rows()
    assert.ok(row?.last_fill_at && row.sent_at && row.first_fill_at)
    assert.partialDeepStrictEqual(row, {
      id,
      client_ref: 'quality',
      state: 'DONE',
      amount: '1.5',
      filled_amount: '1.5',
      reference_price: '60000',
      reference_at: row.received_at,
      average_price: '60033.33333334',
      slippage: '0.00055556',
      milliseconds_to_send: row.sent_at - row.received_at,
      milliseconds_to_fill: row.last_fill_at - row.received_at,
      best_execution: null,
      route: desk.world.route.label,
      hops: [
        {
          hop_no: 1,
          venue_id: desk.world.venue_id,
          symbol: 'BTC/EUR',
          side: 'BUY',
          first_fill_at: row.first_fill_at,
          last_fill_at: row.last_fill_at,
          filled_quantity: '1.5',
          filled_volume: '90050',
          fees: [
            { asset: 'BTC', quantity: '0.001' },
            { asset: 'EUR', quantity: '156' },
          ],
        },
      ],
    })
    assert.equal(row.last_fill_at - row.first_fill_at, 50)
    assert.ok(row.sent_at >= row.received_at)
    assert.deepEqual(await rows(`&created_at_to=${row.received_at}`), [])
  })

  it('leaves out a trade that the venue took back', async () => {
    const id = await bought()
    await desk.world.database.db.query(sql`
      update fills
      set busted = true
      where execution_id = ${id}
        and fee_asset = 'BTC'`)
    const [row] = await rows()
    assert.partialDeepStrictEqual(row?.hops, [
      { filled_quantity: '1', fees: [{ asset: 'EUR', quantity: '156' }] },
    ])
    assert.equal(row?.first_fill_at, row?.last_fill_at)
  })

  it('has no reference where none was read, and nothing filled before a fill', async () => {
    const quote = await desk.quote()
    const { id } = await desk.execute({ quote_id: quote.id })
    const stop = await desk.execute({
      execution_type: 'STOP_MARKET',
      stop_order_condition: 'STOP_LOSS',
      price: '70000',
      amount: '0.1',
    })
    const nothing = { reference_price: null, reference_at: null, milliseconds_to_fill: null }
    assert.partialDeepStrictEqual(await rows(), [
      { id: stop.id, ...nothing, hops: [] },
      { id, ...nothing },
    ])
  })

  it('shows what the other routes would have given, also as CSV', async () => {
    const id = await bought({ route_id: undefined, symbol: 'BTC/EUR' })
    const [row] = await rows()
    assert.equal(row?.best_execution?.chosen, desk.world.route.id)
    const { text } = await desk.api.call(
      'GET',
      `/executions/quality?customer_id=${desk.alice.id}`,
      { headers: { accept: 'text/csv' } },
    )
    const [head, line] = text.split('\r\n')
    assert.match(head ?? '', /^id,received_at,.*,reference_price,reference_at,average_price,/)
    assert.ok(line?.startsWith(`${id},`) && line.includes(',60000,'))
  })
})
