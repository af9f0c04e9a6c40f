/** A return beside halts, frozen accounts, settlements and the comparison with the venue. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import type { DepositId, SettlementId } from '../core/ids.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { ledgerEndpoints } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { openReturns, refusedWith } from '../treasury/deposits/returns.testing.ts'
import { BOBS } from '../treasury/batches/shared-transactions.testing.ts'
import { assignToSettlement } from '../treasury/index.ts'
import { balance, IBAN, movement } from '../treasury/testing/venue.fixture.ts'
import { deskEndpoints } from './index.ts'
import type { CustomerWallets } from './reconciliation/customer-wallets.schema.ts'
import { ReconciliationDesk, short } from './reconciliation/reconciliation.testing.ts'

describe('a return at the desk', () => {
  let returns: Awaited<ReturnType<typeof openReturns>>
  let api: TestServer
  before(async () => {
    returns = await openReturns()
    const { app, clock, db, principal } = returns.place
    const openPeriod = async () => ({ from: null, to: null })
    api = await testServer({
      db,
      clock,
      endpoints: [...deskEndpoints(app), ...ledgerEndpoints({ ...app, openPeriod })],
      authenticate: async () => ({
        ...principal,
        permissions: new Set(['desk.read', 'halts.write', 'bookings.create']),
      }),
    })
  })
  after(async () => {
    await api.close()
    await returns.close()
  })

  const halt = async (halted: boolean) => {
    const body = { action: 'WITHDRAWALS', venue_id: returns.place.bank.id, halted, reason: 'drill' }
    assert.equal((await api.call('PUT', '/desk/halts', { body })).status, 200)
  }

  it('keeps a deposit reversed that is credited again while it waits, and shows it', async () => {
    const { arrives, askReturn, place, withdrawal } = returns
    const desk = new ReconciliationDesk(place, api)
    const deposit = await arrives('33')
    const made = await askReturn(deposit.id, {})
    for (const state of ['REVERSED', 'FINAL'] as const) {
      place.arrives(place.bank, movement(deposit.foreign_id, 'EUR', '33', { wallet: IBAN, state }))
      // The reading comes before the sending.
      await place.db.query(sql`
        update tasks
        set due_at = 0
        where kind = 'poll_venue'`)
      await place.later(10_000)
    }
    assert.equal((await returns.readById(deposit.id)).state, 'REVERSED')
    const waits = { state: 'PENDING', submitted_at: null, reason_code: 'DEPOSIT_REVERSED' }
    assert.partialDeepStrictEqual(await withdrawal(made.data.id), waits)
    place.bank.balances = [balance('EUR', '50033', { wallet: IBAN })]
    const found = (await desk.confirmed()).filter((row) => row.venue_id === place.bank.id)
    assert.deepEqual(found.map(short), ['OPEN EUR 33 UNMATCHED'])
  })

  it('is refused while a halt is set, and waits for one that is set afterwards', async () => {
    const { arrives, askReturn, place, withdrawal } = returns
    const deposit = await arrives('12')
    await halt(true)
    assert.equal(refusedWith(await askReturn(deposit.id, {})), 'HALTED')
    await halt(false)
    const made = await askReturn(deposit.id, {})
    assert.equal(made.status, 200, made.text)
    await halt(true)
    await place.work()
    const waits = { state: 'PENDING', submitted_at: null, reason_code: 'HALTED' }
    assert.partialDeepStrictEqual(await withdrawal(made.data.id), waits)
    await halt(false)
    await place.later(5_000)
    assert.notEqual((await withdrawal(made.data.id)).submitted_at, null)
  })

  it('is refused to a frozen account', async () => {
    const { arrives, askReturn, assign, place } = returns
    const { account_id } = await place.customer('Frieda')
    const deposit = await arrives('13')
    await assign(deposit.id, [{ account_id, quantity: '13' }])
    const body = { frozen: true, reason: 'a court said so' }
    assert.equal((await api.call('PUT', `/accounts/${account_id}/freeze`, { body })).status, 200)
    assert.match(refusedWith(await askReturn(deposit.id, { account_id })), /^FROZEN/)
    assert.equal((await returns.counts(deposit.id)).returning_quantity, '0')
  })

  it('keeps its deposit from being related, or paying a part of a settlement', async () => {
    const { arrives, place, sends } = returns
    const deposit = await arrives('14')
    const { id: withdrawal_id } = await sends(deposit.id, { quantity: '1' })
    const related = await place.call('POST', `/treasury/deposits/${deposit.id}/relate`, {
      withdrawal_id,
    })
    assert.equal(refusedWith(related), 'STATE_NOT_ALLOWED')
    const to = { settlement_id: newId<SettlementId>(), asset: 'EUR', arrival: undefined }
    await assert.rejects(
      assignToSettlement(place.app, place.workspace, deposit.id as DepositId, to),
      /goes back to its sender/,
    )
  })

  it("is no longer undecided in a customer's own wallet", async () => {
    const { askReturn, assignments, decide, place, read } = returns
    const { alice, route, vault, wallet, wallets } = place
    const alices = await wallet({
      type: 'CUSTOMER',
      asset: 'BTC',
      address: BOBS,
      venue_id: vault.id,
      service_id: vault.service_id,
      account_id: alice.account_id,
      customer_id: alice.id,
      configuration: { vault_id: '7', protocol: 'BTC' },
    })
    await place.settings({ compliance: true })
    const arrival = { wallet: '7', destination_address: alices.address }
    place.arrives(vault, movement('own', 'BTC', '0.5', arrival))
    await place.later(10_000)
    const deposit = await read('own')
    const [assignment] = await assignments(deposit.id)
    await decide(deposit.id, assignment?.id ?? '', 'REJECTED')
    await place.settings({ compliance: false })
    const { id: route_id } = await route(alices, wallets.alice, 'BTC')
    const made = await askReturn(deposit.id, { route_id, quantity: '0.2' })
    assert.equal(made.status, 200, made.text)
    await place.work()
    place.models.vault.finish(made.data.external_id, {})
    await place.later(60_000)
    assert.equal((await returns.counts(deposit.id)).returned_quantity, '0.2')
    vault.balances = [
      balance('BTC', '10', { wallet: '0', protocol: 'BTC' }),
      balance('BTC', '0.3', { wallet: '7', protocol: 'BTC' }),
    ]
    await new ReconciliationDesk(place, api).run()
    const query = `customer_id=${alice.id}&asset=BTC`
    const { data } = await api.call<CustomerWallets[]>('GET', `/desk/customer-wallets?${query}`)
    assert.partialDeepStrictEqual(data, [
      { venue: '0.3', total: '0', difference: '0.3', unassigned: '0.3', in_pool: '0' },
    ])
  })
})
