/** What people do with records that were set aside: they try them again, or dismiss them. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { Change } from '../../ledger/index.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { departure, IBAN, movement, OPENED_AT } from '../testing/venue.fixture.ts'
import { credit, openSetAside, unread } from './set-aside.testing.ts'

describe('a record that was set aside', () => {
  let desk: Awaited<ReturnType<typeof openSetAside>>
  beforeEach(async () => {
    desk = await openSetAside()
  })
  afterEach(() => desk.close())

  describe('tried again', () => {
    const understood = async () => ({ incoming: [credit('a', '12')], outgoing: [] })

    it('is refused with a precise reason where one record alone cannot be read', async () => {
      const { id } = await desk.setAside()
      const { status, error_details } = await desk.act(id, 'retry')
      assert.deepEqual([status, error_details?.[0]?.code], [400, 'UNSUPPORTED_BY_VENUE'])
      assert.match(error_details?.[0]?.message ?? '', /cannot read one record alone/)
    })

    it('waits on with the reason of now while it is not understood', async () => {
      const { id } = await desk.setAside()
      desk.bank.reread = async () => ({ still: 'the date cannot be read' })
      const { status, data } = await desk.act(id, 'retry')
      assert.deepEqual([status, data.state, data.reason], [200, 'OPEN', 'the date cannot be read'])
      assert.equal(data.retried_at, desk.place.clock.now())
    })

    it('is booked once, also when two people try at once', async () => {
      const { id } = await desk.setAside()
      desk.bank.reread = understood
      const answers = await Promise.all([
        desk.act(id, 'retry'),
        desk.act(id, 'retry'),
        desk.act(id, 'retry'),
      ])
      assert.ok(answers.some(({ status, data }) => status === 200 && data.state === 'RESOLVED'))
      await desk.place.work()
      assert.deepEqual([await desk.deposits(), (await desk.item(id)).state], [['a'], 'RESOLVED'])
      assert.deepEqual(await desk.events(), ['set_aside_item.opened', 'set_aside_item.resolved'])
      const late = await desk.act(id, 'retry')
      assert.deepEqual([late.status, late.error_details?.[0]?.code], [400, 'STATE_NOT_ALLOWED'])
      assert.equal((await desk.act(id, 'dismiss', { note: 'late' })).status, 400)
    })

    it('books every movement of the record, under ids of their own', async () => {
      const { id } = await desk.setAside(unread('batch', { direction: null }))
      desk.bank.reread = async () => ({
        incoming: [credit('batch/1'), credit('batch/2')],
        outgoing: [departure('batch/3', 'EUR', '5', { wallet: IBAN })],
      })
      assert.equal((await desk.act(id, 'retry')).data.state, 'RESOLVED')
      assert.deepEqual(await desk.deposits(), ['batch/1', 'batch/2'])
      assert.equal((await desk.external('batch/3')).quantity, '5')
    })

    it('is resolved by the person who tried it again, whatever it moved', async () => {
      const arrived = await desk.setAside(unread('a'))
      desk.bank.reread = understood
      await desk.act(arrived.id, 'retry')
      const raw = JSON.stringify({ entry: 'b' })
      desk.bank.unread = [unread('b', { direction: 'OUT', raw })]
      await desk.read()
      desk.bank.unread = []
      const left = (await desk.items('?state=OPEN'))[0]
      assert.ok(left)
      desk.bank.reread = async () => ({
        incoming: [],
        outgoing: [departure('b', 'EUR', '5', { wallet: IBAN })],
      })
      await desk.act(left.id, 'retry')
      for (const { id } of [arrived, left]) {
        const { state, closed_by } = await desk.item(id)
        assert.deepEqual(
          { state, closed_by },
          { state: 'RESOLVED', closed_by: desk.place.principal.user_id },
        )
      }
    })

    it('repeats nothing of what left when its end could not be stored', async (t) => {
      const { id } = await desk.setAside(unread('batch', { direction: null }))
      desk.bank.reread = async () => ({
        incoming: [credit('batch/1')],
        outgoing: [departure('batch/2', 'EUR', '5', { wallet: IBAN })],
      })
      const { lane } = desk.place.app
      const commit = lane.commit.bind(lane)
      const broken = t.mock.method(lane, 'commit', async (change: Change) => {
        if (change.guards?.some((guard) => guard.id === id)) throw new Error('connection lost')
        return commit(change)
      })
      assert.equal((await desk.act(id, 'retry')).status, 500)
      broken.mock.restore()
      const left = async () =>
        (await desk.place.call<unknown[]>('GET', '/treasury/withdrawals')).data
      assert.deepEqual(
        {
          left: (await left()).length,
          arrived: await desk.deposits(),
          state: (await desk.item(id)).state,
        },
        { left: 1, arrived: [], state: 'OPEN' },
      )
      assert.equal((await desk.act(id, 'retry')).data.state, 'RESOLVED')
      assert.deepEqual(
        { left: (await left()).length, arrived: await desk.deposits() },
        { left: 1, arrived: ['batch/1'] },
      )
    })

    it('stores what waits inside the record as items of their own', async () => {
      const { id } = await desk.setAside(unread('file-1.xml', { direction: null }))
      desk.bank.reread = async () => ({
        incoming: [credit('a')],
        outgoing: [],
        set_aside: [unread('unread-b')],
      })
      assert.equal((await desk.act(id, 'retry')).data.state, 'RESOLVED')
      const waiting = (await desk.items('?state=OPEN')).map((item) => item.foreign_id)
      assert.deepEqual([await desk.deposits(), waiting], [['a'], ['unread-b']])
    })

    it('leaves each payment of a file waiting that may be a dismissed record', async () => {
      const day = new Date(OPENED_AT).toISOString().slice(0, 10)
      const like = { day, quantity: decimal('10'), names: [] }
      desk.bank.unread = (['IN', 'OUT'] as const).map((direction) =>
        unread(`unread ${direction}`, { direction, like }),
      )
      await desk.read()
      for (const { id } of await desk.items())
        await desk.act(id, 'dismiss', { note: 'booked by hand' })
      desk.bank.unread = [unread('file-1.xml', { direction: null })]
      await desk.read()
      desk.bank.unread = []
      const waiting = async () =>
        (await desk.items('?state=OPEN')).map(({ id, foreign_id }) => ({ id, foreign_id }))
      const left = (foreign_id: string, quantity: string) =>
        departure(foreign_id, 'EUR', quantity, { wallet: IBAN })
      desk.bank.reread = async () => ({
        incoming: [credit('S1', '10'), credit('S2', '11')],
        outgoing: [left('L1', '10'), left('L2', '11')],
        set_aside: [],
      })
      const [file] = await waiting()
      assert.equal((await desk.act(file?.id ?? '', 'retry')).data.state, 'RESOLVED')
      const booked = async () => ({
        arrived: await desk.deposits(),
        left: (await desk.externals()).map((withdrawal) => withdrawal.foreign_id).toSorted(),
      })
      assert.deepEqual(await booked(), { arrived: ['S2'], left: ['L2'] })
      const doubles = await waiting()
      assert.deepEqual(doubles.map(({ foreign_id }) => foreign_id).toSorted(), ['L1', 'S1'])
      for (const { id } of doubles)
        assert.equal((await desk.act(id, 'retry')).data.state, 'RESOLVED')
      assert.deepEqual(await booked(), { arrived: ['S1', 'S2'], left: ['L1', 'L2'] })
    })

    it('is over when the record is understood and names no movement of ours', async () => {
      const { id } = await desk.setAside()
      desk.bank.reread = async () => ({ incoming: [], outgoing: [] })
      assert.equal((await desk.act(id, 'retry')).data.state, 'RESOLVED')
    })

    it('books nothing of an asset that is not configured', async () => {
      const { id } = await desk.setAside()
      desk.bank.reread = async () => ({ incoming: [movement('a', 'GBP', '1')], outgoing: [] })
      assert.equal((await desk.act(id, 'retry')).data.reason, 'the asset GBP is not configured')
    })

    it('passes the gate again', async () => {
      const { id } = await desk.setAside()
      desk.bank.reread = async () => ({ incoming: [credit('a', '1', { tag: '\0' })], outgoing: [] })
      assert.match((await desk.act(id, 'retry')).data.reason, /^tag holds the character U\+0000/)
    })

    it('needs no venue for a movement that was read and could not be booked', async () => {
      const read_before = { ...credit('a'), quantity: '12.5' }
      const raw = JSON.stringify({ reported: 'IN', movement: read_before })
      const { id } = await desk.setAside(unread('a', { raw }))
      assert.equal((await desk.act(id, 'retry')).data.state, 'RESOLVED')
      const { data } = await desk.place.call<Deposit[]>('GET', '/treasury/deposits')
      assert.deepEqual(
        data.map(({ foreign_id, quantity }) => [foreign_id, quantity]),
        [['a', '12.5']],
      )
    })

    it('books nothing of what was dismissed while the venue was asked', async () => {
      const { id } = await desk.setAside(unread('batch', { direction: null }))
      desk.bank.reread = async () => {
        await desk.act(id, 'dismiss', { note: 'booked by hand' })
        return {
          incoming: [credit('batch/1')],
          outgoing: [departure('batch/2', 'EUR', '5', { wallet: IBAN })],
        }
      }
      const { status, error_details } = await desk.act(id, 'retry')
      assert.deepEqual([status, error_details?.[0]?.code], [400, 'STATE_NOT_ALLOWED'])
      assert.deepEqual([await desk.deposits(), (await desk.item(id)).state], [[], 'DISMISSED'])
      const left = await desk.place.call<unknown[]>('GET', '/treasury/withdrawals')
      assert.deepEqual(left.data, [])
    })

    it('changes nothing when the venue does not answer', async () => {
      const before = await desk.setAside()
      desk.bank.reread = () => Promise.reject(new ApiError('VenueUnreachable', 'the venue is down'))
      const { status, error_code } = await desk.act(before.id, 'retry')
      assert.deepEqual([status, error_code], [503, 2003])
      assert.equal((await desk.item(before.id)).version, before.version)
    })
  })

  describe('dismissed', () => {
    it('needs a note', async () => {
      const { id } = await desk.setAside()
      for (const body of [{}, { note: '' }, { note: '  ' }])
        assert.equal((await desk.act(id, 'dismiss', body)).status, 400)
      assert.equal((await desk.item(id)).state, 'OPEN')
    })

    it('stays so, and is not booked when the venue reports it properly later', async () => {
      const record = unread('a')
      const { id } = await desk.setAside(record)
      const { data } = await desk.act(id, 'dismiss', { note: 'booked by hand' })
      assert.deepEqual([data.state, data.note], ['DISMISSED', 'booked by hand'])
      desk.bank.unread = [{ ...record, raw: '{"changed":true}' }]
      await desk.read()
      desk.bank.unread = []
      desk.place.arrives(desk.bank, credit('a', '12'), credit('b'))
      await desk.read()
      assert.deepEqual([await desk.deposits(), (await desk.item(id)).state], [['b'], 'DISMISSED'])
      assert.deepEqual(await desk.events(), ['set_aside_item.opened', 'set_aside_item.dismissed'])
      desk.bank.reread = async () => ({ incoming: [credit('a')], outgoing: [] })
      assert.equal((await desk.act(id, 'retry')).status, 400)
    })
  })
})
