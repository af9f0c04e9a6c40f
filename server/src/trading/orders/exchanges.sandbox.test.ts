import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { until } from '../../core/testing.ts'
import type { Customer } from '../../customers/index.ts'
import { startSandbox } from '../../venues/sandbox-process.testing.ts'
import type { SandboxProcess } from '../../venues/sandbox-process.testing.ts'
import { openAt } from '../../venues/exchange/exchange.fixture.ts'
import type { Venue } from '../../venues/index.ts'
import { cancelExecution } from '../executions/cancellation.ts'
import { executionById, readOrders } from '../executions/rows.ts'
import { createExecution } from '../executions/executions.ts'
import { assertAgreement, standAt } from '../testing/sandbox-exchange.testing.ts'
import { runWorker } from '../testing/worker-process.testing.ts'
import { advanceExecution } from './orders.ts'
import { createQuote } from '../quotes/quotes.ts'
import { watchStops } from '../executions/stops.ts'
import { openWorld, priced } from '../testing/trading.fixture.ts'
import type { World } from '../testing/trading.fixture.ts'
import type { Execution } from '../executions/executions.schema.ts'

const AGAIN_MILLISECONDS = 20_000
const LIFE_MILLISECONDS = 30_000
const PLACES = {
  kraken: { base_url: '/kraken', websocket_url: '/kraken/ws/v2' },
  bitstamp: { base_url: '/bitstamp/api', websocket_url: '/bitstamp/ws' },
  okx: { base_url: '/okx', websocket_url: '/okx/ws/v5' },
} as const

for (const name of ['kraken', 'bitstamp', 'okx'] as const) {
  describe(`all kinds of executions at a simulated ${name}`, () => {
    let sandbox: SandboxProcess
    let adapter: Venue
    let world: World
    let alice: Customer
    let bob: Customer

    before(async () => {
      sandbox = await startSandbox()
      const { base_url, websocket_url } = PLACES[name]
      adapter = await openAt(sandbox, {
        exchange: name,
        base_url: `${sandbox.url}${base_url}`,
        websocket_url: `${sandbox.url.replace('http', 'ws')}${websocket_url}`,
        listing_grace_ms: 3_000,
      })
      world = await openWorld(adapter)
      alice = await world.customer()
      bob = await world.customer({ margin: 'PREMIUM', booking_schema: 'SIMPLE' })
      await price('60000')
    })
    after(async () => {
      try {
        await world.close()
        await adapter.close()
      } finally {
        await sandbox.stop()
      }
    })

    const price = (value: string) => standAt({ sandbox, world }, name, value)
    const create = (more: Record<string, unknown>) =>
      priced(() =>
        createExecution(world.caller, world.app, {
          route_id: world.route.id,
          side: 'BUY',
          execution_type: 'LIMIT',
          customers: [{ customer_id: alice.id }],
          ...more,
        } as never),
      )
    const work = (id: string) => advanceExecution(world.app, world.workspace, id)
    const read = (id: string) => executionById(world.database.db, world.workspace, id)
    const orders = (id: string) => readOrders(world.database.db, world.workspace, id)
    async function finish(id: string): Promise<Execution> {
      return until('the execution ends', async () => (await work(id)) === 'done' && read(id))
    }
    const agree = (test: () => Promise<Execution[]>) => assertAgreement({ adapter, world }, test)

    it('LIMIT rests until the market comes, never dearer than its price', () =>
      agree(async () => {
        const { id } = await create({ amount: '0.05', price: '59500' })
        await work(id)
        await until('it rests', async () => {
          await work(id)
          return (await orders(id))[0]?.state === 'NEW'
        })
        await price('58800')
        const done = await finish(id)
        await price('60000')
        assert.deepEqual([done.state, done.filled_amount], ['DONE', '0.05'])
        assert.ok(decimal(done.customers[0]?.filled_volume ?? '0') <= decimal('2975'))
        return [done]
      }))

    it('LIMIT is canceled, or ends at its time', () =>
      agree(async () => {
        const canceled = await create({ amount: '0.05', price: '55000' })
        await work(canceled.id)
        assert.equal(
          (await cancelExecution(world.caller, world.app, canceled.id)).state,
          'CANCELING',
        )
        const dated = await create({
          amount: '0.05',
          price: '55000',
          tif_mode: 'GTD',
          expires_at: world.clock.now() + LIFE_MILLISECONDS,
        })
        await work(dated.id)
        const ends = [await finish(canceled.id)]
        world.clock.advance(LIFE_MILLISECONDS)
        ends.push(await finish(dated.id))
        world.clock.advance(-LIFE_MILLISECONDS)
        assert.deepEqual(
          ends.map((end) => [end.state, end.filled_amount]),
          [
            ['CANCELED', '0'],
            ['EXPIRED', '0'],
          ],
        )
        return ends
      }))

    it('IOC takes what there is; FOK all or nothing, where the venue has it', () =>
      agree(async () => {
        const ioc = await finish(
          (await create({ amount: '0.05', price: '61000', tif_mode: 'IOC' })).id,
        )
        assert.deepEqual([ioc.state, ioc.filled_amount], ['DONE', '0.05'])
        const fok = () => create({ amount: '0.05', price: '59000', tif_mode: 'FOK' })
        if (name === 'kraken') {
          await assert.rejects(
            fok,
            (error) =>
              error instanceof ApiError && error.details[0]?.code === 'UNSUPPORTED_BY_VENUE',
          )
          return [ioc]
        }
        const none = await finish((await fok()).id)
        assert.deepEqual([none.state, none.filled_amount], ['CANCELED', '0'])
        return [ioc, none]
      }))

    it('STOP_LOSS and TAKE_PROFIT wait for the market', () =>
      agree(async () => {
        const stop = (side: string, stop_order_condition: string, trigger: string) =>
          create({
            execution_type: 'STOP_MARKET',
            amount: '0.02',
            side,
            stop_order_condition,
            price: trigger,
          })
        const low = [
          await stop('SELL', 'STOP_LOSS', '59600'),
          await stop('BUY', 'TAKE_PROFIT', '59600'),
        ]
        const high = [
          await stop('BUY', 'STOP_LOSS', '60400'),
          await stop('SELL', 'TAKE_PROFIT', '60400'),
        ]
        // By a price that has grown old nothing is triggered: the next one comes.
        const triggered = (stops: readonly Execution[]) =>
          until('the trigger', async () => {
            await watchStops(world.app, world.workspace)
            return (await Promise.all(stops.map(({ id }) => read(id)))).every(
              ({ state }) => state !== 'WAITING_FOR_TRIGGER',
            )
          })
        const states = async () =>
          Promise.all([...low, ...high].map(async ({ id }) => (await read(id)).state))
        await watchStops(world.app, world.workspace)
        assert.deepEqual(await states(), [
          'WAITING_FOR_TRIGGER',
          'WAITING_FOR_TRIGGER',
          'WAITING_FOR_TRIGGER',
          'WAITING_FOR_TRIGGER',
        ])
        await price('59500')
        await triggered(low)
        assert.deepEqual(await states(), [
          'PROCESSING',
          'PROCESSING',
          'WAITING_FOR_TRIGGER',
          'WAITING_FOR_TRIGGER',
        ])
        const ends = [await finish(low[0]?.id ?? ''), await finish(low[1]?.id ?? '')]
        await price('60500')
        await triggered(high)
        ends.push(await finish(high[0]?.id ?? ''), await finish(high[1]?.id ?? ''))
        await price('60000')
        assert.deepEqual(
          ends.map((end) => [end.state, end.filled_amount]),
          Array.from({ length: 4 }, () => ['DONE', '0.02']),
        )
        return ends
      }))

    it('a firm price is kept without a connection; what has not left may be canceled', () =>
      agree(async () => {
        const quoted = () =>
          createQuote(world.caller, world.app, {
            route_id: world.route.id,
            customer_id: alice.id,
            request_asset: 'BTC',
            request_quantity: '0.05',
            risk_duration_ms: 60_000,
          })
        const quote = await priced(quoted)
        const firm = await create({ execution_type: 'MARKET', amount: '0.05', quote_id: quote.id })
        const unwanted = await create({ amount: '0.05', price: '55000' })
        await sandbox.kill()
        await until('no connection is left', async () =>
          adapter.balances().then(
            () => undefined,
            () => true,
          ),
        )
        for (const { id } of [firm, unwanted]) assert.notEqual(await work(id), 'done')
        assert.equal(
          (await cancelExecution(world.caller, world.app, unwanted.id)).state,
          'CANCELING',
        )
        const canceled = await finish(unwanted.id)
        assert.deepEqual([canceled.state, (await read(firm.id)).state], ['CANCELED', 'PROCESSING'])
        await sandbox.restart()
        await price('60000')
        const done = await finish(firm.id)
        assert.deepEqual([done.state, done.customers[0]?.filled_volume], ['DONE', quote.buy.volume])
        await until('there are prices again', () => quoted().catch(() => undefined))
        return [done, canceled]
      }))

    it('volumes and splits, both ways', () =>
      agree(async () => {
        const ends: Execution[] = []
        for (const side of ['BUY', 'SELL']) {
          const { id } = await create({
            execution_type: 'MARKET',
            side,
            mode: 'VOLUME',
            volume: '3000',
            customers: [
              { customer_id: alice.id },
              { customer_id: bob.id, quantity_absolute: '1000' },
            ],
          })
          const done = await finish(id)
          assert.deepEqual(
            [done.state, done.customers.map((customer) => customer.filled_volume)],
            ['DONE', ['2000', '1000']],
          )
          const shared = await create({
            execution_type: 'MARKET',
            side,
            amount: '0.03',
            customers: [
              { customer_id: alice.id, quantity_absolute: '0.01234' },
              { customer_id: bob.id },
            ],
          })
          const split = await finish(shared.id)
          assert.deepEqual(
            [split.state, split.customers.map((customer) => customer.filled_amount)],
            ['DONE', ['0.01234', '0.01766']],
          )
          ends.push(done, split)
        }
        return ends
      }))

    // The processes that are killed here know Kraken.
    if (name !== 'kraken') return
    describe('killed at any point, another process ends it', () => {
      for (const point of ['cancel_intent.after', 'cancel.after']) {
        it(`execution.${point}`, () =>
          agree(async () => {
            const { id } = await create({ amount: '0.05', price: '55000' })
            await work(id)
            await cancelExecution(world.caller, world.app, id)
            assert.equal(
              await runWorker({ sandbox, world }, id, { failpoint: `execution.${point}` }),
              'SIGKILL',
            )
            assert.equal(
              await runWorker({ sandbox, world }, id, { ahead_ms: AGAIN_MILLISECONDS }),
              0,
            )
            const done = await read(id)
            assert.deepEqual([done.state, done.filled_amount], ['CANCELED', '0'])
            return [done]
          }))
      }
      for (const point of ['trigger.after']) {
        it(`execution.${point}`, () =>
          agree(async () => {
            const { id } = await create({
              execution_type: 'STOP_MARKET',
              stop_order_condition: 'STOP_LOSS',
              side: 'SELL',
              amount: '0.02',
              price: '59600',
            })
            await price('59500')
            assert.equal(
              await runWorker({ sandbox, world }, id, {
                failpoint: `execution.${point}`,
                watch: true,
              }),
              'SIGKILL',
            )
            assert.equal(await runWorker({ sandbox, world }, id, { watch: true }), 0)
            const done = await finish(id)
            await price('60000')
            assert.deepEqual([done.state, done.filled_amount], ['DONE', '0.02'])
            assert.equal((await orders(id)).length, 1)
            return [done]
          }))
      }
    })
  })
}
