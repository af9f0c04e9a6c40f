import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { amount, plain } from '../amount.ts'
import { transfer, VaultRig } from './rig.ts'

const rig = new VaultRig()
const { approvedWallet, assertAgrees, call, settle, transaction, wallet } = rig

describe('one transaction with several destinations', () => {
  /** An external wallet outside, an account of the vault, and its address as external wallet. */
  let outside: string
  let own: string
  let collection: string

  beforeEach(async () => {
    await rig.begin()
    outside = await approvedWallet()
    own = (await call('POST', '/vault/accounts', { name: 'second' })).body.id
    const { address } = (await call('POST', `/vault/accounts/${own}/BTC`)).body
    collection = await approvedWallet('BTC', address)
  })
  afterEach(() => rig.end())

  const external = (id: string, quantity: string) => ({
    amount: quantity,
    destination: { type: 'EXTERNAL_WALLET', id },
  })
  const pair = () => [external(outside, '0.5'), external(collection, '0.25')]
  const many = (destinations: object[], more: object = {}) =>
    transfer(outside, { destination: undefined, amount: undefined, destinations, ...more })
  const send = async (body: object) => (await call('POST', '/transactions', body)).body
  const ownTotal = async () => (await call('GET', `/vault/accounts/${own}/BTC`)).body.total
  const arrivals = async () => (await call('GET', '/transactions?destType=VAULT_ACCOUNT')).body
  const estimate = async (body: object) =>
    (await call('POST', '/transactions/estimate_fee', body)).body.medium.networkFee

  test('costs more than one with one destination', async () => {
    assert.ok(amount(await estimate(many(pair()))) > amount(await estimate(transfer(outside))))
  })

  test('pays all of them for one fee', async () => {
    const { id } = await send(many(pair(), { amount: '0.75' }))
    const fee = (await transaction(id)).feeInfo.networkFee
    assert.equal((await wallet()).lockedAmount, plain(amount('0.75') + amount(fee)))
    settle()
    const done = await transaction(id)
    assert.deepEqual(
      {
        status: done.status,
        amount: done.amountInfo.amount,
        destinations: done.destinations.map((payment) => ({
          amount: payment.amount,
          id: payment.destination.id,
        })),
      },
      {
        status: 'COMPLETED',
        amount: '0.75',
        destinations: [
          { amount: '0.5', id: outside },
          { amount: '0.25', id: collection },
        ],
      },
    )
    const outputs = rig.chain.find(done.txHash)
    assert.deepEqual(
      outputs.map((output) => ({ quantity: output.quantity, fee: output.fee })),
      [
        { quantity: '0.5', fee },
        { quantity: '0.25', fee: '0' },
      ],
    )
    assert.deepEqual(
      { own: await ownTotal(), first: (await wallet()).total },
      { own: '0.25', first: plain(amount('3') - amount('0.75') - amount(fee)) },
    )
    assert.deepEqual(
      (await arrivals()).map(({ destination, index }) => ({ id: destination.id, index })),
      [{ id: own, index: outputs[1]?.output_index }],
    )
  })

  // To accounts of the vault by their number there is the one transaction only, two arriving
  // outputs each counted.
  test('pays an account by its number', async () => {
    await send(many(pair(), { amount: '0.75' }))
    settle()
    const inside = { amount: '0.1', destination: { type: 'VAULT_ACCOUNT', id: own } }
    const within = await send(many([inside, external(outside, '0.2')]))
    settle()
    assert.equal(await ownTotal(), '0.35')
    assert.ok((await arrivals()).some(({ id }) => id === within.id))
    assertAgrees()
  })

  test('pays all of them or none', async () => {
    const before = (await wallet()).total
    rig.failNext('chain', 'confirm', 'REFUSE')
    const { id } = await send(many(pair()))
    settle()
    assert.deepEqual(
      { status: (await transaction(id)).status, own: await ownTotal() },
      { status: 'FAILED', own: '0' },
    )
    assert.equal((await wallet()).total, before)
    assertAgrees()
  })

  test('needs a blockchain of outputs and a sum that is right', async () => {
    const ether = await approvedWallet('ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
    for (const refused of [
      many(pair(), { amount: '0.7' }),
      many(pair(), { destination: pair()[0] }),
      many([external(outside, '0.5'), external('nobody', '0.1')]),
      many([external(outside, '0.5'), external(outside, '0')]),
      many([external(ether, '0.1'), external(ether, '0.1')], { assetId: 'ETH' }),
    ]) {
      const { status } = await call('POST', '/transactions', refused)
      assert.equal(status, 400, JSON.stringify(refused))
    }
  })
})
