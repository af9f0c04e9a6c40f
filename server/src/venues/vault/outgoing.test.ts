import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TransactionOperation, TransferPeerPathType } from '@fireblocks/ts-sdk'
import type { TransactionResponse } from '@fireblocks/ts-sdk'
import { format } from '../../core/decimal.ts'
import { movementsOf, outgoingOf } from './movements.ts'

const { VaultAccount: VAULT_ACCOUNT, ExternalWallet: EXTERNAL_WALLET } = TransferPeerPathType
/**
 * Coins to a customer and to another vault account of ours, and the change back: three outputs of
 * one transaction.
 */
const TRANSACTION: TransactionResponse = {
  id: 'T1',
  assetId: 'BTC',
  operation: TransactionOperation.Transfer,
  status: 'COMPLETED',
  subStatus: 'CONFIRMED',
  txHash: 'hash',
  createdAt: 1_800_000_000_000,
  feeCurrency: 'BTC',
  feeInfo: { networkFee: '0.0001' },
  source: { type: VAULT_ACCOUNT, id: '0' },
  destinations: [
    { amount: '0.5', destination: { type: EXTERNAL_WALLET, id: 'w1', name: 'Alice' } },
    { amount: '0.25', destination: { type: VAULT_ACCOUNT, id: '7' } },
    { amount: '0.125', destination: { type: EXTERNAL_WALLET, id: 'w2' } },
  ],
}

test('each output of one transaction is a movement of its own, the fee told once', () => {
  const left = outgoingOf(TRANSACTION)
  assert.deepEqual(
    left.map((outgoing) => [
      outgoing.foreign_id,
      format(outgoing.quantity),
      format(outgoing.fee ?? -1n),
      outgoing.state,
      outgoing.left,
      outgoing.wallet,
      outgoing.recipient_name,
    ]),
    [
      ['T1:0', '0.5', '0.0001', 'SUCCESS', true, '0', 'Alice'],
      ['T1:1', '0.25', '0', 'SUCCESS', true, '0', null],
      ['T1:2', '0.125', '0', 'SUCCESS', true, '0', null],
    ],
  )
  const arrived = movementsOf(TRANSACTION)
  assert.deepEqual(
    arrived.map((incoming) => [
      incoming.foreign_id,
      format(incoming.quantity),
      incoming.wallet,
      incoming.state,
    ]),
    [['T1:1', '0.25', '7', 'FINAL']],
  )
})

test("one output keeps the transaction's id, and has left once it is broadcast", () => {
  const { destinations: _several, ...single } = TRANSACTION
  const one = {
    ...single,
    amountInfo: { amount: '1' },
    destination: { type: EXTERNAL_WALLET, id: 'w1' },
    destinationAddress: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    externalTxId: 'ours',
  }
  assert.deepEqual(
    outgoingOf(one).map((outgoing) => [
      outgoing.foreign_id,
      outgoing.external_id,
      outgoing.destination_address,
    ]),
    [['T1', 'ours', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq']],
  )
  const states = (
    [
      ['SUBMITTED', ''],
      ['CONFIRMING', 'hash'],
      ['FAILED', 'hash'],
      ['REJECTED', ''],
    ] as const
  ).map(
    ([status, txHash]) =>
      outgoingOf({ ...one, status, txHash }).map((outgoing) => [outgoing.state, outgoing.left])[0],
  )
  assert.deepEqual(states, [
    ['PENDING', false],
    ['PENDING', true],
    ['FAILED', false],
    ['REJECTED', false],
  ])
  assert.deepEqual(outgoingOf({ ...one, source: { type: TransferPeerPathType.Unknown } }), [])
})
