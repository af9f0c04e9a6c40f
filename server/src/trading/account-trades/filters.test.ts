import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import type { Execution } from '../executions/executions.schema.ts'
import { outsideTrade, TradeDesk } from './account-trades.testing.ts'

describe('executions and trades are filtered by', () => {
  let desk: TradeDesk
  /** Of a customer, the later one first. */
  let executions: Execution[]
  let customer_id: string

  before(async () => {
    desk = await TradeDesk.open()
    const { world, api } = desk
    customer_id = (await world.customer()).id
    const execute = async (amount: string): Promise<Execution> => {
      desk.exchange.sendPrices()
      const { data, text } = await api.call<Execution>('POST', '/executions', {
        body: {
          route_id: world.route.id,
          amount,
          side: 'BUY',
          execution_type: 'MARKET',
          customers: [{ customer_id }],
        },
      })
      assert.ok(data !== undefined, text)
      await world.finish(data.id)
      world.clock.advance(1000)
      return data
    }
    const [small, large] = [await execute('0.1'), await execute('0.5')]
    executions = [large, small]
    desk.exchange.trades = [outsideTrade({ quantity: decimal('0.5') })]
    await desk.observe()
  })
  after(() => desk.close())

  const amounts = async (query: string) =>
    (await desk.api.call<Execution[]>('GET', `/executions?${query}`)).data.map(
      ({ amount }) => amount,
    )
  const quantities = async (query: string) =>
    (await desk.fills(`?${query}`)).map(({ quantity }) => quantity).toSorted()

  it('either asset, and nothing comes twice', async () => {
    assert.deepEqual(await amounts('asset=btc'), ['0.5', '0.1'])
    assert.deepEqual(await amounts('asset=EUR'), ['0.5', '0.1'])
    assert.deepEqual(await amounts('asset=EUR,BTC'), ['0.5', '0.1'])
    assert.deepEqual(await amounts('asset=ETH'), [])
    assert.deepEqual(await quantities('asset=BTC,EUR'), ['0.1', '0.5', '0.5'])
    assert.deepEqual(await quantities('asset=EUR'), ['0.1', '0.5', '0.5'])
    assert.deepEqual(await quantities('asset=ETH'), [])
  })

  it('the amount, both ends included', async () => {
    assert.deepEqual(await amounts('amount_from=0.5&amount_to=0.50'), ['0.5'])
    assert.deepEqual(await amounts('amount_to=0.49'), ['0.1'])
    assert.deepEqual(await amounts('amount_from=0.1&asset=EUR'), ['0.5', '0.1'])
    assert.deepEqual(await quantities('quantity_from=0.2'), ['0.5', '0.5'])
    assert.deepEqual(await quantities('quantity_from=0.1&quantity_to=0.1&asset=BTC'), ['0.1'])
  })

  it('the customer, whose trades outside ones are not', async () => {
    const mine = `customer_id=${customer_id}`
    assert.deepEqual(await amounts(`${mine}&asset=EUR&amount_from=0.2`), ['0.5'])
    assert.deepEqual(await amounts(`${mine}&asset=ETH`), [])
    assert.deepEqual(await quantities(mine), ['0.1', '0.5'])
    assert.deepEqual(await quantities(`${mine}&asset=BTC&quantity_to=0.2`), ['0.1'])
    assert.deepEqual(await quantities(`customer_id=${newId()}`), [])
  })

  it('all of them page by page, and their sums follow', async () => {
    const [large] = executions
    const mine = `/executions?customer_id=${customer_id}&asset=BTC&limit=1`
    const first = await desk.api.call<Execution[]>('GET', mine)
    const second = await desk.api.call<Execution[]>('GET', `${mine}&cursor=${large?.id}`)
    assert.deepEqual(
      [...first.data, ...second.data].map(({ id }) => id),
      executions.map(({ id }) => id),
    )
    const sums = await desk.api.call('GET', '/executions/totals?asset=EUR&amount_from=0.2')
    assert.partialDeepStrictEqual(sums.data, { rows: 1, totals: [{ amount: '0.5' }] })
    const of = `/toms/${desk.service_id}/fills/totals?asset=BTC&customer_id=${customer_id}`
    assert.partialDeepStrictEqual((await desk.api.call('GET', of)).data, { rows: 2 })
  })

  it('the venue, and without it those of all are one list', async () => {
    const all = async (query: string) =>
      (await desk.api.call<{ quantity: string }[]>('GET', `/toms/fills?${query}`)).data.map(
        ({ quantity }) => quantity,
      )
    const { world } = desk
    const other = newId()
    await world.app.db.query(sql`
      insert into venues (
        workspace, id, key, label, kind, settlement, state, config, system_created_at,
        system_updated_at
      )
      select workspace, ${other}, 'other', label, kind, settlement, state, config, 0, 0
      from venues
      where id = ${desk.venue.id}`)
    await world.app.db.query(sql`
      insert into services (
        workspace, id, venue_id, type, state, system_created_at, system_updated_at
      )
      select workspace, ${newId()}, ${other}, type, state, 0, 0
      from services
      where id = ${desk.service_id}`)
    for (const query of ['', 'asset=EUR', 'asset=BTC,EUR&quantity_to=1', 'quantity_from=0.1'])
      assert.deepEqual((await all(query)).toSorted(), ['0.1', '0.5', '0.5'], query)
    assert.deepEqual(await all(`venue_id=${newId()}`), [])
    const totals = await desk.api.call('GET', '/toms/fills/totals?quantity_from=0.2')
    assert.partialDeepStrictEqual(totals.data, { rows: 2 })
  })
})
