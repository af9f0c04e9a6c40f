/** Income, expense and house accounts over HTTP: opened, renamed, and in the trial balance. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { refusalOf } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import type { Account, Booking } from './ledger.schema.ts'
import { openTestLedger } from './ledger.testing.ts'
import type { TestLedger } from './ledger.testing.ts'
import type { TrialBalance } from './reports/books.schema.ts'
import { verifyBooks } from './reports/verify.ts'

describe('accounts of the house over HTTP', () => {
  let ledger: TestLedger
  let api: TestServer
  let house: string

  before(async () => {
    ledger = await openTestLedger()
    ;({ api, house } = ledger)
  })
  after(async () => {
    try {
      assert.deepEqual((await verifyBooks(ledger.db, ledger.workspace)).faults, [])
    } finally {
      await ledger.close()
    }
  })

  it('opens and renames accounts of the house, each name once', async () => {
    const open = (type: string, label: string, headers: Record<string, string> = {}) =>
      api.call<Account>('POST', '/accounts', { body: { type, label }, headers })
    const rename = (id: string, label: string) =>
      api.call<Account>('PUT', `/accounts/${id}`, { body: { label } })
    const headers = { 'idempotency-key': newId() }
    const interest = (await open('INCOME', 'Interest', headers)).data
    assert.partialDeepStrictEqual(interest, {
      type: 'INCOME',
      label: 'Interest',
      named: true,
      customer_id: null,
      venue_id: null,
      version: 1,
    })
    assert.deepEqual((await open('INCOME', 'Interest', headers)).data, interest)
    const charges = (await open('EXPENSE', 'Bank charges')).data
    await open('HOUSE', 'Own capital')
    assert.equal(refusalOf(await open('EXPENSE', 'interest')), '400 3001 DUPLICATE label')
    assert.equal(refusalOf(await rename(charges.id, 'INTEREST')), '400 3001 DUPLICATE label')
    assert.equal(refusalOf(await open('CUSTOMER', 'Eve')), '400 3001 ENUM type')
    assert.equal(refusalOf(await open('INCOME', ' ')), '400 3001 FORMAT label')
    assert.equal(refusalOf(await rename(house, 'Ours')), '400 3001 RANGE account_id')
    assert.equal(refusalOf(await rename(newId(), 'Nobody')), '404 4004 NOT_FOUND account_id')
    assert.partialDeepStrictEqual((await rename(charges.id, 'Charges')).data, {
      label: 'Charges',
      version: 2,
    })
    const expenses = await api.call<Account[]>('GET', '/accounts?type=EXPENSE')
    assert.partialDeepStrictEqual(expenses.data, [{ id: charges.id, label: 'Charges' }])
  })

  it('shows income as a credit in the trial balance, and expenses as a debit', async () => {
    const [income] = (await api.call<Account[]>('GET', '/accounts?type=INCOME')).data
    const [expense] = (await api.call<Account[]>('GET', '/accounts?type=EXPENSE')).data
    const booked = await api.call<Booking>('POST', '/bookings', {
      body: {
        asset: 'EUR',
        legs: [
          { account_id: expense?.id, type: 'DEBIT', quantity: '3' },
          { account_id: income?.id, type: 'CREDIT', quantity: '3' },
        ],
      },
    })
    assert.equal(booked.status, 200, booked.text)
    assert.deepEqual(
      booked.data.legs.map((leg) => leg.balance_after),
      ['3', '3'],
    )
    const { data } = await api.call<TrialBalance>('GET', '/bookings/trial-balance')
    assert.deepEqual(
      data.assets[0]?.lines.filter(({ type }) => type === 'INCOME' || type === 'EXPENSE'),
      [
        { type: 'INCOME', debit: '0', credit: '3' },
        { type: 'EXPENSE', debit: '3', credit: '0' },
      ],
    )
  })
})
