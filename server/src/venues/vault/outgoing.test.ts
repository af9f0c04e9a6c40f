import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TransactionOperation, TransferPeerPathType } from '@fireblocks/ts-sdk'
import type { Fireblocks, TransactionResponse } from '@fireblocks/ts-sdk'
import { format } from '../../core/decimal.ts'
import type { Outgoing } from '../contract.ts'
import { shippedTerms, termsOf } from '../terms.ts'
import { movementsOf } from './movements.ts'
import { outgoingOf, outgoingRows } from './outgoing.ts'
import { standingOf } from './replacements.ts'

const TERMS = termsOf('the vault', shippedTerms('CUSTODY_VAULT'))

/** Of transactions that name no other one, so that nothing is asked. */
const read = async (...transactions: TransactionResponse[]): Promise<Outgoing[]> =>
  (await outgoingRows({} as Fireblocks, transactions)).flatMap((row) => outgoingOf(TERMS, row))

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

test('each output of one transaction is a movement of its own, the fee told once', async () => {
  const left = await read(TRANSACTION)
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
  const arrived = movementsOf(TERMS, TRANSACTION)
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

test("one output keeps the transaction's id, and has left once it is broadcast", async () => {
  const { destinations: _several, ...single } = TRANSACTION
  const one = {
    ...single,
    amountInfo: { amount: '1' },
    destination: { type: EXTERNAL_WALLET, id: 'w1' },
    destinationAddress: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    externalTxId: 'ours',
  }
  assert.deepEqual(
    (await read(one)).map((outgoing) => ({
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
  const states: unknown[] = []
  for (const [status, txHash] of [
    ['SUBMITTED', ''],
    ['CONFIRMING', 'hash'],
    ['FAILED', ''],
    ['FAILED', 'hash'],
    ['REJECTED', ''],
  ] as const) {
    const [outgoing] = await read({ ...one, status, txHash })
    states.push([outgoing?.state, outgoing?.left])
  }
  assert.deepEqual(states, [
    ['PENDING', false],
    ['PENDING', true],
    ['FAILED', false],
    ['UNKNOWN', false],
    ['REJECTED', false],
  ])
  assert.deepEqual(await read({ ...one, source: { type: TransferPeerPathType.Unknown } }), [])
})

test('what goes from an account to itself is a charge, once it is done', async () => {
  const { destinations: _several, ...single } = TRANSACTION
  const self = {
    ...single,
    amountInfo: { amount: '1' },
    destination: { type: VAULT_ACCOUNT, id: '0' },
  }
  const [charge, ...more] = await read(self)
  assert.deepEqual(
    [
      charge?.kind,
      format(charge?.quantity ?? 0n),
      charge?.external_id,
      more,
      movementsOf(TERMS, self),
    ],
    ['CHARGE', '0.0001', null, [], []],
  )
  assert.deepEqual(await read({ ...self, status: 'CONFIRMING' }), [])
  const ours = { ...self, externalTxId: 'ours' }
  assert.deepEqual([(await read(ours))[0]?.kind, movementsOf(TERMS, ours).length], ['TRANSFER', 1])
})

test('a token is dropped by a payment of nothing, in whichever asset it is named', () => {
  const { destinations: _several, ...single } = TRANSACTION
  const token = { ...single, assetId: 'USDC', feeCurrency: 'ETH', amountInfo: { amount: '12.5' } }
  const root = { ...token, status: 'FAILED', subStatus: 'DROPPED_BY_BLOCKCHAIN' }
  for (const assetId of ['ETH', 'USDC']) {
    const drop = { ...token, id: 'T2', txHash: 'other', assetId, amountInfo: { amount: '0' } }
    const { state, shown, former } = standingOf([root, drop])
    assert.deepEqual(
      [state, shown.id, former],
      ['CANCELED', 'T2', [{ foreign_id: 'T1', transaction_hash: 'hash' }]],
    )
  }
})

test('the fuel of the gas station names the account that it goes to', async () => {
  const { destinations: _several, ...single } = TRANSACTION
  const fuel = {
    ...single,
    amountInfo: { amount: '0.01' },
    createdBy: 'gas-station',
    destination: { type: VAULT_ACCOUNT, id: '7' },
  }
  const [outgoing] = await read(fuel)
  assert.deepEqual([outgoing?.kind, outgoing?.wallet, outgoing?.to_wallet], ['TRANSFER', '0', '7'])
  const [byHand] = await read({ ...fuel, createdBy: 'somebody' })
  assert.equal(byHand?.to_wallet, undefined)
})

test('a row without its id, its asset or a readable fee is not passed over', async () => {
  const { id: _id, ...nameless } = TRANSACTION
  const { assetId: _asset, ...assetless } = TRANSACTION
  const account = { type: VAULT_ACCOUNT, id: '0' }
  const { destinations: _none, ...one } = TRANSACTION
  const child = { ...one, source: account, destination: account, feeInfo: { networkFee: 'much' } }
  for (const transaction of [nameless, assetless, child])
    await assert.rejects(read(transaction), { kind: 'VenueUnreachable' })
  for (const transaction of [nameless, assetless])
    assert.throws(() => movementsOf(TERMS, transaction), { kind: 'VenueUnreachable' })
})
