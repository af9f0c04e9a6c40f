/** A deposit goes back to whom it came from, whole or in part, and never more than arrived. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../store/sql.ts'
import { movement } from '../testing/venue.fixture.ts'
import { PAYER } from './deposits.testing.ts'
import { openReturns, refusedWith } from './returns.testing.ts'

describe('returning deposits to their sender', () => {
  let returns: Awaited<ReturnType<typeof openReturns>>
  before(async () => {
    returns = await openReturns()
  })
  after(() => returns.close())

  const counts = (id: string) => returns.counts(id)

  it('sends what nobody has to the account of the payer, out of SUSPENSE', async () => {
    const { arrives, ends, place, sends, suspense, withdrawal } = returns
    const deposit = await arrives('100', {
      carried_external_id: 'INV-2025-7',
      reference_text: 'Rechnung für März',
    })
    assert.equal(deposit.state, 'UNASSIGNED')
    const before = await suspense()
    const made = await sends(deposit.id)
    assert.partialDeepStrictEqual(made, {
      state: 'PENDING',
      origin: 'RETURN',
      returns_deposit_id: deposit.id,
      quantity: '100',
      route_id: null,
      to_wallet_id: null,
      from_wallet_id: place.wallets.bank.id,
      destination_address: PAYER,
      recipient_name: 'Payer',
      account_id: null,
      note: 'not for us',
      reference_text: 'RETURN OF INV-2025-7: Rechnung fuer Maerz',
    })
    assert.partialDeepStrictEqual(
      place.models.bank.sends.find((order) => order.external_id === made.external_id),
      { destination_address: PAYER, recipient_name: 'Payer', protocol: 'SEPA' },
    )
    assert.deepEqual(await counts(deposit.id), {
      state: 'UNASSIGNED',
      returned_quantity: '0',
      returning_quantity: '100',
    })
    assert.equal(await suspense(), before)
    await ends(made)
    assert.deepEqual(await counts(deposit.id), {
      state: 'RETURNED',
      returned_quantity: '100',
      returning_quantity: '0',
    })
    assert.equal((await withdrawal(made.id)).state, 'SUCCESS')
    assert.deepEqual(await place.bookings(made.id), ['WITHDRAWAL EUR D suspense 100, C bank 100'])
    assert.equal(Number(await suspense()), Number(before) - 100)
    assert.deepEqual(await place.events(deposit.id), [
      'deposit.detected',
      'deposit.received',
      'deposit.return_requested',
      'deposit.returned',
    ])
    assert.deepEqual(
      (await returns.returnsOf(deposit.id)).map((row) => row.id),
      [made.id],
    )
  })

  it('leaves everything where it was when nothing has left, and may be asked again', async () => {
    const { arrives, ends, place, sends, suspense } = returns
    const deposit = await arrives('70')
    const before = await suspense()
    await ends(await sends(deposit.id), 'FAILED')
    assert.deepEqual(await counts(deposit.id), {
      state: 'UNASSIGNED',
      returned_quantity: '0',
      returning_quantity: '0',
    })
    assert.equal(await suspense(), before)
    assert.equal((await place.events(deposit.id)).at(-1), 'deposit.return_failed')
    await ends(await sends(deposit.id))
    assert.equal((await counts(deposit.id)).state, 'RETURNED')
  })

  it('is canceled like a withdrawal that has not left', async () => {
    const { arrives, askReturn, place } = returns
    const deposit = await arrives('12')
    const made = await askReturn(deposit.id, {})
    const canceled = await place.call('POST', `/treasury/withdrawals/${made.data.id}/cancel`, {})
    assert.equal(canceled.status, 200, canceled.text)
    await place.work()
    assert.deepEqual(await counts(deposit.id), {
      state: 'UNASSIGNED',
      returned_quantity: '0',
      returning_quantity: '0',
    })
  })

  it('lets only the rest be assigned while a part is about to go back', async () => {
    const { alice } = returns.place
    const { arrives, assign, ends, place, sends } = returns
    const deposit = await arrives('100')
    const made = await sends(deposit.id, { quantity: '40' })
    const refused = await assign(deposit.id, [{ account_id: alice.account_id, quantity: '60.01' }])
    assert.equal(refusedWith(refused), 'SUM_MISMATCH')
    const assigned = await assign(deposit.id, [{ account_id: alice.account_id, quantity: '60' }])
    assert.equal(assigned.status, 200, assigned.text)
    assert.equal((await counts(deposit.id)).state, 'PARTIALLY_ASSIGNED')
    await ends(made)
    assert.deepEqual(await counts(deposit.id), {
      state: 'SUCCESSFUL',
      returned_quantity: '40',
      returning_quantity: '0',
    })
    assert.deepEqual(await place.bookings(made.id), ['WITHDRAWAL EUR D suspense 40, C bank 40'])
  })

  it('returns what is assigned from the account that has it, and only what it got', async () => {
    const { alice } = returns.place
    const { arrives, askReturn, assign, ends, place, sends } = returns
    const bob = await place.customer('Bob')
    const deposit = await arrives('100')
    await assign<unknown>(deposit.id, [
      { account_id: alice.account_id, quantity: '60' },
      { account_id: bob.account_id, quantity: '40' },
    ])
    assert.equal(refusedWith(await askReturn(deposit.id, {})), 'REQUIRED account_id')
    const ofBob = { account_id: bob.account_id }
    assert.equal(
      refusedWith(await askReturn(deposit.id, { ...ofBob, quantity: '40.01' })),
      'SUM_MISMATCH quantity',
    )
    const made = await sends(deposit.id, ofBob)
    assert.partialDeepStrictEqual(made, { quantity: '40', account_id: bob.account_id })
    assert.equal(await place.balance(bob.account_id, 'EUR'), '40/40')
    assert.equal(refusedWith(await askReturn(deposit.id, ofBob)), 'SUM_MISMATCH account_id')
    await ends(made)
    assert.equal(await place.balance(bob.account_id, 'EUR'), '0/0')
    assert.deepEqual(await place.bookings(made.id), ['WITHDRAWAL EUR D Bob 40, C bank 40'])
    const told = await place.db.query<{ type: string; returned: string }>(sql`
      select type, data ->> 'returns_deposit_id' as returned
      from events
      where workspace = ${place.workspace}
        and resource_id = ${made.id}
        and type in ('withdrawal.created', 'withdrawal.succeeded')
      order by sequence`)
    assert.deepEqual(
      told.map(({ type, returned }) => [type, returned]),
      [
        ['withdrawal.created', deposit.id],
        ['withdrawal.succeeded', deposit.id],
      ],
    )
    assert.deepEqual(await counts(deposit.id), {
      state: 'SUCCESSFUL',
      returned_quantity: '40',
      returning_quantity: '0',
    })
  })

  it('is refused when the customer has spent it', async () => {
    const { arrives, askReturn, assign, place } = returns
    const carol = await place.customer('Carol')
    const deposit = await arrives('30')
    await assign(deposit.id, [{ account_id: carol.account_id, quantity: '30' }])
    await place.spend(carol.account_id, 'EUR', '1')
    const refused = await askReturn(deposit.id, { account_id: carol.account_id })
    assert.equal(refusedWith(refused), 'INSUFFICIENT_BALANCE')
    assert.equal((await counts(deposit.id)).returning_quantity, '0')
  })

  it('returns a rejected deposit out of SUSPENSE', async () => {
    const { alice } = returns.place
    const { arrives, askReturn, assign, assignments, decide, ends, place, sends } = returns
    await place.settings({ compliance: true })
    const deposit = await arrives('55')
    await assign(deposit.id, [{ account_id: alice.account_id, quantity: '55' }])
    assert.equal(refusedWith(await askReturn(deposit.id, {})), 'REQUIRED account_id')
    const [assignment] = await assignments(deposit.id)
    await decide(deposit.id, assignment?.id ?? '', 'REJECTED')
    await place.settings({ compliance: false })
    assert.equal((await counts(deposit.id)).state, 'REJECTED')
    const made = await sends(deposit.id)
    const late = await decide(deposit.id, assignment?.id ?? '', 'SUCCESSFUL')
    assert.equal(refusedWith(late), 'SUM_MISMATCH status')
    await ends(made)
    assert.equal((await counts(deposit.id)).state, 'RETURNED')
  })

  it('never returns more than arrived, however many ask at once', async () => {
    const { arrives, askReturn } = returns
    const deposit = await arrives('100')
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => askReturn(deposit.id, { quantity: '30' })),
    )
    assert.deepEqual(
      answers.map((answer) => answer.status).toSorted(),
      [200, 200, 200, 400, 400, 400, 400, 400],
    )
    assert.equal((await counts(deposit.id)).returning_quantity, '90')
  })

  it('answers a repeated request as the first time', async () => {
    const { arrives, askReturn } = returns
    const deposit = await arrives('10')
    const headers = { 'idempotency-key': 'once' }
    const first = await askReturn(deposit.id, {}, { headers })
    const again = await askReturn(deposit.id, {}, { headers })
    assert.equal(again.data.id, first.data.id)
    assert.equal((await counts(deposit.id)).returning_quantity, '10')
  })

  it('cannot be assigned, and no matching takes it: it pays for itself', async () => {
    const { alice } = returns.place
    const { arrives, ends, place, sends } = returns
    const deposit = await arrives('20')
    const made = await sends(deposit.id)
    await ends(made)
    const refused = await place.call('POST', `/treasury/withdrawals/${made.id}/assignments`, [
      { account_id: alice.account_id, quantity: '20' },
    ])
    assert.equal(refusedWith(refused), 'STATE_NOT_ALLOWED')
  })

  it('is refused before it is final, of an own transfer, and to ourselves', async () => {
    const { arrives, askReturn, read, wire } = returns
    const pending = await read(await wire('5', { state: 'PENDING' }))
    assert.equal(refusedWith(await askReturn(pending.id, {})), 'STATE_NOT_ALLOWED')
    const frozen = await read(await wire('5', { state: 'PENDING_REVIEW' }))
    assert.equal(refusedWith(await askReturn(frozen.id, {})), 'STATE_NOT_ALLOWED')
    const own = await arrives('5', { source_address: 'GB82 WEST 1234 5698 7654 32' })
    assert.equal(refusedWith(await askReturn(own.id, {})), 'CONFLICT')
    const nameless = await arrives('5', { counterparty: { name: null, iban: PAYER, bic: null } })
    assert.equal(refusedWith(await askReturn(nameless.id, {})), 'REQUIRED route_id')
    const unnamed = await arrives('5', { source_address: null, counterparty: null })
    assert.equal(refusedWith(await askReturn(unnamed.id, {})), 'REQUIRED route_id')
    const done = await arrives('5')
    await returns.ends(await returns.sends(done.id))
    assert.equal(refusedWith(await askReturn(done.id, {})), 'STATE_NOT_ALLOWED')
  })

  it('goes over a route to the payer alone', async () => {
    const { arrives, askReturn, place, sends } = returns
    const other = await place.wallet({
      type: 'CUSTOMER',
      asset: 'EUR',
      address: 'NL91ABNA0417164300',
      customer_id: place.alice.id,
      account_id: place.alice.account_id,
    })
    const elsewhere = await place.route(place.wallets.bank, other, 'SEPA', {
      to: { name: 'Other', reference: 'x' },
    })
    const deposit = await arrives('15')
    const refused = await askReturn(deposit.id, { route_id: elsewhere.id })
    assert.equal(refusedWith(refused), 'CONFLICT route_id')
    const own = await askReturn(deposit.id, { route_id: place.routes.bankToExchange.id })
    assert.equal(refusedWith(own), 'CONFLICT route_id')
    // Alice's own account is the payer's.
    const made = await sends(deposit.id, { route_id: place.routes.bankToAlice.id })
    assert.partialDeepStrictEqual(made, { destination_address: PAYER, origin: 'RETURN' })
  })

  it('asks for the address of a coin, which does not say who sent it', async () => {
    const { askReturn, place, read } = returns
    place.arrives(
      place.vault,
      movement('coin', 'BTC', '0.5', {
        wallet: '0',
        protocol: 'BTC',
        destination_address: place.wallets.vault.address,
        source_address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      }),
    )
    await place.later(10_000)
    const deposit = await read('coin')
    assert.equal(refusedWith(await askReturn(deposit.id, {})), 'REQUIRED route_id')
    const made = await askReturn(deposit.id, { route_id: place.routes.payout.id, quantity: '0.2' })
    assert.equal(made.status, 200, made.text)
    assert.partialDeepStrictEqual(made.data, { quantity: '0.2', account_id: null })
    await place.db.query({
      strings: ["update treasury_routes set allowlist_state = 'REMOVED' where id = ", ''],
      values: [place.routes.payout.id],
    })
    const removed = await askReturn(deposit.id, { route_id: place.routes.payout.id })
    assert.equal(refusedWith(removed), 'NOT_ALLOWLISTED treasury_route_id')
  })
})
