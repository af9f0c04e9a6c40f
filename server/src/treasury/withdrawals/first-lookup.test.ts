/** What was made before a start: its venue is asked before it is sent the first time. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { refusalOf } from '../../http/testing.ts'
import { putHalt } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { TransferOrder } from '../../venues/index.ts'
import { departure } from '../testing/venue.fixture.ts'
import type { Withdrawal } from './withdrawals.schema.ts'
import { openWithdrawals } from './withdrawals.testing.ts'

describe('a withdrawal that was made before this start', () => {
  let withdrawals: Awaited<ReturnType<typeof openWithdrawals>>
  before(async () => {
    withdrawals = await openWithdrawals()
  })
  after(async () => {
    assert.deepEqual(await withdrawals.place.verify(), [])
    await withdrawals.place.close()
  })

  /** Nothing is due until the next start. */
  const start = ({ isSetBack = false } = {}): void => {
    const { app, clock } = withdrawals.place
    clock.advance(1)
    const started_at = clock.now()
    app.history = {
      ...app.history,
      lookUpBefore: async () => started_at,
      setBackAt: async () => (isSetBack ? started_at : 0),
    }
  }
  const made = async (quantity: string): Promise<Withdrawal> => {
    const bob = await withdrawals.funded()
    const body = { account_id: bob.account_id, quantity }
    return (await withdrawals.request(withdrawals.routes.payout, body)).data
  }
  /** It was sent in the time that the database has lost. */
  const sentBefore = ({ external_id }: Withdrawal): Promise<unknown> =>
    withdrawals.models.vault.send({ external_id } as TransferOrder)

  it('is not sent again when the venue has it', async () => {
    const { models, place, read, sends } = withdrawals
    const lost = await made('0.11')
    await sentBefore(lost)
    start()
    await place.later(11_000)
    const found = await read(lost.id)
    assert.partialDeepStrictEqual(found, {
      state: 'PENDING',
      foreign_id: models.vault.accepted.get(lost.external_id)?.foreign_id,
      submitted_at: lost.system_created_at,
    })
    models.vault.finish(lost.external_id, {})
    await place.later(60_000)
    assert.deepEqual([(await read(lost.id)).state, sends(models.vault, lost)], ['SUCCESS', 1])
  })

  it('is sent once when the venue has nothing of it', async () => {
    const { models, place, read, sends } = withdrawals
    const waiting = await made('0.12')
    start()
    await place.later(1_000)
    assert.equal(sends(models.vault, waiting), 0)
    await place.later(10_000)
    assert.partialDeepStrictEqual(
      { ...(await read(waiting.id)), sends: sends(models.vault, waiting) },
      { state: 'PENDING', submitted_at: place.clock.now(), sends: 1 },
    )
    models.vault.finish(waiting.external_id, {})
    await place.later(60_000)
  })

  it('is UNKNOWN while the venue cannot say, and nothing is sent', async () => {
    const { models, place, read, sends } = withdrawals
    const doubtful = await made('0.13')
    start()
    models.vault.down = true
    await place.later(11_000)
    assert.partialDeepStrictEqual(await read(doubtful.id), {
      state: 'UNKNOWN',
      reason: 'down',
      submitted_at: doubtful.system_created_at,
    })
    assert.equal(sends(models.vault, doubtful), 0)
    models.vault.down = false
    await place.later(60_000)
    assert.equal(sends(models.vault, doubtful), 1)
    models.vault.finish(doubtful.external_id, {})
    await place.later(60_000)
  })

  for (const [isSetBack, state, count] of [
    [false, 'PENDING', 1],
    [true, 'UNKNOWN', 0],
  ] as const)
    it(`is ${state} when its venue has another key since, set back: ${isSetBack}`, async () => {
      const { models, place, read, sends } = withdrawals
      const waiting = await made('0.15')
      start({ isSetBack })
      await place.db.query(sql`
        update venues
        set config = jsonb_set(config, '{options, account_id}', '"another"')
        where id = ${place.vault.id}`)
      await place.later(20_000)
      assert.deepEqual(
        [(await read(waiting.id)).state, sends(models.vault, waiting)],
        [state, count],
      )
      await place.db.query(sql`
        update venues
        set config = config #- '{options, account_id}'
        where id = ${place.vault.id}`)
      start()
      if (isSetBack) await sentBefore(waiting)
      models.vault.finish(waiting.external_id, {})
      await place.later(60_000)
      assert.equal((await read(waiting.id)).state, 'SUCCESS')
    })

  it('is looked up under a halt too, and is canceled only then', async () => {
    const { models, place, read, sends } = withdrawals
    const halted = await made('0.14')
    const url = `/treasury/withdrawals/${halted.id}/cancel`
    const halt = (halted: boolean) =>
      place.db.tx((tx) =>
        putHalt(
          { workspace: place.workspace, by: 'test' },
          { tx, clock: place.clock },
          {
            action: 'WITHDRAWALS',
            halted,
            reason: 'a test',
          },
        ),
      )
    await halt(true)
    start()
    assert.equal(refusalOf(await place.call('POST', url, {})), '400 3001 STATE_NOT_ALLOWED ')
    await place.later(11_000)
    assert.partialDeepStrictEqual(await read(halted.id), {
      state: 'PENDING',
      submitted_at: null,
      reason_code: 'HALTED',
    })
    assert.equal((await place.call('POST', url, {})).status, 200)
    await halt(false)
    await place.later(60_000)
    assert.equal(sends(models.vault, halted), 0)
  })

  it('may be what a venue lists without references: no external one is made of that', async () => {
    const { place, models, read, routes, request } = withdrawals
    const { exchange } = models
    const asked = await request(routes.exchangeToVault, { quantity: '0.175' })
    start()
    exchange.down = true
    await place.leaves(place.exchange, departure('X-LOST', 'BTC', '0.175'))
    await place.later(20_000)
    const externals = await place.db.query(sql`
      select id
      from withdrawals
      where foreign_id = 'X-LOST'`)
    assert.deepEqual(externals, [])
    exchange.down = false
    const find = exchange.find.bind(exchange)
    exchange.find = async () => ({
      lookup: 'found',
      report: {
        foreign_id: 'X-LOST',
        state: 'SUCCESS',
        sub_state: 'Success',
        reason: null,
        transaction_hash: null,
        confirmations: null,
        fee: null,
        fee_asset: null,
      },
    })
    await place.later(60_000)
    Object.assign(exchange, { find })
    assert.partialDeepStrictEqual(await read(asked.data.id), {
      state: 'SUCCESS',
      foreign_id: 'X-LOST',
    })
    assert.equal(exchange.sends.length, 0)
  })
})
