/** What a withdrawal keeps of its request, alone and in a batch. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detailsOf, sharedDetails, stakeDetails } from './withdrawals.schema.ts'

const NONE = { note: null, purpose: null, client_ref: null }

test('a withdrawal keeps each detail of its request, null where it has none', () => {
  assert.deepEqual(detailsOf({ purpose: 'Rent' }), { ...NONE, purpose: 'Rent' })
  assert.deepEqual(detailsOf({}), NONE)
})

test('a stake keeps what its payment states; the note is always there', () => {
  assert.deepEqual(stakeDetails({}), { note: null })
  assert.deepEqual(stakeDetails({ note: 'a', purpose: 'Rent' }), { note: 'a', purpose: 'Rent' })
})

test('a withdrawal of several payments keeps the details on which they agree', () => {
  const rent = { note: 'a', purpose: 'Rent', client_ref: 'r-1' }
  assert.deepEqual(sharedDetails([rent]), rent)
  assert.deepEqual(sharedDetails([rent, { ...rent, note: 'b' }]), { ...rent, note: null })
  assert.deepEqual(sharedDetails([rent, { note: 'a' }]), { ...NONE, note: 'a' })
  assert.deepEqual(sharedDetails([{ note: null }, { note: null }]), NONE)
})
