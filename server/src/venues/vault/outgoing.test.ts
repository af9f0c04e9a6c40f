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
    left.map((outgoing) => ({
      foreign_id: outgoing.foreign_id,
      quantity: format(outgoing.quantity),
      fee: format(outgoing.fee ?? -1n),
      state: outgoing.state,
      left: outgoing.left,
      wallet: outgoing.wallet,
      recipient_name: outgoing.recipient_name,
    })),
    [
      {
        foreign_id: 'T1:0',
        quantity: '0.5',
        fee: '0.0001',
        state: 'SUCCESS',
        left: true,
        wallet: '0',
        recipient_name: 'Alice',
      },
      {
        foreign_id: 'T1:1',
        quantity: '0.25',
        fee: '0',
        state: 'SUCCESS',
        left: true,
        wallet: '0',
        recipient_name: null,
      },
      {
        foreign_id: 'T1:2',
        quantity: '0.125',
        fee: '0',
        state: 'SUCCESS',
        left: true,
        wallet: '0',
        recipient_name: null,
      },
    ],
  )
  const arrived = movementsOf(TRANSACTION)
  assert.deepEqual(
    arrived.map((incoming) => ({
      foreign_id: incoming.foreign_id,
      quantity: format(incoming.quantity),
      wallet: incoming.wallet,
      state: incoming.state,
    })),
    [{ foreign_id: 'T1:1', quantity: '0.25', wallet: '7', state: 'FINAL' }],
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
    outgoingOf(one).map((outgoing) => ({
      foreign_id: outgoing.foreign_id,
      external_id: outgoing.external_id,
      destination_address: outgoing.destination_address,
    })),
    [
      {
        foreign_id: 'T1',
        external_id: 'ours',
        destination_address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      },
    ],
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
