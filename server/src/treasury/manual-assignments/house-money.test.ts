import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { workerCaller } from '../../http/index.ts'
import { refusalOf } from '../../http/testing.ts'
import { openNamedAccount } from '../../ledger/accounts/named-accounts.ts'
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import { openDeposits } from '../deposits/deposits.testing.ts'
import { bookingChange } from '../../ledger/lane/books.testing.ts'
import { TREASURY_NEEDS } from '../reports/needs.ts'
import { suspenseDifferences } from '../reports/suspense.ts'
import { CUSTOMERS_IBAN } from '../testing/movements.testing.ts'
import { departure, IBAN } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

const NOBODYS = { listed: ['tax-2'], suspense: '-4' }
const EVERYBODYS = { listed: [], suspense: '0' }

/** Interest, rewards, own capital, bank charges and tax: money that no customer owns. */
describe('money of the house', () => {
  let deposits: Awaited<ReturnType<typeof openDeposits>>
  let interest: string
  let tax: string
  before(async () => {
    deposits = await openDeposits()
    interest = await open('INCOME', 'Interest')
    tax = await open('EXPENSE', 'Tax')
  })
  after(async () => {
    assert.deepEqual(await deposits.place.verify(), [])
    await deposits.place.close()
  })

  async function open(type: 'INCOME' | 'EXPENSE' | 'HOUSE', label: string): Promise<string> {
    const { clock, db, workspace } = deposits.place
    const account = await db.tx((tx) =>
      openNamedAccount(workerCaller(workspace, 'test'), { tx, clock }, { type, label }),
    )
    return account.id
  }
  const suspense = () => deposits.place.total(deposits.place.house['SUSPENSE'] ?? '')

  /** A debit that our bank reports and nobody asked for here. */
  async function debited(foreign_id: string, quantity: string, reference_text: string) {
    const { place } = deposits
    await place.leaves(
      place.bank,
      departure(foreign_id, 'EUR', quantity, {
        wallet: IBAN,
        protocol: 'SEPA',
        destination_address: CUSTOMERS_IBAN,
        reference_text,
      }),
    )
    const { data } = await place.call<Withdrawal[]>('GET', '/treasury/withdrawals')
    const row = data.find((withdrawal) => withdrawal.foreign_id === foreign_id)
    assert.ok(row !== undefined, `${foreign_id} was seen`)
    return row
  }

  it('is assigned to an account of the house, whole or in part', async () => {
    const { assign, place, read, readById, wire } = deposits
    const { id } = await read(await wire('10'))
    assert.equal(await suspense(), '10')
    const alice = { account_id: place.alice.account_id, quantity: '4' }
    const answer = await assign<object[]>(id, [{ account_id: interest, quantity: '6' }, alice])
    assert.partialDeepStrictEqual(answer.data, [
      { account_id: interest, customer_id: null, status: 'SUCCESSFUL' },
      { account_id: alice.account_id, customer_id: place.alice.id, status: 'SUCCESSFUL' },
    ])
    assert.deepEqual(await place.bookings(id), [
      'DEPOSIT EUR D bank 10, C suspense 10',
      'DEPOSIT_ASSIGNMENT EUR D suspense 6, C Interest 6',
      'DEPOSIT_ASSIGNMENT EUR D suspense 4, C Alice 4',
    ])
    assert.partialDeepStrictEqual(await readById(id), { state: 'SUCCESSFUL', nature: 'MIXED' })
    assert.equal(await suspense(), '0')
  })

  it('is not assigned to an account that Kontor books itself', async () => {
    const { assign, place, read, wire } = deposits
    const { id } = await read(await wire('1'))
    for (const account_id of [place.house['SUSPENSE'], place.bank.accounts.VENUE])
      assert.equal(
        refusalOf(await assign(id, [{ account_id: account_id ?? '', quantity: '1' }])),
        '400 3001 RANGE [0].account_id',
      )
    await assign(id, [{ account_id: place.house.HOUSE, quantity: '1' }])
    assert.equal(await suspense(), '0')
  })

  it('is matched, in both directions', async () => {
    const { match, place, read, readById, wire } = deposits
    const reward = await match(interest, 'DESTINATION_WITH_REFERENCE', {
      destination_address: IBAN,
      reference: 'REWARD',
    })
    assert.equal(reward.status, 200, reward.text)
    const levy = await match(tax, 'DESTINATION_WITH_REFERENCE', {
      destination_address: CUSTOMERS_IBAN,
      reference: 'LEVY',
      is_withdrawal_matching: true,
    })
    assert.equal(levy.status, 200, levy.text)
    const before = { interest: await place.total(interest), tax: await place.total(tax) }
    const { id } = await read(await wire('2', { reference_text: 'reward of June' }))
    assert.partialDeepStrictEqual(await readById(id), {
      state: 'SUCCESSFUL',
      nature: 'HOUSE',
      account_id: interest,
      customer_id: null,
    })
    const paid = await debited('tax-1', '3', 'levy 2026')
    assert.equal(paid.nature, 'HOUSE')
    assert.deepEqual(await place.bookings(paid.id), [
      'WITHDRAWAL EUR D suspense 3, C bank 3',
      'WITHDRAWAL_ASSIGNMENT EUR D Tax 3, C suspense 3',
    ])
    assert.deepEqual(
      { before, after: { interest: await place.total(interest), tax: await place.total(tax) } },
      { before: { interest: '6', tax: '0' }, after: { interest: '8', tax: '3' } },
    )
    assert.equal(await suspense(), '0')
  })

  it('is listed while nobody owns what left, also once a decision says no', async () => {
    const { place } = deposits
    const listed = async () =>
      (await place.call<Withdrawal[]>('GET', '/treasury/withdrawals?unassigned=true')).data.map(
        ({ foreign_id }) => foreign_id,
      )
    const { id } = await debited('tax-2', '4', 'unknown')
    assert.deepEqual({ listed: await listed(), suspense: await suspense() }, NOBODYS)
    await place.settings({ compliance: true })
    const path = `/treasury/withdrawals/${id}/assignments`
    const assign = (quantity: string) =>
      place.call<WithdrawalAssignment>('POST', path, [{ account_id: tax, quantity }])
    const wrong = await assign('4')
    assert.deepEqual(await listed(), ['tax-2'])
    await place.call('PATCH', path, { id: wrong.data.id, status: 'REJECTED' })
    assert.deepEqual({ listed: await listed(), suspense: await suspense() }, NOBODYS)
    await place.settings({ compliance: false })
    await assign('1')
    assert.deepEqual(await listed(), ['tax-2'])
    await assign('3')
    assert.deepEqual({ listed: await listed(), suspense: await suspense() }, EVERYBODYS)
  })

  it('is rectified from the house to a customer and back', async () => {
    const { assign, place, read, wire } = deposits
    const { id } = await read(await wire('5'))
    const wrong = (await assign(id, [{ account_id: interest, quantity: '5' }])).data
    const before = await place.total(interest)
    const rectified = await place.call('POST', `/treasury/deposits/${id}/rectifications`, {
      reason: 'WRONG_ACCOUNT',
      origins: [wrong.id],
      targets: [{ account_id: place.alice.account_id, quantity: '5' }],
    })
    assert.equal(rectified.status, 200, rectified.text)
    assert.deepEqual(
      { before, after: await place.total(interest), suspense: await suspense() },
      { before: '13', after: '8', suspense: '0' },
    )
  })

  it('leaves by a withdrawal that nobody owned, while it is under way', async () => {
    const { place } = deposits
    const { id, external_id } = (
      await place.call<Withdrawal>(
        'POST',
        `/treasury/wallets/routes/${place.routes.bankToAlice.id}/withdrawals`,
        { quantity: '7', speed_level: 'DEFAULT' },
      )
    ).data
    const assigned = await place.call<WithdrawalAssignment>(
      'POST',
      `/treasury/withdrawals/${id}/assignments`,
      [{ account_id: tax, quantity: '7' }],
    )
    assert.partialDeepStrictEqual(
      assigned.data,
      { status: 'PENDING', customer_id: null },
      assigned.text,
    )
    assert.equal(await place.balance(tax, 'EUR'), '7/0')
    await place.work()
    place.models.bank.finish(external_id, { fee: 0n, fee_asset: 'EUR' })
    await place.later(10_000)
    assert.deepEqual(await place.bookings(id), ['WITHDRAWAL EUR D Tax 7, C bank 7'])
    assert.equal(await suspense(), '0')
  })

  it("is not paid from a customer's wallet", async () => {
    const { place } = deposits
    const { bank, clock } = place
    await place.wallet({
      type: 'CUSTOMER',
      asset: 'EUR',
      address: 'GB33BUKB20201555555555',
      venue_id: bank.id,
      service_id: bank.service_id,
      account_id: place.alice.account_id,
      customer_id: place.alice.id,
    })
    await place.leaves(
      bank,
      departure('from-alice', 'EUR', '1', {
        wallet: 'GB33BUKB20201555555555',
        protocol: 'SEPA',
        destination_address: CUSTOMERS_IBAN,
        reference_text: 'levy again',
        occurred_at: clock.now(),
      }),
    )
    const { data } = await place.call<Withdrawal[]>('GET', '/treasury/withdrawals')
    const row = data.find((withdrawal) => withdrawal.foreign_id === 'from-alice')
    assert.ok(row !== undefined)
    assert.equal(
      refusalOf(
        await place.call('POST', `/treasury/withdrawals/${row.id}/assignments`, [
          { account_id: tax, quantity: '1' },
        ]),
      ),
      '400 3001 WALLET_OF_ANOTHER_CUSTOMER [0].account_id',
    )
  })

  it('is on SUSPENSE movement by movement; a booking by hand there is seen', async () => {
    const { assign, place, read, wire } = deposits
    const { db, workspace, house } = place
    const differing = async () =>
      (await db.query<{ asset: string }>(suspenseDifferences(workspace))).map(({ asset }) => asset)
    const byHand = (from: string, to: string) =>
      place.app.lane.commit(bookingChange(workspace, { from, to, quantity: '3' }))
    const before = Number(await suspense())
    const deposit = await read(await wire('7'))
    const left = await debited('nobodys', '2', 'of nobody')
    assert.deepEqual([Number(await suspense()), await differing()], [before + 5, []])
    await byHand(house.HOUSE, house.SUSPENSE)
    assert.deepEqual(await differing(), ['EUR'])
    const need = TREASURY_NEEDS.find(({ kind }) => kind === 'suspense_unexplained')
    const counted =
      need && (await place.db.query<{ count: number }>(need.select(workspace, place.clock.now())))
    assert.deepEqual(
      counted?.map(({ count }) => count),
      [1],
    )
    await byHand(house.SUSPENSE, house.HOUSE)
    assert.deepEqual(await differing(), [])
    await assign(deposit.id, [{ account_id: interest, quantity: '7' }])
    const parts = [{ account_id: tax, quantity: '2' }]
    await place.call('POST', `/treasury/withdrawals/${left.id}/assignments`, parts)
    assert.deepEqual([Number(await suspense()), await differing()], [before, []])
  })
})
