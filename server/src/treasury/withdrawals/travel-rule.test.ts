/** Coins wait for the data about who sends and who gets them, and go on with them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { dataOf2020, dataOf2023 } from '../../travel-rule/ivms101.testing.ts'
import type { TravelRuleState } from '../../travel-rule/index.ts'
import { CUSTOMERS_ADDRESS } from '../testing/movements.testing.ts'
import type { Withdrawal } from './withdrawals.schema.ts'
import { openWithdrawals } from './withdrawals.testing.ts'

describe('the travel rule', () => {
  let desk: Awaited<ReturnType<typeof openWithdrawals>>
  before(async () => {
    desk = await openWithdrawals()
  })
  after(() => desk.place.close())

  const rule = (withdrawals: boolean, thresholds: { asset: string; quantity: string }[] = []) =>
    desk.place.settings({ travel_rule: { withdrawals, thresholds } })
  const urlOf = (id: string) => `/treasury/withdrawals/${id}/travel-rule`
  const give = (id: string, body: object, headers: Record<string, string> = {}) =>
    desk.place.call<Withdrawal>('POST', urlOf(id), body, { headers })
  const state = async (id: string) =>
    (await desk.place.call<TravelRuleState>('GET', urlOf(id))).data
  const sent = (row: Withdrawal) => desk.sends(desk.models.vault, row)

  async function asked(quantity = '1') {
    const { account_id } = await desk.funded()
    desk.models.vault.mode = 'accept'
    const made = await desk.request(desk.routes.payout, { quantity, account_id })
    assert.equal(made.status, 200, made.text)
    await desk.place.work()
    return desk.read(made.data.id)
  }
  async function later() {
    await desk.place.later(2_000)
  }

  it('asks for nothing in a fresh workspace', async () => {
    const row = await asked()
    assert.equal(sent(row), 1)
    assert.equal((await state(row.id)).required, false)
  })

  it('waits, says what is missing, and goes on once with complete data', async () => {
    await rule(true)
    const row = await asked()
    assert.equal(row.state, 'PENDING')
    assert.equal(row.reason_code, 'TRAVEL_RULE_DATA')
    assert.match(row.reason ?? '', /originator and beneficiary/)
    const told = await state(row.id)
    assert.equal(told.required, true)
    const [person] = told.draft.originator?.originatorPerson ?? []
    assert.equal(person?.naturalPerson?.name.nameIdentifier[0]?.secondaryIdentifier, 'Bob')
    assert.match(told.draft_missing.join(), /geographicAddress, nationalIdentification/)
    assert.deepEqual(told.draft.beneficiary?.accountNumber, [CUSTOMERS_ADDRESS])

    const lacking = dataOf2020(CUSTOMERS_ADDRESS, { dateAndPlaceOfBirth: undefined })
    assert.equal((await give(row.id, { ivms101_2020: lacking })).status, 200)
    await later()
    const waiting = await desk.read(row.id)
    assert.match(waiting.reason ?? '', /\(or dateAndPlaceOfBirth\)/)
    assert.equal(sent(row), 0)

    const headers = { 'idempotency-key': newId() }
    const body = { ivms101_2023: dataOf2023(CUSTOMERS_ADDRESS) }
    const given = await give(row.id, body, headers)
    assert.equal(given.status, 200, given.text)
    assert.deepEqual((await give(row.id, body, headers)).data, given.data)
    const { data, missing } = await state(row.id)
    assert.equal(data.length, 2)
    assert.deepEqual(missing, [])
    assert.partialDeepStrictEqual(data[0], {
      id: given.data.travel_rule_data_id,
      ivms101_2020: null,
      ...body,
      system_created_at: desk.place.clock.now(),
    })
    await later()
    assert.equal(sent(row), 1)
    assert.equal((await desk.read(row.id)).reason_code, null)
    assert.match(refusalOf(await give(row.id, body)), /STATE_NOT_ALLOWED/)
  })

  it('refuses what the standard does not have, by its constraint', async () => {
    await rule(true)
    const row = await asked()
    const good = dataOf2023(CUSTOMERS_ADDRESS)
    const refusal = async (body: object) => refusalOf(await give(row.id, body))
    assert.match(await refusal({}), /REQUIRED ivms101_2023/)
    const both = { ivms101_2023: good, ivms101_2020: dataOf2020(CUSTOMERS_ADDRESS) }
    assert.match(await refusal(both), /CONFLICT ivms101_2023/)
    const unknown = { ...good, colour: 'red' }
    assert.match(await refusal({ ivms101_2023: unknown }), /UNKNOWN_FIELD ivms101_2023\.colour/)
    const old = { ...good.originator, originatorPersons: [] }
    assert.match(await refusal({ ivms101_2023: { ...good, originator: old } }), /UNKNOWN_FIELD/)
    const unborn = dataOf2023(CUSTOMERS_ADDRESS, {
      dateAndPlaceOfBirth: { dateOfBirth: '2999-01-01', placeOfBirth: 'Berlin' },
    })
    const early = await give(row.id, { ivms101_2023: unborn })
    assert.match(early.text, /C2 DateInPast/)
    assert.deepEqual((await state(row.id)).data, [])
  })

  it('cancels what waits, and frees what was blocked', async () => {
    await rule(true)
    const row = await asked()
    const url = `/treasury/withdrawals/${row.id}/cancel`
    assert.equal((await desk.place.call('POST', url, {})).status, 200)
    const holds = await desk.place.db.query<{ state: string }>(sql`
      select state
      from holds
      where cause_id = ${row.id}`)
    assert.deepEqual(holds, [{ state: 'ENDED' }])
    await later()
    assert.equal(sent(row), 0)
  })

  it('lets less than a threshold pass, and the threshold itself not', async () => {
    await rule(true, [{ asset: 'BTC', quantity: '0.5' }])
    assert.equal(sent(await asked('0.49999999')), 1)
    assert.equal(sent(await asked('0.5')), 0)
  })

  it('goes on when the rule is turned off', async () => {
    await rule(true)
    const row = await asked()
    await rule(false)
    await later()
    assert.equal(sent(row), 1)
  })
})
