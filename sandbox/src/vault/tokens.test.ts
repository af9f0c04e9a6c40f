import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { amount, plain } from '../amount.ts'
import { transfer, VaultRig } from './rig.ts'
import type { Body } from './rig.ts'

const OUTSIDE_ETH = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

const rig = new VaultRig()
const { approvedWallet, assertAgrees, call, control, failNext, settle, transaction, wallet } = rig
beforeEach(() => rig.begin())
afterEach(() => rig.end())

const tokens = (id: string, more: object = {}) =>
  transfer(id, { assetId: 'USDC', amount: '125.000001', ...more })

const held = async () => ({
  tokens: (await wallet('USDC')).total,
  ether: (await wallet('ETH')).total,
  locked: [(await wallet('USDC')).lockedAmount, (await wallet('ETH')).lockedAmount],
})

test('a token lives at its account’s ETH address and pays its fee in ETH', async () => {
  assert.equal(rig.vault.address('USDC'), rig.vault.address('ETH'))
  const id = await approvedWallet('USDC', OUTSIDE_ETH)
  const before = await held()
  const { body: sent } = await call('POST', '/transactions', tokens(id))
  const { fee } = rig.chain.fee('ETH', 'MEDIUM', 'USDC')
  assert.deepEqual((await held()).locked, ['125.000001', fee])
  settle()
  assertAgrees()
  const done = (await transaction(sent.id)) as Body & { assetType: string; feeCurrency: string }
  assert.deepEqual(
    [done.status, done.assetType, done.feeCurrency, done.feeInfo.networkFee],
    ['COMPLETED', 'ERC20', 'ETH', fee],
  )
  assert.deepEqual(await held(), {
    tokens: plain(amount(before.tokens) - amount('125.000001')),
    ether: plain(amount(before.ether) - amount(fee)),
    locked: ['0', '0'],
  })
})

test('without ETH for the fee it fails, and nothing has moved', async () => {
  const id = await approvedWallet('USDC', OUTSIDE_ETH)
  const all = await approvedWallet('ETH', OUTSIDE_ETH)
  const { total } = await wallet('ETH')
  const { fee } = rig.chain.fee('ETH', 'MEDIUM')
  const rest = { assetId: 'ETH', amount: plain(amount(total) - amount(fee)) }
  await call('POST', '/transactions', transfer(all, rest))
  const before = await held()
  const { body: sent } = await call('POST', '/transactions', tokens(id))
  const failed = await transaction(sent.id)
  assert.deepEqual([failed.status, failed.subStatus], ['FAILED', 'INSUFFICIENT_FUNDS_FOR_FEE'])
  assert.deepEqual(await held(), before)
  settle()
  assertAgrees()
})

test('what is rejected, or dropped by the chain, gives both assets back', async () => {
  const id = await approvedWallet('USDC', OUTSIDE_ETH)
  const before = await held()
  for (const [venue, operation] of [
    ['fireblocks', 'broadcast'],
    ['chain', 'confirm'],
  ] as const) {
    failNext(venue, operation, 'REFUSE')
    const { body: sent } = await call('POST', '/transactions', tokens(id))
    settle()
    assert.equal((await transaction(sent.id)).status, 'FAILED')
    assert.deepEqual(await held(), before)
    assertAgrees()
  }
})

/** Sent and in the mempool for an hour. */
async function stuck() {
  const id = await approvedWallet('USDC', OUTSIDE_ETH)
  const { body } = await call('POST', '/transactions', tokens(id))
  const late = { kind: 'LATE', remaining: 1, delay_ms: 3_600_000 } as const
  rig.world.faults.add({ venue: 'chain', operation: 'confirm', ...late })
  settle()
  return transaction(body.id)
}

/** What an account held before, less these. */
const less = (before: Awaited<ReturnType<typeof held>>, sent: string, fee: string) => ({
  tokens: plain(amount(before.tokens) - amount(sent)),
  ether: plain(amount(before.ether) - amount(fee)),
  locked: ['0', '0'],
})

test('a boost pays the same tokens with the same nonce, and a higher fee in ETH', async () => {
  const before = await held()
  const first = await stuck()
  const { body: made } = await control(`transactions/${first.id}/boost`, {})
  const rise = plain(amount(made.network_fee) - amount(first.feeInfo.networkFee))
  assert.deepEqual((await held()).locked, ['0', rise], 'the rest comes back from the first one')
  for (let second = 0; second < 4; second += 1) {
    rig.world.advance(500)
    assertAgrees()
  }
  settle()
  const [one, two] = [await transaction(first.id), await transaction(made.id)]
  assert.deepEqual(
    [one.status, two.status, two.nonce, two.replacedTxByHash, two.amountInfo.amount],
    ['FAILED', 'COMPLETED', first.nonce, first.txHash, '125.000001'],
  )
  assert.deepEqual(await held(), less(before, '125.000001', two.feeInfo.networkFee))
  assertAgrees()
})

test('a drop pays nothing of ETH with the nonce of the tokens, which stay', async () => {
  const before = await held()
  const first = await stuck()
  const { body: made } = await control(`transactions/${first.id}/drop`, {})
  settle()
  const drop = (await transaction(made.id)) as Body & { assetId: string }
  assert.deepEqual(
    [drop.status, drop.assetId, drop.amountInfo.amount, drop.nonce, drop.replacedTxByHash],
    ['COMPLETED', 'ETH', '0', first.nonce, first.txHash],
  )
  assert.equal((await transaction(first.id)).subStatus, 'DROPPED_BY_BLOCKCHAIN')
  assert.deepEqual(await held(), less(before, '0', drop.feeInfo.networkFee))
  assertAgrees()
})

test('tokens from outside arrive in a wallet of their own, finer amounts are refused', async () => {
  const sender = rig.chain.outside().find(({ protocol }) => protocol === 'ETH')
  const { fee } = rig.chain.fee('ETH', 'MEDIUM', 'USDC')
  const before = await held()
  const send = (quantity: string) =>
    rig.world.commit(() =>
      rig.chain.send({
        asset: 'USDC',
        protocol: 'ETH',
        from_address: sender?.address ?? '',
        to_address: rig.vault.address('ETH'),
        tag: null,
        quantity,
        fee,
      }),
    )
  assert.throws(() => send('0.0000001'), /cannot be sent/)
  send('0.000001')
  settle()
  assert.equal((await held()).tokens, plain(amount(before.tokens) + amount('0.000001')))
  assert.equal((await held()).ether, before.ether)
  assertAgrees()
  await rig.restart()
  assertAgrees()
})
