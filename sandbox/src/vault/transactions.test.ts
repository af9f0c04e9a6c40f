import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { amount, plain } from '../amount.ts'
import { OUTSIDE_BTC, transfer, VaultRig } from './rig.ts'

const rig = new VaultRig()
const { approvedWallet, assertAgrees, call, control, settle, transaction, wallet } = rig
beforeEach(() => rig.begin())
afterEach(() => rig.end())

test('amount and fee leave the account, and the chain agrees at every step', async () => {
  const id = await approvedWallet()
  const { body: sent } = await call('POST', '/transactions', transfer(id))
  assert.equal(sent.status, 'SUBMITTED')
  const { fee } = rig.chain.fee('BTC', 'MEDIUM')
  const before = await wallet()
  assert.deepEqual(
    { total: before.total, locked: before.lockedAmount },
    { total: '3', locked: plain(amount('0.5') + amount(fee)) },
  )
  const states: string[] = []
  for (let step = 0; step < 120; step += 1) {
    rig.world.advance(250)
    assertAgrees()
    const { status } = await transaction(sent.id)
    if (states.at(-1) !== status) states.push(status)
  }
  assert.deepEqual(states, [
    'SUBMITTED',
    'PENDING_SIGNATURE',
    'BROADCASTING',
    'CONFIRMING',
    'COMPLETED',
  ])
  const done = await transaction(sent.id)
  assert.deepEqual(
    {
      subStatus: done.subStatus,
      confirmations: done.numOfConfirmations,
      fee: done.feeInfo.networkFee,
      address: done.destinationAddress,
    },
    { subStatus: 'CONFIRMED', confirmations: 2, fee, address: OUTSIDE_BTC },
  )
  const after = await wallet()
  assert.deepEqual(
    { total: after.total, locked: after.lockedAmount },
    { total: plain(amount('2.5') - amount(fee)), locked: '0' },
  )
  assert.equal(rig.chain.received(OUTSIDE_BTC).length, 1)
})

test('an external id is taken once; a known idempotency key gets the same answer', async () => {
  const id = await approvedWallet()
  const request = transfer(id)
  const headers = { 'idempotency-key': 'k1' }
  const first = await call('POST', '/transactions', request, { headers })
  const repeat = await call('POST', '/transactions', request, { headers })
  assert.deepEqual(repeat.body, first.body)
  const again = await call('POST', '/transactions', request)
  assert.deepEqual({ status: again.status, code: again.body.code }, { status: 400, code: 1438 })
  const found = await call('GET', `/transactions/external_tx_id/${request.externalTxId}`)
  assert.equal(found.body.id, first.body.id)
  const received = rig.world
    .counts()
    .find(
      (count) =>
        count.operation === 'create_transaction' && count.reference === request.externalTxId,
    )
  assert.equal(received?.count, 3)
  settle()
  assert.equal(rig.chain.received(OUTSIDE_BTC).length, 1)
})

test('what the vault cannot send is refused', async () => {
  const id = await approvedWallet()
  const refused = [
    { destination: { type: 'ONE_TIME_ADDRESS', oneTimeAddress: { address: OUTSIDE_BTC } } },
    { destination: { type: 'EXTERNAL_WALLET', id: 'none' } },
    { destination: { type: 'VAULT_ACCOUNT', id: '9' } },
    { amount: '0' },
    { amount: '1e3' },
    { amount: '0.000000001' },
    { assetId: 'DOGE' },
    { source: { type: 'VAULT_ACCOUNT', id: '7' } },
    { operation: 'MINT' },
    { feeLevel: 'MAX' },
    { networkFee: '0.1' },
  ]
  for (const more of refused) {
    const { status } = await call('POST', '/transactions', transfer(id, more))
    assert.equal(status, 400, JSON.stringify(more))
  }
})

test('a transaction without funds is accepted and fails', async () => {
  const id = await approvedWallet()
  const { body: poor } = await call('POST', '/transactions', transfer(id, { amount: '3' }))
  const { status, subStatus } = await transaction(poor.id)
  assert.deepEqual({ status, subStatus }, { status: 'FAILED', subStatus: 'INSUFFICIENT_FUNDS' })
})

test('a transaction that is ended by hand releases what it locked', async () => {
  const id = await approvedWallet()
  for (const action of ['REJECTED', 'BLOCKED', 'CANCELLED', 'FAILED']) {
    const { body } = await call('POST', '/transactions', transfer(id))
    await control(`transactions/${body.id}`, { action: 'hold' })
    rig.world.advance(60_000)
    assert.equal((await transaction(body.id)).status, 'PENDING_AUTHORIZATION')
    assert.equal((await control(`transactions/${body.id}`, { action })).body.status, action)
    assert.equal((await control(`transactions/${body.id}`, { action })).status, 409)
  }
  const { total, available } = await wallet()
  assert.deepEqual({ total, available }, { total: '3', available: '3' })
})

test('what the network does not take or drops costs nothing', async () => {
  const id = await approvedWallet()
  rig.failNext('fireblocks', 'broadcast', 'REFUSE')
  const { body: unsent } = await call('POST', '/transactions', transfer(id))
  settle()
  assert.equal((await transaction(unsent.id)).subStatus, 'REJECTED_BY_BLOCKCHAIN')
  const { total, available } = await wallet()
  assert.deepEqual({ total, available }, { total: '3', available: '3' })
  rig.failNext('chain', 'confirm', 'REFUSE')
  const { body: dropped } = await call('POST', '/transactions', transfer(id))
  settle()
  const end = await transaction(dropped.id)
  assert.equal(end.subStatus, 'DROPPED_BY_BLOCKCHAIN')
  assert.equal((await wallet()).total, '3')
  assertAgrees()
})

test('coins from outside are listed while confirming and when completed', async () => {
  rig.arrive('0.25')
  rig.world.advance(0)
  const {
    body: [seen],
  } = await call('GET', '/transactions?destType=VAULT_ACCOUNT')
  assert.deepEqual(
    {
      status: seen?.status,
      source: seen?.source.type,
      destination: seen?.destination.id,
      amount: seen?.amountInfo.amount,
    },
    { status: 'CONFIRMING', source: 'UNKNOWN', destination: '0', amount: '0.25' },
  )
  settle()
  const { body: listed } = await call('GET', '/transactions?destType=VAULT_ACCOUNT')
  assert.deepEqual(
    listed.map(({ id, status }) => ({ id, status })),
    [{ id: seen?.id, status: 'COMPLETED' }],
  )
  assert.equal((await wallet()).total, '3.25')
  assertAgrees()
})

test('between own accounts there is one transaction', async () => {
  const { body: second } = await call('POST', '/vault/accounts', { name: 'Second' })
  assert.equal((await call('POST', `/vault/accounts/${second.id}/BTC`, {})).status, 200)
  const destination = { type: 'VAULT_ACCOUNT', id: second.id }
  const { body: moved } = await call('POST', '/transactions', transfer('', { destination }))
  settle()
  assert.equal((await transaction(moved.id)).status, 'COMPLETED')
  assert.equal((await call('GET', `/vault/accounts/${second.id}/BTC`)).body.total, '0.5')
  assert.equal((await call('GET', '/transactions')).body.length, 1)
  assertAgrees()
})

test('accounts are listed in pages', async () => {
  await call('POST', '/vault/accounts', { name: 'Second' })
  const { body: first } = await call('GET', '/vault/accounts_paged?limit=1')
  const next = `/vault/accounts_paged?limit=1&after=${first.paging.after}`
  assert.equal((await call('GET', next)).body.accounts[0]?.name, 'Second')
})

test('transactions are listed in pages, by creation or by change, in both directions', async () => {
  const id = await approvedWallet()
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) {
    ids.push((await call('POST', '/transactions', transfer(id, { amount: '0.1' }))).body.id)
    rig.world.advance(10)
  }
  assert.deepEqual(await listedIds('&sort=ASC'), ids)
  assert.deepEqual(await listedIds(''), ids.toReversed())
  const { createdAt } = await transaction(ids[1] ?? '')
  const later = `/transactions?orderBy=createdAt&sort=ASC&after=${createdAt}`
  assert.equal((await call('GET', later)).body[0]?.id, ids[2])
})

/** Reads page by page. */
async function listedIds(sort: string): Promise<string[]> {
  const found: string[] = []
  let path: string | undefined = `/transactions?orderBy=createdAt&limit=2${sort}`
  do {
    const { body, headers } = await call('GET', path)
    found.push(...body.map((item) => item.id))
    path = headers['next-page']?.toString().split('/fireblocks/v1')[1]
  } while (path !== undefined)
  return found
}
