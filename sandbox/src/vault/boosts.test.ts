/** What is done about stuck transactions, and what the vault sends or keeps by itself. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { amount, plain } from '../amount.ts'
import { transfer, VaultRig } from './rig.ts'

const OUTSIDE_ETH = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const rig = new VaultRig()
const { approvedWallet, assertAgrees, call, control, settle, transaction, wallet } = rig
beforeEach(() => rig.begin())
afterEach(() => rig.end())

/** The fee of the next transaction is too low for the next blocks. */
const feesRise = () =>
  rig.world.faults.add({
    venue: 'chain',
    operation: 'confirm',
    kind: 'LATE',
    remaining: 1,
    delay_ms: 3_600_000,
  })

/** Sent and in the mempool: its fee is too low for the next blocks. */
async function stuck(asset: string) {
  const id = await approvedWallet(asset, ...(asset === 'ETH' ? [OUTSIDE_ETH] : []))
  const { body } = await call('POST', '/transactions', transfer(id, { assetId: asset }))
  feesRise()
  settle()
  const sent = await transaction(body.id)
  assert.deepEqual([sent.status, sent.numOfConfirmations], ['CONFIRMING', 0])
  return sent
}

test('a boost takes the place of a stuck payment, with a fee of its own', async () => {
  const before = (await wallet('ETH')).total
  const first = await stuck('ETH')
  const { body: boost } = await control(`transactions/${first.id}/boost`, {})
  for (let second = 0; second < 4; second += 1) {
    rig.world.advance(500)
    assertAgrees()
  }
  const second = await transaction(boost.id)
  assert.deepEqual(
    { replaced: second.replacedTxByHash, nonce: second.nonce, to: second.destinationAddress },
    { replaced: first.txHash, nonce: first.nonce, to: first.destinationAddress },
  )
  settle()
  const ends = [await transaction(first.id), await transaction(second.id)]
  assert.deepEqual(
    ends.map(({ status, subStatus }) => `${status} ${subStatus}`),
    ['FAILED DROPPED_BY_BLOCKCHAIN', 'COMPLETED CONFIRMED'],
  )
  const { networkFee } = second.feeInfo
  assert.ok(amount(networkFee) * 100n >= amount(first.feeInfo.networkFee) * 115n)
  assert.equal(
    (await wallet('ETH')).total,
    plain(amount(before) - amount('0.5') - amount(networkFee)),
  )
  assert.equal((await control(`transactions/${second.id}/boost`, {})).status, 409)
  assertAgrees()
})

test('a boost may be boosted again, dropped, or come too late', async () => {
  const before = (await wallet('ETH')).total
  const first = await stuck('ETH')
  const { body: boost } = await control(`transactions/${first.id}/boost`, {})
  const { body: late } = await control(`transactions/${first.id}/boost`, {})
  await control(`transactions/${late.id}`, { action: 'hold' })
  feesRise()
  settle()
  const { body: drop } = await control(`transactions/${boost.id}/drop`, {})
  settle()
  await control(`transactions/${late.id}`, { action: 'release' })
  settle()
  const end = async (id: string) => (await transaction(id)).subStatus
  assert.deepEqual(
    [await end(first.id), await end(boost.id), await end(drop.id), await end(late.id)],
    ['DROPPED_BY_BLOCKCHAIN', 'DROPPED_BY_BLOCKCHAIN', 'CONFIRMED', 'INVALID_NONCE_FOR_RBF'],
  )
  const { feeInfo, amountInfo } = await transaction(drop.id)
  assert.equal(amountInfo.amount, '0')
  assert.equal(
    (await wallet('ETH')).total,
    plain(amount(before) - amount(feeInfo.networkFee)),
    'nothing but the fee of the drop',
  )
  assert.equal((await wallet('ETH')).lockedAmount, '0')
  assertAgrees()
})

test('what the chain dropped leaves its nonce to the next one, or to its own boost', async () => {
  const first = await stuck('ETH')
  rig.world.commit(() => rig.chain.drop(first.txHash))
  settle()
  assert.equal((await transaction(first.id)).subStatus, 'DROPPED_BY_BLOCKCHAIN')
  const { body: boost } = await control(`transactions/${first.id}/boost`, {})
  settle()
  assert.deepEqual(
    [(await transaction(boost.id)).status, (await transaction(boost.id)).nonce],
    ['COMPLETED', first.nonce],
  )
  const second = await stuck('ETH')
  rig.world.commit(() => rig.chain.drop(second.txHash))
  settle()
  const third = await stuck('ETH')
  assert.equal(third.nonce, second.nonce)
  assertAgrees()
})

test('a boost of bitcoin is a child, and both confirm', async () => {
  const before = (await wallet()).total
  const parent = await stuck('BTC')
  const { body: child } = await control(`transactions/${parent.id}/boost`, {})
  settle()
  const [first, second] = [await transaction(parent.id), await transaction(child.id)]
  assert.deepEqual([first.status, second.status], ['COMPLETED', 'COMPLETED'])
  assert.deepEqual(second.extraParameters, {
    inputsSelection: { inputsToSpend: [{ txHash: parent.txHash }] },
  })
  const fees = amount(first.feeInfo.networkFee) + amount(second.feeInfo.networkFee)
  assert.equal((await wallet()).total, plain(amount(before) - amount('0.5') - fees))
  assertAgrees()
})

test('the gas station sends fuel from one account to another', async () => {
  const { body: account } = await call('POST', '/vault/accounts', { name: 'Tokens' })
  await call('POST', `/vault/accounts/${account.id}/ETH`, {})
  const { body: fuel } = await control('fuel', { from: 0, to: Number(account.id) })
  settle()
  assert.deepEqual(
    [(await transaction(fuel.id)).createdBy, (await wallet('ETH')).frozen],
    ['gas-station', '0'],
  )
  assert.equal((await call('GET', `/vault/accounts/${account.id}/ETH`)).body.total, '0.01')
  assertAgrees()
})

test('the older gas station is no vault account, and its fuel comes from outside', async () => {
  const before = (await wallet('ETH')).total
  const { body: fuel } = await control('fuel', { to: 0 })
  settle()
  const { source, status, createdBy } = await transaction(fuel.id)
  assert.deepEqual([source.type, status, createdBy], ['GAS_STATION', 'COMPLETED', ''])
  assert.equal((await wallet('ETH')).total, plain(amount(before) + amount('0.01')))
  assert.equal((await call('GET', '/transactions?destType=VAULT_ACCOUNT')).body.length, 1)
  assertAgrees()
})

test('screening freezes what comes in, and a person frees it', async () => {
  rig.failNext('fireblocks', 'screening', 'REFUSE')
  rig.arrive('0.25')
  settle()
  const [seen] = (await call('GET', '/transactions?destType=VAULT_ACCOUNT')).body
  assert.ok(seen)
  const states = async () => {
    const { status, subStatus } = await transaction(seen.id)
    const { total, available, frozen } = await wallet()
    return [status, subStatus, total, available, frozen]
  }
  const action = (word: string) => control(`transactions/${seen.id}`, { action: word })
  assert.deepEqual(await states(), ['REJECTED', 'AUTO_FREEZE', '3.25', '3', '0.25'])
  assert.equal((await action('freeze')).status, 409)
  assert.equal((await action('unfreeze')).status, 200)
  assert.deepEqual(await states(), ['COMPLETED', 'CONFIRMED', '3.25', '3.25', '0'])
  assert.equal((await action('freeze')).status, 200)
  assert.deepEqual(await states(), ['REJECTED', 'FROZEN_MANUALLY', '3.25', '3', '0.25'])
  assertAgrees()
})

test('what an exchange does not credit has left all the same', async () => {
  const id = await approvedWallet()
  const { body } = await call('POST', '/transactions', transfer(id))
  await control(`transactions/${body.id}`, { action: '3RD_PARTY_REJECTED' })
  settle()
  const { status, subStatus } = await transaction(body.id)
  assert.deepEqual([status, subStatus], ['COMPLETED', 'COMPLETED_BUT_3RD_PARTY_REJECTED'])
  assert.equal(
    (await control(`transactions/${body.id}`, { action: '3RD_PARTY_FAILED' })).status,
    409,
  )
})
