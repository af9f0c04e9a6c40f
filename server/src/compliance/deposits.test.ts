import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Customer } from '../customers/index.ts'
import { verifyBooks } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import type { Deposit } from '../treasury/index.ts'
import { IBAN, movement } from '../treasury/testing/venue.fixture.ts'
import { openCompliance } from './compliance.testing.ts'

const LISTED = 'FR1420041010050500013M02606'
const OTHER = 'GB33BUKB20201555555555'

describe('deposits are screened before they are assigned', () => {
  let desk: Awaited<ReturnType<typeof openCompliance>>
  before(async () => {
    desk = await openCompliance()
  })
  after(() => desk.close())

  /** Whose the wires from LISTED are. */
  let dave: Customer
  let count = 0
  /** A wire of this payer, settled as far as it goes. */
  async function wire(payer: string, iban = LISTED): Promise<Deposit> {
    count += 1
    const foreign_id = `screened-${count}`
    desk.place.arrives(
      desk.place.bank,
      movement(foreign_id, 'EUR', '100', {
        wallet: IBAN,
        destination_address: IBAN,
        source_address: iban,
        counterparty: { name: payer, iban, bic: null },
        reference_text: `for ${count}`,
      }),
    )
    await desk.place.later(10_000)
    const [row] = (
      await desk.place.call<Deposit[]>('GET', `/treasury/deposits?foreign_id=${foreign_id}`)
    ).data
    return row ?? assert.fail('the wire was seen')
  }
  const read = async ({ id }: Deposit) =>
    (await desk.place.call<Deposit>('GET', `/treasury/deposits/${id}`)).data
  /** What comes from the account is the customer's. */
  async function matched(name: string, iban: string): Promise<Customer> {
    const customer = await desk.place.customer(name)
    const made = await desk.place.call('POST', '/accounts/matchings', {
      resource_id: customer.account_id,
      type: 'SOURCE_WITHOUT_REFERENCE',
      details: { asset: 'EUR', is_withdrawal_matching: false, source_address: iban },
    })
    assert.equal(made.status, 200, made.text)
    return customer
  }
  const assign = ({ id }: Deposit, { account_id }: Customer, quantity = '100') =>
    desk.place.call<{ id: string }>('POST', `/treasury/deposits/${id}/assignments`, [
      { account_id, quantity },
    ])
  const giveBack = ({ id }: Deposit) =>
    desk.place.call('POST', `/treasury/deposits/${id}/return`, { reason: 'not ours' })
  const caseOf = async ({ id }: Deposit) => (await desk.cases(id))[0]

  it('not in a fresh workspace; then one hit waits, and stops no other', async () => {
    dave = await matched('Dave', LISTED)
    const erin = await matched('Erin', OTHER)
    assert.equal((await wire('BAD PAYER')).state, 'SUCCESSFUL')

    await desk.deposits()
    await desk.load({ name: 'BAD PAYER' })
    const row = await wire('Bad Payer')
    assert.partialDeepStrictEqual(row, {
      state: 'UNASSIGNED',
      assigned_quantity: '0',
      reason_code: 'SCREENING_HIT',
    })
    const clean = await wire('Good Payer', OTHER)
    assert.partialDeepStrictEqual(clean, { state: 'SUCCESSFUL', customer_id: erin.id })
    await desk.place.later(60_000)
    const [found, ...more] = await desk.cases(row.id)
    assert.deepEqual(more, [])
    assert.partialDeepStrictEqual(found, {
      state: 'OPEN',
      record_kind: 'DEPOSIT',
      subject: {
        names: ['Bad Payer', `${dave.first_name} ${dave.last_name}`],
        addresses: [LISTED],
      },
    })

    for (const refused of [await assign(row, erin), await giveBack(row)])
      assert.match(refused.text, /STATE_NOT_ALLOWED.*compliance decides/)
    const cleared = await desk.decide(found?.id, 'CLEAR')
    assert.equal(cleared.status, 200, cleared.text)
    await desk.place.later(2_000)
    assert.partialDeepStrictEqual(await read(row), {
      state: 'SUCCESSFUL',
      customer_id: dave.id,
      reason_code: null,
      reason: null,
    })
    assert.equal((await desk.cases(row.id)).length, 1)
  })

  it('one that is refused is kept, until it is released', async () => {
    const row = await wire('Bad Payer')
    const found = await caseOf(row)
    assert.equal((await desk.decide(found?.id, 'REFUSE')).status, 200)
    await desk.place.later(60_000)
    assert.partialDeepStrictEqual(await read(row), {
      state: 'UNASSIGNED',
      reason_code: 'SCREENING_REFUSED',
    })
    await desk.off()
    const frank = await desk.place.customer('Frank')
    for (const refused of [await assign(row, frank), await giveBack(row)])
      assert.match(refused.text, /STATE_NOT_ALLOWED.*neither assigned nor sent back/)
    await desk.deposits()
    assert.match((await desk.decide(found?.id, 'REFUSE')).text, /STATE_NOT_ALLOWED/)
    const released = await desk.decide(found?.id, 'CLEAR', { reason: 'licence 7' })
    assert.equal(released.data.reason, 'another date of birth\n\nlicence 7')
    await desk.place.later(2_000)
    assert.equal((await read(row)).state, 'SUCCESSFUL')
  })

  it('waits while a list is missing, and goes on by itself', async () => {
    await desk.deposits(['OFAC_SDN', 'EU_CONSOLIDATED'])
    const row = await wire('Good Payer', OTHER)
    assert.partialDeepStrictEqual(row, { state: 'UNASSIGNED', reason_code: 'SCREENING_UNKNOWN' })
    assert.match(row.reason ?? '', /EU_CONSOLIDATED has not been loaded/)
    const grace = await desk.place.customer('Grace')
    assert.match((await assign(row, grace)).text, /STATE_NOT_ALLOWED.*not screened yet/)
    await desk.deposits()
    await desk.place.later(6_000)
    assert.partialDeepStrictEqual(await read(row), { state: 'SUCCESSFUL', reason_code: null })
  })

  it('by hand and by rectification, the customer who would get it is looked up too', async () => {
    const [heidi, ivan] = [await desk.place.customer('Heidi'), await desk.place.customer('Ivan')]
    await desk.load({ name: 'BAD PAYER' }, { name: `${ivan.last_name}, ${ivan.first_name}` })
    const row = await wire('Some Payer', 'DE89370400440532013000')
    assert.equal(row.reason_code, null)
    for (const refused of await Promise.all([assign(row, ivan), assign(row, ivan)]))
      assert.match(refused.text, /STATE_NOT_ALLOWED.*compliance decides/)
    assert.equal((await desk.cases(row.id)).length, 1)
    assert.equal((await read(row)).reason_code, 'SCREENING_HIT')
    await desk.decide((await caseOf(row))?.id, 'CLEAR')
    await desk.place.later(2_000)
    // Nothing says whose it is: it waits for the person again, who may now.
    assert.partialDeepStrictEqual(await read(row), { state: 'UNASSIGNED', reason_code: null })
    assert.equal((await assign(row, ivan)).status, 200)

    const other = await wire('Some Payer', 'DE89370400440532013000')
    const { data: first } = await assign(other, heidi)
    const rectified = await desk.place.call(
      'POST',
      `/treasury/deposits/${other.id}/rectifications`,
      {
        origins: [first.id],
        targets: [{ account_id: ivan.account_id, quantity: '100' }],
        reason: 'WRONG_ACCOUNT',
      },
    )
    assert.match(rectified.text, /STATE_NOT_ALLOWED.*compliance decides/)
    assert.partialDeepStrictEqual(await read(other), {
      state: 'SUCCESSFUL',
      customer_id: heidi.id,
      reason_code: 'SCREENING_HIT',
    })
  })

  it('an assignment that waits for a decision passes the gate again', async () => {
    await desk.place.settings({ compliance: true })
    await desk.load({ name: 'BAD PAYER' })
    const row = await wire('Good Payer', OTHER)
    const [waiting] = (
      await desk.place.call<{ id: string }[]>('GET', `/treasury/deposits/${row.id}/assignments`)
    ).data
    const decide = (status: string) =>
      desk.place.call('PATCH', `/treasury/deposits/${row.id}/assignments`, {
        id: waiting?.id,
        status,
      })
    await desk.load({ name: 'BAD PAYER' }, { name: 'GOOD PAYER' })
    assert.match((await decide('SUCCESSFUL')).text, /STATE_NOT_ALLOWED.*compliance decides/)
    await desk.decide((await caseOf(row))?.id, 'REFUSE')
    assert.equal((await decide('REJECTED')).status, 200)
    assert.partialDeepStrictEqual(await read(row), {
      state: 'REJECTED',
      reason_code: 'SCREENING_REFUSED',
    })
    await desk.place.settings({ compliance: false })
  })

  it('is assigned once, or not at all, when it is decided meanwhile', async () => {
    for (const decision of ['CLEAR', 'REFUSE'] as const) {
      const row = await wire('Bad Payer')
      const found = await caseOf(row)
      await Promise.all([
        assign(row, dave),
        desk.decide(found?.id, decision),
        assign(row, dave),
        desk.place.work(),
      ])
      await desk.place.later(2_000)
      const end = await read(row)
      const isRefused = decision === 'REFUSE'
      assert.equal(end.assigned_quantity, isRefused ? '0' : '100', decision)
      assert.equal((await caseOf(row))?.state, isRefused ? 'REFUSED' : 'CLEARED')
    }
    assert.deepEqual((await verifyBooks(desk.place.db, desk.place.workspace)).faults, [])
  })

  it('one that its venue credits again waits with its assignments', async () => {
    await desk.load({ name: 'NOBODY AT ALL' })
    const row = await wire('Later Listed')
    assert.equal(row.state, 'SUCCESSFUL')
    const had = await desk.place.total(dave.account_id)
    const arrive = async (state: 'REVERSED' | 'FINAL') => {
      desk.place.arrives(
        desk.place.bank,
        movement(row.foreign_id, 'EUR', '100', { wallet: IBAN, destination_address: IBAN, state }),
      )
      await desk.place.later(10_000)
      return read(row)
    }
    assert.equal((await arrive('REVERSED')).state, 'REVERSED')
    const gone = await desk.place.total(dave.account_id)
    await desk.load({ name: 'LATER LISTED' })
    const waiting = { state: 'PENDING', reason_code: 'SCREENING_HIT' }
    assert.partialDeepStrictEqual(await arrive('FINAL'), waiting)
    const found = await caseOf(row)
    await desk.decide(found?.id, 'REFUSE')
    await desk.place.later(60_000)
    assert.partialDeepStrictEqual(await read(row), { ...waiting, reason_code: 'SCREENING_REFUSED' })
    assert.equal(await desk.place.total(dave.account_id), gone)
    await desk.decide(found?.id, 'CLEAR')
    await desk.place.later(2_000)
    assert.partialDeepStrictEqual(await read(row), { state: 'SUCCESSFUL', reason_code: null })
    assert.equal(await desk.place.total(dave.account_id), had)
    const told = await desk.place.db.query<{ data: unknown }>(sql`
      select data
      from events
      where resource_id = ${row.id}`)
    assert.doesNotMatch(JSON.stringify(told), /SCREENING|sanctions/)
    assert.deepEqual((await verifyBooks(desk.place.db, desk.place.workspace)).faults, [])
  })
})
