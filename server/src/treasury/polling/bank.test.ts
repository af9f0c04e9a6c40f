/** After each story at the simulated bank our books of the account equal the bank's. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { refusalOf } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { openBank } from './bank.testing.ts'

describe('the treasury at the bank', () => {
  let bank: Awaited<ReturnType<typeof openBank>>
  before(async () => {
    bank = await openBank()
  })
  after(() => bank.close())

  it('asks a FOREIGN route for BIC or ABA, by their checksums', async () => {
    const { call, route, wallets } = bank
    const fields = await call<{ to: { name: string; required: boolean }[] }>(
      'GET',
      `/treasury/wallets/routes/fields/${wallets.bank.id}/FOREIGN`,
    )
    assert.deepEqual(
      fields.data.to.map((row) => `${row.name} ${row.required}`),
      [
        'name true',
        'reference true',
        'bic false',
        'credit_institution false',
        'aba false',
        'street false',
        'building_number false',
        'post_code false',
        'town false',
        'country false',
      ],
    )
    const refused = async (protocol: string, transfer: Record<string, string>) =>
      refusalOf(await route(wallets.overseas, protocol, transfer))
    assert.equal(await refused('FOREIGN', {}), '400 3001 REQUIRED transfer.to.bic')
    assert.equal(await refused('FOREIGN', { bic: 'WESTGB2' }), '400 3001 FORMAT transfer.to.bic')
    assert.equal(await refused('FOREIGN', { aba: '021000022' }), '400 3001 FORMAT transfer.to.aba')
    const aba = '021000021'
    assert.equal(
      await refused('FOREIGN', { aba, street: 'Main Street' }),
      '400 3001 REQUIRED transfer.to.town',
    )
    assert.equal(
      await refused('SEPA', { town: 'Bern', country: 'ZZ' }),
      '400 3001 FORMAT transfer.to.country',
    )
    assert.equal(
      await refused('SEPA', { bic: 'WESTGB2LXXX' }),
      '400 3001 UNKNOWN_FIELD transfer.to.bic',
    )
    assert.equal(
      (
        await route(wallets.overseas, 'FOREIGN', {
          aba: '021000021',
          credit_institution: 'West Bank',
        })
      ).status,
      200,
    )
  })

  it('keeps a payment whose payee does not match until the bank is told to go on', async () => {
    const { agrees, call, control, days, pay, sandbox, until, wallets, withdrawal } = bank
    const { id, external_id } = await pay(wallets.bob, '7', 'SEPA', {
      name: 'Close match Robert Example',
    })
    const message_id = external_id.replaceAll('-', '')
    const decide = (decision: string, payee_check = 'RVMC') =>
      call('POST', `/treasury/withdrawals/${id}/review-decision`, {
        decision,
        payee_check,
        reason: 'Robert called',
      })
    assert.equal(refusalOf(await decide('RELEASE', 'RVNM')), '400 3001 CONFLICT payee_check')
    assert.equal((await decide('WITHDRAW')).status, 200)
    assert.equal((await decide('RELEASE')).status, 200)
    assert.partialDeepStrictEqual(await withdrawal(id), {
      state: 'PENDING_REVIEW',
      payee_check: 'RVMC',
      payee_name: 'Robert Example',
      review_decision: 'RELEASE',
      review_reason: 'Robert called',
    })
    await control('payee-checks', { message_id, decision: 'RELEASE' })
    await until('the bank goes on', async () => (await withdrawal(id)).sub_state === 'ACCP')
    assert.equal(refusalOf(await decide('WITHDRAW')), '400 3001 STATE_NOT_ALLOWED ')
    await days(20_000)
    await until('it succeeds', async () => (await withdrawal(id)).state === 'SUCCESS')
    assert.equal(await sandbox.received('bank', 'payment', message_id), 1)
    await agrees()
  })

  it('frees what a canceled payment held, and its decision stays on record', async () => {
    const { agrees, alice, call, control, pay, total, until, wallets, withdrawal } = bank
    const before = await total(alice.account_id)
    const { id, external_id } = await pay(wallets.bob, '8', 'SEPA', { name: 'No match' })
    const body = { decision: 'WITHDRAW', payee_check: 'RVNM', reason: 'Nobody knows that name' }
    await call('POST', `/treasury/withdrawals/${id}/review-decision`, body)
    const message_id = external_id.replaceAll('-', '')
    await control('payee-checks', { message_id, decision: 'CANCEL' })
    await until('it is canceled', async () => (await withdrawal(id)).state === 'CANCELED')
    assert.equal((await withdrawal(id)).review_decision, 'WITHDRAW')
    assert.equal(await total(alice.account_id), before)
    await agrees()
  })

  it("pays abroad: slower, and what the bank charges is the withdrawal's fee", async () => {
    const { agrees, alice, days, pay, total, types, until, wallets, withdrawal } = bank
    const before = await total(alice.account_id)
    const sent = await pay(wallets.bob, '250', 'FOREIGN', { bic: 'OTHRATWWXXX' })
    assert.equal(sent.fee_estimate, '12')
    await days(20_000)
    assert.equal((await withdrawal(sent.id)).state, 'PENDING')
    await days(15_000)
    await until('it succeeds and is charged', async () => {
      const row = await withdrawal(sent.id)
      return row.state === 'SUCCESS' && row.fee === '12.5'
    })
    assert.deepEqual((await types(sent.id)).toSorted(), ['WITHDRAWAL', 'WITHDRAWAL_FEE'])
    assert.equal(
      Number(before) - Number(await total(alice.account_id)),
      250,
      'the house bears the fee',
    )
    await agrees()
  })

  it('takes back what the bank returns after SUCCESS, to its account', async () => {
    const { agrees, alice, days, deposits, pay, total, until, wallets, withdrawal } = bank
    const before = await total(alice.account_id)
    const sent = await pay(wallets.nobody, '33.3')
    await days(5_000)
    await until('it succeeds', async () => (await withdrawal(sent.id)).state === 'SUCCESS')
    await days(20_000)
    const returned = await until('it is returned', async () =>
      (await deposits()).find(
        (deposit) => deposit.related_withdrawal_id === sent.id && deposit.state === 'SUCCESSFUL',
      ),
    )
    assert.deepEqual(
      {
        quantity: returned.quantity,
        state: (await withdrawal(sent.id)).state,
        total: await total(alice.account_id),
      },
      { quantity: '33.3', state: 'SUCCESS', total: before },
    )
    await agrees()
  })

  it('reverses a deposit that the bank takes back, with an alert, at any balance', async () => {
    const {
      agrees,
      alice,
      call,
      control,
      days,
      deposits,
      externals,
      place,
      total,
      types,
      until,
      wire,
    } = bank
    const before = await total(alice.account_id)
    const { wire_id, from_iban } = await wire('70', 'KD-1')
    const matched = await call('POST', '/accounts/matchings', {
      resource_id: alice.account_id,
      type: 'SOURCE_WITHOUT_REFERENCE',
      details: { asset: 'EUR', is_withdrawal_matching: false, source_address: from_iban },
    })
    assert.equal(matched.status, 200, matched.text)
    await days(15_000)
    const deposit = await until('it arrives', async () =>
      (await deposits()).find(
        (deposit) => deposit.quantity === '70' && deposit.state === 'SUCCESSFUL',
      ),
    )
    assert.equal(Number(await total(alice.account_id)) - Number(before), 70)
    await control('reverse', { wire_id })
    await until(
      'it is reversed',
      async () => (await deposits()).find((row) => row.id === deposit.id)?.state === 'REVERSED',
    )
    assert.deepEqual(
      { total: await total(alice.account_id), types: await types(deposit.id) },
      { total: before, types: ['DEPOSIT', 'DEPOSIT_ASSIGNMENT', 'REVERSAL', 'REVERSAL'] },
    )
    const reversals = await place.db.query<{ data: { alert?: boolean } }>(
      sql`
        select data
        from events
        where workspace = ${place.workspace}
          and resource_id = ${deposit.id}
          and type = 'deposit.reversed'`,
    )
    assert.deepEqual(
      reversals.map((row) => row.data.alert),
      [true],
    )
    assert.deepEqual(await externals(), [])
    await agrees()
  })

  it('counts an entry once when the statement has it before the notification', async () => {
    const { agrees, control, days, deposits, sandbox, until, wire } = bank
    for (const kind of ['LATE', 'TIMEOUT_AFTER_ACCEPT'] as const) {
      await sandbox.fault('bank', 'notification', kind, { delay_ms: 120_000 })
      const quantity = kind === 'LATE' ? '8.01' : '8.02'
      await wire(quantity, 'late')
      await days(15_000)
      await control('statement')
      const seen = await until(`${kind}: the statement tells it`, async () =>
        (await deposits()).find(
          (deposit) => deposit.quantity === quantity && deposit.state === 'SUCCESSFUL',
        ),
      )
      await days(125_000)
      await agrees()
      assert.deepEqual(
        (await deposits())
          .filter((deposit) => deposit.quantity === quantity)
          .map((deposit) => deposit.version),
        [seen.version],
      )
    }
  })

  it('integrates outside payments on SUSPENSE, and charges as costs', async () => {
    const { agrees, alice, call, control, externals, house, total, types, until, wallets } = bank
    const [suspense, fees, before] = [
      await total(house.SUSPENSE),
      await total(house.FEE),
      await total(alice.account_id),
    ]
    await control('debit', {
      quantity: '15',
      to_iban: wallets.bob.address,
      to_name: 'Bob Example',
      reference: 'paid by hand',
    })
    await control('debit', { quantity: '4.5', reference: 'account charges' })
    await until('both are integrated', async () => (await externals()).length === 2)
    await control('statement')
    await agrees()
    const [payment, charge] = (await externals()).toSorted(
      (a, b) => Number(b.quantity) - Number(a.quantity),
    )
    assert.ok(payment !== undefined && charge !== undefined)
    assert.deepEqual(
      {
        state: payment.state,
        quantity: payment.quantity,
        destination_address: payment.destination_address,
        types: await types(payment.id),
      },
      {
        state: 'SUCCESS',
        quantity: '15',
        destination_address: wallets.bob.address,
        types: ['WITHDRAWAL'],
      },
    )
    assert.equal(charge.quantity, '4.5')
    assert.deepEqual(await types(charge.id), ['WITHDRAWAL_FEE'])
    assert.equal(Number(await total(house.FEE)) - Number(fees), 4.5)
    const assigned = await call('POST', `/treasury/withdrawals/${payment.id}/assignments`, [
      { account_id: alice.account_id, quantity: '15' },
    ])
    assert.equal(assigned.status, 200, assigned.text)
    assert.equal(await total(house.SUSPENSE), suspense)
    assert.equal(Number(before) - Number(await total(alice.account_id)), 15)
    assert.equal((await externals()).length, 2)
  })
})
