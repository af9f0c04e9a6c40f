/** What a withdrawal keeps of its request, alone and in a batch. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detailsOf, sharedDetails, stakeDetails } from './withdrawals.schema.ts'

test('a withdrawal keeps each detail of its request, null where it has none', () => {
  assert.deepEqual(detailsOf({ purpose: 'Rent' }), { note: null, purpose: 'Rent' })
  assert.deepEqual(detailsOf({}), { note: null, purpose: null })
})

test('a stake keeps what its payment states; the note is always there', () => {
  assert.deepEqual(stakeDetails({}), { note: null })
  assert.deepEqual(stakeDetails({ note: 'a', purpose: 'Rent' }), { note: 'a', purpose: 'Rent' })
})

test('a withdrawal of several payments keeps the details on which they agree', () => {
  const rent = { note: 'a', purpose: 'Rent' }
  assert.deepEqual(sharedDetails([rent]), rent)
  assert.deepEqual(sharedDetails([rent, { ...rent, note: 'b' }]), { note: null, purpose: 'Rent' })
  assert.deepEqual(sharedDetails([rent, { note: 'a' }]), { note: 'a', purpose: null })
  assert.deepEqual(sharedDetails([{ note: null }, { note: null }]), { note: null, purpose: null })
})
