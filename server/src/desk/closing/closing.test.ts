/** Closing periods: what is frozen, what comes later, who may do it, what a reopening leaves. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { settingsOf } from '../../access/index.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { A_PROGRAM, refusalOf, testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { ledgerEndpoints } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { openMovements } from '../../treasury/testing/movements.testing.ts'
import { IBAN, movement } from '../../treasury/testing/venue.fixture.ts'
import { deskEndpoints } from '../index.ts'
import type { Period, ShownPeriod } from './periods.schema.ts'

const DAY = 86_400_000

describe('periods', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  let api: TestServer
  before(async () => {
    place = await openMovements()
    const { app, clock, db, principal } = place
    const permissions = new Set(['bookings.read', 'bookings.create', 'periods.close'])
    const callers: Record<string, object> = {
      'Bearer ann': { user_id: newId() },
      'Bearer reader': { permissions: new Set(['bookings.read']) },
      'Bearer stranger': { workspace: newId() as WorkspaceId },
      'Bearer program': { api_key: A_PROGRAM },
    }
    api = await testServer({
      db,
      clock,
      endpoints: [
        ...deskEndpoints(app),
        ...ledgerEndpoints({
          ...app,
          openPeriod: async (of) => ({
            from: (await settingsOf(db, of)).open_period_from,
            to: null,
          }),
        }),
      ],
      authenticate: async (authorization) => ({
        ...principal,
        permissions,
        ...callers[authorization ?? ''],
      }),
    })
  })
  after(async () => {
    await api.close()
    await place.close()
  })

  const midnight = () => place.clock.now() - (place.clock.now() % DAY)
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
  const yesterday = () => dayOf(midnight() - 1)
  const close = (body: object = { last_day: yesterday() }, token = 'ann') =>
    api.call<ShownPeriod>('POST', '/periods', { body, token })
  const reopen = (id: string, reason: string, token = 'ann') =>
    api.call<ShownPeriod>('POST', `/periods/${id}/reopen`, { body: { reason }, token })
  const show = async (id: string) => (await api.call<ShownPeriod>('GET', `/periods/${id}`)).data
  const openFrom = async () => (await settingsOf(place.db, place.workspace)).open_period_from
  const passes = (days: number) => place.clock.set(midnight() + days * DAY + DAY / 2)

  /** An expense of the house, as of that time. */
  const spends = (quantity: string, value_date?: number) =>
    api.call('POST', '/bookings', {
      body: {
        asset: 'EUR',
        value_date,
        legs: [
          { account_id: place.house.FEE, type: 'DEBIT', quantity },
          { account_id: place.house.HOUSE, type: 'CREDIT', quantity },
        ],
      },
    })
  const spent = ({ assets }: Pick<ShownPeriod, 'assets'>) =>
    assets.find(({ asset }) => asset === 'EUR')?.lines.find(({ type }) => type === 'FEE')?.debit ??
    '0'

  it('freezes what is booked until then with a value date up to its last day', async () => {
    await spends('3')
    await spends('100', midnight() + 3 * DAY)
    passes(1)
    await spends('4', midnight() - 1)
    await spends('50')
    const answer = await close({ last_day: yesterday(), note: 'The first' })
    assert.equal(answer.status, 200, answer.text)
    const period = answer.data
    assert.equal(spent(period), '7')
    for (const { debit, credit } of period.assets) assert.equal(debit, credit)
    const [head] = await place.db.query<{ hash: string; last_sequence: number }>(sql`
      select encode(hash, 'hex') as hash, last_sequence
      from batches
      where workspace = ${place.workspace}
      order by batch_no desc
      limit 1`)
    assert.deepEqual(
      { hash: period.chain_hash, last_sequence: period.last_sequence },
      { hash: head?.hash, last_sequence: head?.last_sequence },
    )
    assert.equal(await openFrom(), midnight())
    assert.equal(refusalOf(await spends('9', midnight() - 1)), '400 3001 PERIOD_CLOSED value_date')
    await spends('9')
    assert.deepEqual(await show(period.id), period)
    passes(3)
    assert.equal(spent((await close()).data), '166')
  })

  it('is hashed, and the hash is in the chain of events', async () => {
    const [last] = (await api.call<Period[]>('GET', '/periods?state=CLOSED')).data
    assert.ok(last)
    const { frozen, hash, assets } = await show(last.id)
    assert.equal(createHash('sha256').update(frozen).digest('hex'), hash)
    assert.partialDeepStrictEqual(JSON.parse(frozen), { id: last.id, closed_by: last.closed_by })
    assert.deepEqual((JSON.parse(frozen) as ShownPeriod).assets, assets)
    const [event] = await place.db.query<{ data: { hash: string } }>(sql`
      select data
      from events
      where workspace = ${place.workspace}
        and resource_id = ${last.id}
        and type = 'period.closed'`)
    assert.equal(event?.data.hash, hash)
    await assert.rejects(
      place.db.query(sql`
        update periods
        set frozen = '{}'
        where id = ${last.id}`),
    )
    assert.deepEqual(await place.verify(), [])
  })

  it('takes a fact of a closed day into the open period, whose record keeps the day', async () => {
    const from = await openFrom()
    const value_date = dayOf((from ?? 0) - DAY)
    place.arrives(
      place.bank,
      movement('late', 'EUR', '21', { wallet: IBAN, destination_address: IBAN, value_date }),
    )
    await place.later(10_000)
    const [deposit] = await place.db.query<{ id: string; value_date: string }>(sql`
      select id, value_date
      from deposits
      where foreign_id = 'late'`)
    assert.equal(deposit?.value_date, value_date)
    const booked = await place.db.query<{ value_date: number }>(sql`
      select value_date
      from bookings
      where reference_id = ${deposit?.id}`)
    assert.deepEqual(
      booked.map((row) => row.value_date),
      [from],
    )
  })

  it('refuses days that are not over or closed, programs, and who may not', async () => {
    assert.equal(refusalOf(await close({ last_day: dayOf(midnight()) })), '400 3001 RANGE last_day')
    assert.equal(refusalOf(await close()), '400 3001 PERIOD_CLOSED last_day')
    for (const last_day of ['2026-02-30', '2026-13-01', 'yesterday'])
      assert.equal(refusalOf(await close({ last_day })), '400 3001 FORMAT last_day')
    passes(1)
    assert.equal(refusalOf(await close(undefined, 'program')), '400 3001 ANOTHER_PERSON ')
    assert.equal((await close(undefined, 'reader')).status, 403)
    assert.deepEqual((await api.call<Period[]>('GET', '/periods', { token: 'stranger' })).data, [])
    await assert.rejects(place.settings({ open_period_from: null }), /reopen the period/)
  })

  it('is closed once, however many do it at the same time', async () => {
    const answers = await Promise.all([close(), close(), close()])
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400])
  })

  it('books into the open period what is booked while it is closed', async () => {
    passes(1)
    const [closed] = await Promise.all([
      close(),
      ...['1', '2', '3'].map((quantity) => spends(quantity, midnight() - 1)),
    ])
    const { assets, last_sequence } = closed.data
    const rows = await place.db.query<{ quantity: string | null }>(sql`
      select sum(l.quantity)::text as quantity
      from bookings b
      join legs l on l.workspace = b.workspace
        and l.booking_sequence = b.sequence
      where b.workspace = ${place.workspace}
        and b.sequence <= ${last_sequence}
        and b.value_date < ${midnight()}
        and l.account_id = ${place.house.FEE}`)
    assert.equal(Number(spent({ assets })), Number(rows[0]?.quantity))
  })

  it('is reopened with a reason, the last one first, and shows both for good', async () => {
    const periods = (await api.call<Period[]>('GET', '/periods?state=CLOSED')).data
    const [last, before] = periods
    assert.ok(last && before)
    assert.equal(refusalOf(await reopen(before.id, 'Why?')), '400 3001 STATE_NOT_ALLOWED period_id')
    assert.equal((await reopen(last.id, ' ')).status, 400)
    assert.equal(refusalOf(await reopen(last.id, 'x', 'program')), '400 3001 ANOTHER_PERSON ')
    assert.equal((await reopen(last.id, 'x', 'reader')).status, 403)
    assert.equal((await reopen(last.id, 'x', 'stranger')).status, 404)
    const frozen = await show(last.id)
    const reopened = await reopen(last.id, 'An invoice is missing')
    assert.equal(reopened.status, 200, reopened.text)
    assert.partialDeepStrictEqual(reopened.data, {
      state: 'REOPENED',
      reason: 'An invoice is missing',
      hash: frozen.hash,
      assets: frozen.assets,
    })
    assert.equal(await openFrom(), Date.parse(before.last_day) + DAY)
    assert.equal(refusalOf(await reopen(last.id, 'Again')), '400 3001 STATE_NOT_ALLOWED period_id')
    assert.equal((await spends('5', midnight() - 1)).status, 200)
    const again = await close()
    assert.equal(again.status, 200, again.text)
    assert.notEqual(again.data.id, last.id)
    assert.notEqual(again.data.hash, frozen.hash)
    assert.deepEqual(await place.events(last.id), ['period.closed', 'period.reopened'])
    assert.equal((await show(last.id)).state, 'REOPENED')
  })
})
