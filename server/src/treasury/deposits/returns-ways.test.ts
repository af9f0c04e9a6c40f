/** Where a return goes: to the payer that the bank names, or over a route that somebody chooses. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { putAsset } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { IBAN, movement } from '../testing/venue.fixture.ts'
import { PAYER } from './deposits.testing.ts'
import { openReturns, refusedWith } from './returns.testing.ts'

const NEW_IBAN = 'NL91ABNA0417164300'

describe('the way of a return', () => {
  let returns: Awaited<ReturnType<typeof openReturns>>
  before(async () => {
    returns = await openReturns()
  })
  after(() => returns.close())

  /** To an account of Alice at another bank. */
  async function routeTo(address: string) {
    const { alice, route, wallet, wallets } = returns.place
    const { id: customer_id, account_id } = alice
    const owner = { type: 'CUSTOMER', customer_id, account_id } as const
    const to = await wallet({ asset: 'EUR', address, ...owner })
    return route(wallets.bank, to, 'SEPA', { to: { name: 'New', reference: 'x' } })
  }

  it('is chosen by somebody for what the bank sent back', async () => {
    const { arrives, askReturn, ends, place, sends } = returns
    const elsewhere = await routeTo(NEW_IBAN)
    // Banks name the account that was closed, or keep the roles of the payment.
    for (const source_address of [PAYER, IBAN]) {
      const deposit = await arrives('100')
      const made = await sends(deposit.id)
      await ends(made)
      const bounced = await arrives('100', {
        related_external_id: made.external_id,
        source_address,
      })
      assert.equal(bounced.related_withdrawal_id, made.id)
      assert.equal(refusedWith(await askReturn(bounced.id, {})), 'REQUIRED route_id')
      const ours = await askReturn(bounced.id, { route_id: place.routes.bankToExchange.id })
      assert.equal(refusedWith(ours), 'CONFLICT route_id')
      const again = await askReturn(bounced.id, { route_id: elsewhere.id })
      assert.equal(again.status, 200, again.text)
      assert.partialDeepStrictEqual(again.data, {
        returns_deposit_id: bounced.id,
        destination_address: NEW_IBAN,
      })
    }
  })

  it('is chosen by somebody where the bank names no account of the payer', async () => {
    const { arrives, askReturn, place } = returns
    const counterparty = { name: 'X', iban: null, bic: null }
    const unnamed = await arrives('5', { source_address: 'NOTPROVIDED', counterparty })
    assert.equal(refusedWith(await askReturn(unnamed.id, {})), 'REQUIRED route_id')
    const made = await askReturn(unnamed.id, { route_id: place.routes.bankToAlice.id })
    assert.equal(made.status, 200, made.text)
    // The account of a country without IBANs is none that SEPA pays.
    const foreign = await arrives('5', { source_address: '000123456789', counterparty })
    assert.equal(refusedWith(await askReturn(foreign.id, {})), 'REQUIRED route_id')
  })

  it('never leads to an account of ours, of whatever money', async () => {
    const { arrives, askReturn, place } = returns
    const { bank, db, venueWallet, workspace } = place
    const francs = { code: 'CHF', label: 'CHF', kind: 'FIAT', scale: 2 } as const
    await putAsset(db, workspace, { ...francs, circulating_supply: null })
    await venueWallet(bank, 'CHF', 'CH9300762011623852957')
    const own = await arrives('5', { source_address: 'CH93 0076 2011 6238 5295 7' })
    assert.equal(refusedWith(await askReturn(own.id, {})), 'CONFLICT')
    await place.db.query(sql`
      update venues
      set payout_ibans = ${[NEW_IBAN]}::text[]
      where id = ${place.exchange.id}`)
    const paidOut = await arrives('5', { source_address: NEW_IBAN })
    assert.equal(refusedWith(await askReturn(paidOut.id, {})), 'CONFLICT')
  })

  it('names the payer in the characters that banks take, or is chosen by somebody', async () => {
    const { arrives, askReturn, place, sends } = returns
    const paidBy = (name: string) =>
      arrives('5', { counterparty: { name, iban: PAYER, bic: null }, reference_text: '日本 Größe' })
    const made = await sends((await paidBy('Ä'.repeat(70))).id)
    const order = place.models.bank.sends.find(
      ({ external_id }) => external_id === made.external_id,
    )
    assert.equal(order?.recipient_name, 'Ae'.repeat(35))
    assert.match(made.reference_text ?? '', /^RETURN OF wire-[0-9]+: Groesse$/)
    const cyrillic = await paidBy('Иван')
    assert.equal(refusedWith(await askReturn(cyrillic.id, {})), 'REQUIRED route_id')
  })

  it('is a route where the venue keeps an allow-list', async () => {
    const { askReturn, place, read } = returns
    const { vault, venueWallet } = place
    const euros = { vault_id: '1', protocol: 'SEPA' }
    await venueWallet(vault, 'EUR', 'AT611904300234573201', euros)
    place.arrives(
      vault,
      movement('listed', 'EUR', '5', {
        wallet: '1',
        protocol: 'SEPA',
        source_address: PAYER,
        counterparty: { name: 'Payer', iban: PAYER, bic: null },
      }),
    )
    await place.later(10_000)
    const refused = await askReturn((await read('listed')).id, {})
    assert.equal(refusedWith(refused), 'REQUIRED route_id')
    assert.match(refused.text, /sends only to its allow-list/)
  })

  it('is told beforehand with payee and fee, and nothing is changed', async () => {
    const { arrives, place } = returns
    const deposit = await arrives('30')
    const preview = (body: object) =>
      place.call('POST', `/treasury/deposits/${deposit.id}/return?dry_run=true`, {
        reason: 'not for us',
        ...body,
      })
    const { data } = await preview({})
    assert.partialDeepStrictEqual(data, {
      dry_run: true,
      quantity: '30',
      asset: 'EUR',
      fee_asset: 'EUR',
      destination_address: PAYER,
      recipient_name: 'Payer',
    })
    assert.equal(refusedWith(await preview({ quantity: '31' })), 'SUM_MISMATCH quantity')
    assert.deepEqual(await returns.returnsOf(deposit.id), [])
    assert.equal((await returns.counts(deposit.id)).returning_quantity, '0')
  })

  it("leads to another customer's wallet only as a third-party payment", async () => {
    const { arrives, askReturn, assign, place } = returns
    const { alice, principal, route, wallet, wallets } = place
    const bob = await place.customer('Bob')
    const owner = { type: 'CUSTOMER', customer_id: bob.id, account_id: bob.account_id } as const
    const bobs = await wallet({ asset: 'EUR', address: 'BE68539007547034', ...owner })
    const toBob = await route(wallets.bank, bobs, 'SEPA', { to: { name: 'Bob', reference: 'x' } })
    const deposit = await arrives('15', { source_address: null, counterparty: null })
    await assign(deposit.id, [{ account_id: alice.account_id, quantity: '15' }])
    const over = { account_id: alice.account_id, route_id: toBob.id }
    const refused = await askReturn(deposit.id, over)
    assert.equal(refusedWith(refused), 'WALLET_OF_ANOTHER_CUSTOMER account_id')
    const { permissions } = principal
    const less = [...permissions].filter((name) => name !== 'treasury.withdrawals.third_party')
    principal.permissions = new Set(less)
    const denied = await askReturn(deposit.id, { ...over, third_party: true })
    principal.permissions = permissions
    assert.equal(denied.status, 403, denied.text)
    const made = await askReturn(deposit.id, { ...over, third_party: true })
    assert.equal(made.status, 200, made.text)
  })
})
