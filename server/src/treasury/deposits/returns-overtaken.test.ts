/** A return whose deposit its venue takes back, and one that leaves after it had ended. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { departure, IBAN, movement } from '../testing/venue.fixture.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { TREASURY_NEEDS } from '../reports/needs.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { PAYER } from './deposits.testing.ts'
import { openReturns } from './returns.testing.ts'

describe('a return that something overtakes', () => {
  let waiting: string | undefined
  let returns: Awaited<ReturnType<typeof openReturns>>
  before(async () => {
    returns = await openReturns()
  })
  after(() => returns.close())

  type Arrived = { foreign_id: string; quantity: string }
  const takesBack = async ({ foreign_id, quantity }: Arrived, state: 'REVERSED' | 'FINAL') => {
    const { place } = returns
    place.arrives(place.bank, movement(foreign_id, 'EUR', quantity, { wallet: IBAN, state }))
    await place.later(10_000)
  }
  const leftAfterAll = (foreign_id: string, { external_id, quantity }: Withdrawal) =>
    returns.place.leaves(
      returns.place.bank,
      departure(foreign_id, 'EUR', quantity, {
        wallet: IBAN,
        fee: 0n,
        fee_asset: 'EUR',
        destination_address: PAYER,
        external_id,
      }),
    )
  const assignAlice = async ({ id, quantity }: Withdrawal) => {
    const { account_id } = returns.place.alice
    await returns.place.fund(account_id, 'EUR', quantity)
    const parts = [{ account_id, quantity }]
    const borne = await returns.place.call('POST', `/treasury/withdrawals/${id}/assignments`, parts)
    assert.equal(borne.status, 200, borne.text)
  }

  /** Those that the overview counts. The first test leaves one, whose return waits. */
  const goneTwice = async () => {
    const { call, db, workspace, clock } = returns.place
    const { data } = await call<Deposit[]>('GET', '/treasury/deposits?gone_twice=true')
    const need = TREASURY_NEEDS.find(({ kind }) => kind === 'deposits_gone_twice')
    assert.ok(need)
    const [row] = await db.query<{ count: number }>(need.select(workspace, clock.now()))
    const ids = data.map(({ id }) => id).filter((id) => id !== waiting)
    return { ids, count: (row?.count ?? 0) - (data.length - ids.length) }
  }

  it('waits when its venue takes the deposit back before it is sent', async () => {
    const { arrives, askReturn, place, withdrawal } = returns
    const deposit = await arrives('33')
    const made = await askReturn(deposit.id, {})
    place.arrives(
      place.bank,
      movement(deposit.foreign_id, 'EUR', '33', { wallet: IBAN, state: 'REVERSED' }),
    )
    await place.db.query({
      strings: ["update tasks set due_at = 0 where kind = 'poll_venue'"],
      values: [],
    })
    await place.later(10_000)
    const { state, reason } = await returns.readById(deposit.id)
    assert.deepEqual(
      [state, reason],
      ['REVERSED', 'the venue took it back, and 33 EUR of it are about to go back to its sender'],
    )
    waiting = deposit.id
    assert.deepEqual(await goneTwice(), { ids: [], count: 0 })
    assert.partialDeepStrictEqual(await withdrawal(made.data.id), {
      state: 'PENDING',
      submitted_at: null,
      reason_code: 'DEPOSIT_REVERSED',
    })
  })

  it('leaves to a person what is gone twice', async () => {
    const { arrives, ends, sends, suspense, withdrawal } = returns
    const before = await suspense()
    const deposit = await arrives('44')
    const made = await sends(deposit.id)
    await ends(made)
    await takesBack(deposit, 'REVERSED')
    assert.partialDeepStrictEqual(await returns.readById(deposit.id), {
      state: 'REVERSED',
      reason_code: 'REVERSED_BY_VENUE',
      reason: 'the venue took it back, and 44 EUR of it went back to its sender too',
    })
    assert.deepEqual(await goneTwice(), { ids: [deposit.id], count: 1 })
    assert.equal(Number(await suspense()), Number(before) - 44)
    assert.partialDeepStrictEqual(await withdrawal(made.id), {
      reason_code: 'DEPOSIT_REVERSED',
      unassigned: true,
    })
    await assignAlice(made)
    assert.equal(await suspense(), before)
    assert.equal((await withdrawal(made.id)).unassigned, false)
    assert.deepEqual(await goneTwice(), { ids: [], count: 0 })
  })

  it('leaves to a person the account that returned it and is below zero', async () => {
    const { arrives, assign, ends, place, sends } = returns
    const gail = await place.customer('Gail')
    const deposit = await arrives('49')
    await assign(deposit.id, [{ account_id: gail.account_id, quantity: '49' }])
    await ends(await sends(deposit.id, { account_id: gail.account_id }))
    assert.deepEqual(await goneTwice(), { ids: [], count: 0 })
    await takesBack(deposit, 'REVERSED')
    assert.deepEqual(await goneTwice(), { ids: [deposit.id], count: 1 })
    await place.fund(gail.account_id, 'EUR', '49')
    assert.deepEqual(await goneTwice(), { ids: [], count: 0 })
  })

  it('is a new deposit of nobody when the bank sends it back, returnable again', async () => {
    const { arrives, ends, place, sends, suspense } = returns
    const before = await suspense()
    const deposit = await arrives('88')
    const made = await sends(deposit.id)
    await ends(made)
    const back = await arrives('88', { related_external_id: made.external_id })
    assert.partialDeepStrictEqual(back, {
      state: 'UNASSIGNED',
      reason_code: 'RETURN_OF_UNASSIGNED',
      related_withdrawal_id: made.id,
    })
    assert.equal((await returns.counts(deposit.id)).state, 'RETURNED')
    assert.equal(Number(await suspense()), Number(before) + 88)
    await ends(await sends(back.id, { route_id: place.routes.bankToAlice.id }))
    assert.equal((await returns.counts(back.id)).state, 'RETURNED')
    assert.equal(await suspense(), before)
  })

  it('goes back to the account that returned it when the bank sends it back', async () => {
    const { arrives, assign, ends, place, sends } = returns
    const dora = await place.customer('Dora')
    const deposit = await arrives('77')
    await assign(deposit.id, [{ account_id: dora.account_id, quantity: '77' }])
    const made = await sends(deposit.id, { account_id: dora.account_id })
    await ends(made)
    assert.equal(await place.balance(dora.account_id, 'EUR'), '0/0')
    const back = await arrives('77', { related_external_id: made.external_id })
    assert.equal(back.state, 'SUCCESSFUL')
    assert.equal(await place.balance(dora.account_id, 'EUR'), '77/0')
  })

  it('leaves to an account what it has returned, whatever is rectified', async () => {
    const { arrives, assign, assignments, ends, place, sends } = returns
    const [emil, fay] = [await place.customer('Emil'), await place.customer('Fay')]
    await place.fund(emil.account_id, 'EUR', '50')
    const deposit = await arrives('50')
    await assign(deposit.id, [{ account_id: emil.account_id, quantity: '50' }])
    await ends(await sends(deposit.id, { account_id: emil.account_id, quantity: '20' }))
    const rectify = async (quantities: [string, string]) => {
      const origin = (await assignments(deposit.id)).find((row) => row.rectification_id === null)
      const [of_emil, of_fay] = quantities
      return place.call('POST', `/treasury/deposits/${deposit.id}/rectifications`, {
        reason: 'WRONG_ACCOUNT',
        origins: [origin?.id],
        targets: [
          { account_id: emil.account_id, quantity: of_emil },
          { account_id: fay.account_id, quantity: of_fay },
        ],
      })
    }
    const refused = await rectify(['19.99', '30.01'])
    assert.equal(refused.status, 400, refused.text)
    assert.match(refused.text, /has returned 20 EUR of it to its sender/)
    const kept = await rectify(['20', '30'])
    assert.equal(kept.status, 200, kept.text)
    assert.equal(await place.balance(fay.account_id, 'EUR'), '30/0')
  })

  it('is gone twice when its venue takes the deposit back while it is on its way', async () => {
    const { arrives, ends, sends, suspense, withdrawal } = returns
    const before = await suspense()
    const deposit = await arrives('45')
    const made = await sends(deposit.id)
    await takesBack(deposit, 'REVERSED')
    await ends(made)
    assert.equal(Number(await suspense()), Number(before) - 45)
    const gone = { reason_code: 'DEPOSIT_REVERSED', unassigned: true }
    assert.partialDeepStrictEqual(await withdrawal(made.id), { state: 'SUCCESS', ...gone })
    await assignAlice(made)
    assert.equal(await suspense(), before)
  })

  it('asks nobody when somebody bears it before it has left', async () => {
    const { arrives, ends, sends, suspense, withdrawal } = returns
    const before = await suspense()
    const deposit = await arrives('46')
    const made = await sends(deposit.id)
    await takesBack(deposit, 'REVERSED')
    await assignAlice(made)
    await ends(made)
    assert.partialDeepStrictEqual(await withdrawal(made.id), {
      state: 'SUCCESS',
      reason_code: null,
      unassigned: false,
    })
    assert.equal(await suspense(), before)
  })

  it('shows that it is gone twice, or else that a person has resolved it', async () => {
    const { arrives, place, sends, withdrawal } = returns
    async function unknown(quantity: string) {
      const deposit = await arrives(quantity)
      place.models.bank.mode = 'late'
      const made = await sends(deposit.id)
      place.models.bank.mode = 'accept'
      return { deposit, made }
    }
    const resolve = ({ id }: Withdrawal) =>
      place.call<Withdrawal>('POST', `/treasury/withdrawals/${id}/resolve`, {
        state: 'SUCCESS',
        evidence: 'statement 7',
      })
    const first = await unknown('47')
    assert.partialDeepStrictEqual((await resolve(first.made)).data, { unassigned: false })
    await takesBack(first.deposit, 'REVERSED')
    const gone = { reason_code: 'DEPOSIT_REVERSED', unassigned: true, evidence: 'statement 7' }
    assert.partialDeepStrictEqual(await withdrawal(first.made.id), gone)
    await assignAlice(first.made)
    const borne = { reason_code: null, reason: null, unassigned: false, evidence: 'statement 7' }
    assert.partialDeepStrictEqual(await withdrawal(first.made.id), borne)

    const second = await unknown('48')
    place.models.bank.down = true
    await takesBack(second.deposit, 'REVERSED')
    place.models.bank.down = false
    const { data } = await resolve(second.made)
    assert.partialDeepStrictEqual(data, { reason_code: 'RESOLVED_BY_HAND', unassigned: true })
    assert.deepEqual(await withdrawal(second.made.id), data)
    await assignAlice(second.made)
  })

  it('counts a return that left after it had failed here', async () => {
    const { arrives, ends, sends } = returns
    const deposit = await arrives('66')
    const made = await sends(deposit.id)
    await ends(made, 'FAILED')
    assert.equal((await returns.counts(deposit.id)).state, 'UNASSIGNED')
    await leftAfterAll('L66', made)
    assert.deepEqual(await returns.counts(deposit.id), {
      state: 'RETURNED',
      returned_quantity: '66',
      returning_quantity: '0',
    })
    const [late] = await returns.returnsOf(deposit.id)
    assert.partialDeepStrictEqual(late, { origin: 'EXTERNAL', related_withdrawal_id: made.id })
  })

  it('uses up the part of its own account alone when it left after all', async () => {
    const { alice } = returns.place
    const { arrives, assign, ends, place, sends } = returns
    const bob = await place.customer('Bob')
    const deposit = await arrives('100')
    await assign<unknown>(deposit.id, [
      { account_id: alice.account_id, quantity: '50' },
      { account_id: bob.account_id, quantity: '50' },
    ])
    const failed = await sends(deposit.id, { account_id: alice.account_id })
    await ends(failed, 'FAILED')
    await ends(await sends(deposit.id, { account_id: alice.account_id }))
    await leftAfterAll('L50', failed)
    assert.equal((await returns.counts(deposit.id)).returned_quantity, '50')
    const sent = await place.call<Withdrawal[]>('GET', '/treasury/withdrawals?state=SUCCESS')
    const late = sent.data.find((row) => row.related_withdrawal_id === failed.id)
    assert.partialDeepStrictEqual(late, { returns_deposit_id: null, quantity: '50' })
    await ends(await sends(deposit.id, { account_id: bob.account_id }))
    assert.equal((await returns.counts(deposit.id)).returned_quantity, '100')
  })
})
