import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { suggestionsFor } from './suggestions.ts'
import type { Known, Unclear } from './suggestions.ts'

const deposit: Unclear = { asset: 'EUR', source_address: null, destination_address: 'DE1', tag: null, reference_text: null, counterparty: { name: 'Somebody', iban: 'DE89 3704' } }
const known: Known = {
  accounts: [{ id: 'a1', customer_id: 'c1' }, { id: 'a2', customer_id: 'c2' }, { id: 'house', customer_id: null }],
  customers: [{ id: 'c1', label: 'Jonas Keller', foreign_id: 'k-17' }, { id: 'c2', label: 'Alpine Family Office' }],
  wallets: [{ customer_id: 'c2', address: 'DE893704', label: 'House bank' }],
  matchings: [{ resource_id: 'a1', state: 'ACTIVE', details: { asset: 'EUR', is_withdrawal_matching: false, destination_address: 'DE1', source_address: null, reference: 'KELLER' } }],
  earlier: [],
}
const ranked = (change: Partial<Unclear>, more: Partial<Known> = {}) => suggestionsFor({ ...deposit, ...change }, { ...known, wallets: [], ...more }).map((each) => each.account_id)

describe('suggestions for a deposit', () => {
  it('finds the sender by wallet, by name in any spelling, and by what it paid before', () => {
    assert.deepEqual(suggestionsFor(deposit, known), [{ account_id: 'a2', why: 'It was sent from their wallet House bank' }])
    assert.deepEqual(ranked({ counterparty: { name: 'KELLER, Jonas', iban: null } }), ['a1'])
    assert.deepEqual(ranked({}, { earlier: ['a2', 'a1', 'a2'] }), ['a2', 'a1'])
  })
  it('reads the reference, and ranks several reasons above one', () => {
    assert.deepEqual(ranked({ reference_text: 'Einzahlung Alpine' }), ['a2'])
    assert.deepEqual(ranked({ reference_text: 'alpine for K-17 Keller' }), ['a1', 'a2'])
    assert.deepEqual(ranked({ tag: 'KELLER' }), ['a1'])
  })
  it('says nothing without a reason', () => {
    assert.deepEqual(ranked({ counterparty: { name: 'AG', iban: null }, reference_text: 'von an und zu' }), [])
    assert.deepEqual(ranked({ asset: 'BTC', tag: 'KELLER' }), [])
  })
})
