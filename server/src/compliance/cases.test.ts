import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { sql } from '../store/sql.ts'
import { CUSTOMERS_ADDRESS } from '../treasury/testing/movements.testing.ts'
import { openCompliance } from './compliance.testing.ts'

/** Each withdrawal of the tests goes to the wallet of a customer with this name. */
const PAYEE = 'Bob Number'

describe('withdrawals are screened before they are sent', () => {
  let desk: Awaited<ReturnType<typeof openCompliance>>
  before(async () => {
    desk = await openCompliance()
  })
  after(() => desk.close())

  async function asked(quantity = '1') {
    const customer = await desk.funded()
    desk.models.vault.mode = 'accept'
    const { account_id } = customer
    const made = await desk.request(desk.routes.payout, { quantity, account_id })
    assert.equal(made.status, 200, made.text)
    await desk.place.work()
    return { ...(await desk.read(made.data.id)), customer }
  }
  const nameOf = ({ customer }: Awaited<ReturnType<typeof asked>>) =>
    `${customer.first_name} ${customer.last_name}`

  it('not in a fresh workspace', async () => {
    const row = await asked()
    assert.equal(desk.sends(desk.models.vault, row), 1)
    assert.deepEqual((await desk.as('GET', `/screening/results?record_id=${row.id}`)).data, [])
  })

  it('and wait while a list that is named has not been loaded', async () => {
    await desk.on(['OFAC_SDN', 'EU_CONSOLIDATED'])
    await desk.load({ name: 'NOBODY AT ALL' })
    const row = await asked()
    assert.equal(row.reason_code, 'SCREENING_UNKNOWN')
    assert.match(row.reason ?? '', /EU_CONSOLIDATED has not been loaded/)
    desk.assertNothingSent(row)
    assert.deepEqual(await desk.held(row.id), ['OPEN'])
    await desk.on()
    await desk.place.later(2_000)
    assert.equal(desk.sends(desk.models.vault, row), 1)
    const [result] = (
      await desk.as<{ outcome: string; basis: { list: string; number: number }[] }[]>(
        'GET',
        `/screening/results?record_id=${row.id}`,
      )
    ).data
    assert.equal(result?.outcome, 'CLEAR')
    assert.equal(result?.basis[0]?.list, 'OFAC_SDN')
    assert.equal((await desk.read(row.id)).reason_code, null)
  })

  it('one whose address is listed waits, is cleared, and is sent once', async () => {
    await desk.on()
    await desk.load({ name: 'SOMEBODY', address: CUSTOMERS_ADDRESS })
    const row = await asked()
    assert.equal(row.state, 'PENDING')
    assert.equal(row.reason_code, 'SCREENING_HIT')
    desk.assertNothingSent(row)
    await desk.place.later(60_000)
    const [found, ...more] = await desk.cases(row.id)
    assert.deepEqual(more, [])
    assert.equal(found?.state, 'OPEN')
    assert.equal(found?.matches[0]?.kind, 'ADDRESS')
    assert.ok(found?.subject.names.includes(nameOf(row)))

    assert.equal((await desk.decide(found?.id, 'CLEAR', {}, { token: desk.treasurer })).status, 403)
    const headers = { 'idempotency-key': newId() }
    const cleared = await desk.decide(found?.id, 'CLEAR', {}, { headers })
    assert.equal(cleared.data.state, 'CLEARED')
    assert.equal(cleared.data.decided_by, desk.officer)
    assert.deepEqual((await desk.decide(found?.id, 'CLEAR', {}, { headers })).data, cleared.data)
    const again = await desk.decide(found?.id, 'REFUSE')
    assert.match(again.text, /STATE_NOT_ALLOWED/)
    await desk.place.later(2_000)
    assert.equal(desk.sends(desk.models.vault, row), 1)
    assert.equal((await desk.cases(row.id)).length, 1)
  })

  it('one that is refused is canceled, and its hold is released once', async () => {
    await desk.on()
    await desk.load({ name: 'SOMEBODY', address: CUSTOMERS_ADDRESS })
    const row = await asked()
    const [found] = await desk.cases(row.id)
    const decided = await desk.decide(found?.id, 'REFUSE')
    assert.equal(decided.status, 200, decided.text)
    await desk.place.later(60_000)
    const ended = await desk.read(row.id)
    assert.equal(ended.state, 'CANCELED')
    assert.equal(ended.reason_code, 'SCREENING_REFUSED')
    assert.equal(ended.reason, null)
    assert.deepEqual(await desk.held(row.id), ['ENDED'])
    desk.assertNothingSent(row)
  })

  it('a version that is loaded while it waits is asked too', async () => {
    await desk.on()
    await desk.load({ name: 'SOMEBODY', address: CUSTOMERS_ADDRESS })
    const row = await asked()
    const [first] = await desk.cases(row.id)
    await desk.load({ name: 'SOMEBODY', address: CUSTOMERS_ADDRESS }, { name: nameOf(row) })
    await desk.place.later(2_000)
    const [extended] = await desk.cases(row.id)
    assert.equal(extended?.id, first?.id)
    assert.deepEqual(extended?.matches.map(({ kind }) => kind).toSorted(), ['ADDRESS', 'NAME'])
    const stale = await desk.decide(first?.id, 'CLEAR', { version: first?.version })
    assert.match(stale.text, /STALE_VERSION/)
    // It is cleared, and before it is sent the list names one more.
    await desk.decide(first?.id, 'CLEAR', { version: extended?.version })
    await desk.load(
      { name: 'SOMEBODY', address: CUSTOMERS_ADDRESS },
      { name: nameOf(row) },
      { name: nameOf(row).split(' ').toReversed().join(', ') },
    )
    await desk.place.later(2_000)
    desk.assertNothingSent(row)
    const all = await desk.cases(row.id)
    assert.deepEqual(all.map(({ state }) => state).toSorted(), ['CLEARED', 'OPEN'])
  })

  it('a case stops its withdrawal also once nothing is screened any more', async () => {
    await desk.on()
    await desk.load({ name: 'SOMEBODY', address: CUSTOMERS_ADDRESS })
    const row = await asked()
    await desk.off()
    await desk.place.later(2_000)
    desk.assertNothingSent(row)
    const [found] = await desk.cases(row.id)
    await desk.decide(found?.id, 'CLEAR')
    await desk.place.later(2_000)
    assert.equal(desk.sends(desk.models.vault, row), 1)
  })

  it('a case is never deleted', async () => {
    await assert.rejects(
      desk.place.db.query(sql`
        delete from screening_cases`),
      /never deleted/,
    )
  })

  it(`is about ${PAYEE}: names are those of the customer to whose wallet it goes`, async () => {
    await desk.on()
    const row = await asked()
    assert.match(nameOf(row), new RegExp(PAYEE))
    const [result] = (
      await desk.as<{ subject: { names: string[]; addresses: string[] } }[]>(
        'GET',
        `/screening/results?record_id=${row.id}`,
      )
    ).data
    assert.deepEqual(result?.subject.names, [nameOf(row)])
    assert.deepEqual(result?.subject.addresses, [CUSTOMERS_ADDRESS])
  })
})
