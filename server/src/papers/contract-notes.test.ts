/** A contract note tells one customer what was bought or sold for them, and nothing of others. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { refusalOf, testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { ExecutionDesk } from '../trading/executions/executions.testing.ts'
import { tradingEndpoints } from '../trading/index.ts'
import { fillFor, report } from '../trading/testing/trading.fixture.ts'
import { withPapers } from './index.ts'
import { readPdf } from './papers.testing.ts'

describe('a contract note', () => {
  let desk: ExecutionDesk
  let api: TestServer
  before(async () => {
    desk = await ExecutionDesk.open()
    const { app, clock, database, workspace } = desk.world
    const { db } = database
    const all = ['trading.executions.read', 'customers.read']
    api = await testServer({
      db,
      clock,
      endpoints: withPapers({ db, clock }, tradingEndpoints(app)),
      authenticate: async (header) => ({
        workspace,
        user_id: newId(),
        session_id: newId(),
        permissions: new Set(header === 'Bearer no customers' ? all.slice(0, 1) : all),
      }),
    })
  })
  after(async () => {
    await api.close()
    await desk.close()
  })

  let trades = 0
  async function bought(more: object = {}): Promise<string> {
    const { id } = await desk.execute({ ...more })
    desk.world.exchange.sends = [
      () => ({
        outcome: 'accepted',
        report: report('FILLED', [
          fillFor(`T${(trades += 1)}`, '60000', '1'),
          fillFor(`T${(trades += 1)}`, '60100', '0.5'),
        ]),
      }),
    ]
    await desk.world.finish(id)
    return id
  }
  const pdf = { accept: 'application/pdf' }
  const asked = (path: string, token = 'all') =>
    api.call('GET', `/executions/${path}`, { token, headers: pdf })
  async function note(path: string): Promise<string[]> {
    const { headers, rawPayload } = await api.server.inject({
      method: 'GET',
      url: `/api/executions/${path}`,
      headers: { ...pdf, authorization: 'Bearer all' },
    })
    assert.equal(headers['content-type'], 'application/pdf', rawPayload.toString().slice(0, 500))
    return (await readPdf(rawPayload)).lines
  }

  it('has what, how many, at which price, and what it came to', async () => {
    await desk.reset()
    const id = await bought()
    const english = await note(`${id}?language=en`)
    for (const line of [
      'Contract note',
      'Order|Buy',
      'Type of order|Market',
      'Quantity|1.5 BTC',
      'Price of one|60,490.37 EUR',
      'Paid in all|90,735.56 EUR',
    ])
      assert.ok(english.includes(line), `${line} in\n${english.join('\n')}`)
    const german = await note(`${id}?language=de`)
    for (const line of ['Abrechnung', 'Auftrag|Kauf', 'Kurs|60.490,37 EUR'])
      assert.ok(german.includes(line), `${line} in\n${german.join('\n')}`)
  })

  it('tells of several customers each their own part', async () => {
    await desk.reset()
    const other = await desk.world.customer()
    const id = await bought({
      customers: [
        { customer_id: desk.alice.id, quantity_absolute: '1' },
        { customer_id: other.id },
      ],
    })
    assert.match(refusalOf(await asked(id)), /^400 3001 REQUIRED customer_id/)
    assert.equal((await asked(`${id}?customer_id=${newId()}`)).error_code, 4004)
    const own = await note(`${id}?language=en&customer_id=${other.id}`)
    assert.ok(own.includes('Quantity|0.5 BTC'), own.join('\n'))
  })

  it('is refused before anything was bought, and to who may not read customers', async () => {
    await desk.reset()
    const { id } = await desk.execute()
    assert.match(refusalOf(await asked(id)), /^400 3001 STATE_NOT_ALLOWED state/)
    assert.equal((await asked(id, 'no customers')).error_code, 1003)
  })
})
