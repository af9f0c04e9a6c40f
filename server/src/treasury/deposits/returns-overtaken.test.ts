/** A return whose deposit its venue takes back, and one that leaves after it had ended. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { departure, IBAN, movement } from '../testing/venue.fixture.ts'
import { PAYER } from './deposits.testing.ts'
import { openReturns } from './returns.testing.ts'

describe('a return that something overtakes', () => {
  let returns: Awaited<ReturnType<typeof openReturns>>
  before(async () => {
    returns = await openReturns()
  })
  after(() => returns.close())

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
    assert.equal((await returns.readById(deposit.id)).state, 'REVERSED')
    assert.partialDeepStrictEqual(await withdrawal(made.data.id), {
      state: 'PENDING',
      submitted_at: null,
      reason_code: 'DEPOSIT_REVERSED',
    })
  })

  it('leaves to a person what is gone twice', async () => {
    const { alice } = returns.place
    const { arrives, ends, place, sends, suspense, withdrawal } = returns
    const before = await suspense()
    const deposit = await arrives('44')
    const made = await sends(deposit.id)
    await ends(made)
    place.arrives(
      place.bank,
      movement(deposit.foreign_id, 'EUR', '44', { wallet: IBAN, state: 'REVERSED' }),
    )
    await place.later(10_000)
    assert.equal((await returns.readById(deposit.id)).state, 'REVERSED')
    assert.equal(Number(await suspense()), Number(before) - 44)
    assert.partialDeepStrictEqual(await withdrawal(made.id), {
      reason_code: 'DEPOSIT_REVERSED',
      unassigned: true,
    })
    await place.fund(alice.account_id, 'EUR', '44')
    const borne = await place.call('POST', `/treasury/withdrawals/${made.id}/assignments`, [
      { account_id: alice.account_id, quantity: '44' },
    ])
    assert.equal(borne.status, 200, borne.text)
    assert.equal(await suspense(), before)
    assert.equal((await withdrawal(made.id)).unassigned, false)
  })

  it('is a new deposit of nobody when the bank sends it back, returnable again', async () => {
    const { arrives, ends, sends, suspense } = returns
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
    await ends(await sends(back.id))
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

  it('counts a return that left after it had failed here', async () => {
    const { arrives, ends, place, sends } = returns
    const deposit = await arrives('66')
    const made = await sends(deposit.id)
    await ends(made, 'FAILED')
    assert.equal((await returns.counts(deposit.id)).state, 'UNASSIGNED')
    await place.leaves(
      place.bank,
      departure('L66', 'EUR', '66', {
        wallet: IBAN,
        fee: 0n,
        fee_asset: 'EUR',
        destination_address: PAYER,
        external_id: made.external_id,
      }),
    )
    assert.deepEqual(await returns.counts(deposit.id), {
      state: 'RETURNED',
      returned_quantity: '66',
      returning_quantity: '0',
    })
    const [late] = await returns.returnsOf(deposit.id)
    assert.partialDeepStrictEqual(late, { origin: 'EXTERNAL', related_withdrawal_id: made.id })
  })
})
