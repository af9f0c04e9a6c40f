/** The value date that a bank names, on the record and in the ledger. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bookingsOf } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { IBAN, movement } from '../testing/venue.fixture.ts'
import { debit, openPolling } from './polling.testing.ts'

describe('the value date of the bank', () => {
  let polling: Awaited<ReturnType<typeof openPolling>>
  before(async () => {
    polling = await openPolling()
  })
  after(() => polling.close())

  const booked = async (id: string) => {
    const { db, workspace } = polling.place
    const bookings = await bookingsOf(db, workspace, id)
    return bookings.map(({ type, value_date }) => `${type} ${new Date(value_date).toISOString()}`)
  }
  const arrives = async (foreign_id: string, value_date: string | null) => {
    const { place } = polling
    const at = { wallet: IBAN, destination_address: IBAN, value_date }
    place.arrives(place.bank, movement(foreign_id, 'EUR', '10', at))
    await place.later(10_000)
  }
  const deposit = async (foreign_id: string): Promise<Deposit> => {
    const url = `/treasury/deposits?foreign_id=${foreign_id}`
    return (await polling.place.call<Deposit[]>('GET', url)).data[0] ?? assert.fail(foreign_id)
  }
  const rereads = async () => {
    await polling.place.db.query(sql`
      update incoming_cursors
      set cursor = null`)
    await polling.place.db.query(sql`
      update outgoing_cursors
      set cursor = null`)
  }

  it('is that of the bookings: of what arrives, what leaves and what the bank takes', async () => {
    const { external, place, report } = polling
    await arrives('A1', '2026-03-02')
    const arrived = await deposit('A1')
    assert.equal(arrived.value_date, '2026-03-02')
    assert.deepEqual(await booked(arrived.id), ['DEPOSIT 2026-03-02T00:00:00.000Z'])
    await report(
      place.bank,
      debit('L1', '4', { value_date: '2026-03-03' }),
      debit('C1', '1', { kind: 'CHARGE', value_date: '2026-03-04' }),
    )
    const left = await external('L1')
    assert.equal(left.value_date, '2026-03-03')
    assert.deepEqual(await booked(left.id), ['WITHDRAWAL 2026-03-03T00:00:00.000Z'])
    const charge = await external('C1')
    assert.deepEqual(await booked(charge.id), ['WITHDRAWAL_FEE 2026-03-04T00:00:00.000Z'])
  })

  it('is that of a withdrawal of ours', async () => {
    const { models, place, read, routes, send } = polling
    const bob = await place.customer('Bob')
    await place.belongsTo(bob, place.wallets.alice)
    await place.fund(bob.account_id, 'BTC', '2')
    const sent = await send(routes.payout, { quantity: '1', account_id: bob.account_id })
    models.vault.finish(sent.external_id, { value_date: '2026-03-05' })
    await place.later(1000)
    const { state, value_date } = await read(sent.id)
    assert.deepEqual([state, value_date], ['SUCCESS', '2026-03-05'])
    assert.deepEqual(await booked(sent.id), ['WITHDRAWAL 2026-03-05T00:00:00.000Z'])
  })

  it('of a closed period is booked from the first open moment and kept as it is', async () => {
    const { place } = polling
    await place.settings({ open_period_from: Date.parse('2026-03-01T00:00:00Z') })
    await arrives('A2', '2026-02-27')
    await arrives('A3', '2026-03-01')
    await place.settings({ open_period_from: null })
    const closed = await deposit('A2')
    assert.equal(closed.value_date, '2026-02-27')
    assert.deepEqual(await booked(closed.id), ['DEPOSIT 2026-03-01T00:00:00.000Z'])
    assert.deepEqual(await booked((await deposit('A3')).id), ['DEPOSIT 2026-03-01T00:00:00.000Z'])
  })

  it('that comes after the booking is kept on the record alone, once', async () => {
    const { external, place, report } = polling
    await arrives('A4', null)
    await report(place.bank, debit('L4', '4'))
    const { id } = await deposit('A4')
    const left = await external('L4')
    const before = [await booked(id), await booked(left.id)]
    await rereads()
    await arrives('A4', '2026-03-06')
    await report(place.bank, debit('L4', '4', { value_date: '2026-03-07' }))
    const named = [await deposit('A4'), await external('L4')]
    assert.deepEqual(
      named.map(({ value_date }) => value_date),
      ['2026-03-06', '2026-03-07'],
    )
    assert.deepEqual([await booked(id), await booked(left.id)], before)
    await rereads()
    await arrives('A4', '2026-03-08')
    await report(place.bank, debit('L4', '4', { value_date: '2026-03-09' }))
    assert.deepEqual([await deposit('A4'), await external('L4')], named)
  })

  it('that is none is set aside for a person', async () => {
    const { external, place, report } = polling
    await report(place.bank, debit('L5', '4', { value_date: '0000-13-40' }))
    await assert.rejects(external('L5'))
    const items = await place.call<{ foreign_id: string; reason: string }[]>(
      'GET',
      '/treasury/set-aside-items',
    )
    assert.match(
      items.data.find((item) => item.foreign_id === 'L5')?.reason ?? '',
      /^value date is not a day/,
    )
  })
})
