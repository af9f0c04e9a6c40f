/** What the words of the custodian mean. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from './client.ts'
import { findRequest, incomingState, transferState, walletReport } from './requests.ts'

test('COMPLETED with an error is not done, and words that are in no table are unknown', () => {
  const request = (status: string, code: string | null = null) => ({
    status,
    error: code === null ? null : { code, message: 'm' },
    result: null,
  })
  for (const [status, code, state] of [
    ['RECEIVED', null, 'PENDING'],
    ['IN_REVIEW', null, 'PENDING_REVIEW'],
    ['CONFIRMING', null, 'PENDING'],
    ['COMPLETED', null, 'SUCCESS'],
    ['CANCELLED', null, 'CANCELED'],
    ['NEW_WORD', null, 'UNKNOWN'],
    ['COMPLETED', 'INSUFFICIENT_FUNDS', 'FAILED'],
    ['COMPLETED', 'COMPLIANCE_REJECTED', 'REJECTED'],
    ['COMPLETED', 'NEVER_HEARD_OF', 'UNKNOWN'],
    ['', null, 'UNKNOWN'],
  ] as const)
    assert.equal(transferState(request(status, code)), state, `${status} ${code}`)
  for (const [status, code, state] of [
    ['CONFIRMING', null, 'PENDING'],
    ['COMPLETED', null, 'SUCCESS'],
    ['COMPLETED', 'DROPPED_BY_NETWORK', 'UNKNOWN'],
    ['COMPLETED', 'BROADCAST_FAILED', 'UNKNOWN'],
    ['CANCELLED', null, 'UNKNOWN'],
  ] as const) {
    const broadcast = { ...request(status, code), result: { transaction_hash: 'h' } }
    assert.equal(transferState(broadcast), state, `${status} ${code} with a hash`)
  }
  assert.deepEqual(['DETECTED', 'CONFIRMED', 'FAILED', 'NEW_WORD'].map(incomingState), [
    'PENDING',
    'FINAL',
    'FAILED',
    'PENDING',
  ])
  const wallet = (status: string, code: string | null, made: boolean) =>
    walletReport({
      ...request(status, code),
      request_id: 'r',
      reference: 'x',
      kind: 'CREATE_WALLET',
      result: made ? { wallet_id: 'w', address: 'a' } : null,
    }).state
  assert.deepEqual(
    [
      wallet('COMPLETED', null, true),
      wallet('COMPLETED', 'ANY', false),
      wallet('PROCESSING', null, false),
      wallet('CANCELLED', null, false),
      wallet('COMPLETED', null, false),
    ],
    ['ACTIVE', 'FAILED', 'CREATING', 'FAILED', 'CREATING'],
  )
})

test('a lookup is absent only when a list lacks the request', async () => {
  const answering = (data: unknown) =>
    ({ get: async () => ({ ok: true, data }) }) as unknown as Client
  const lookup = async (data: unknown) =>
    (await findRequest(answering(data), 'ours', () => 'found')).lookup
  assert.equal(await lookup({ requests: [] }), 'absent')
  assert.equal(await lookup({ requests: [{ reference: 'ours' }] }), 'found')
  for (const other of [{}, { requests: null }, { items: [] }])
    assert.equal(await lookup(other), 'unknown')
})
