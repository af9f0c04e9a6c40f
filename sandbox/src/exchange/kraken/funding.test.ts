import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { figure } from '../figures.ts'
import { KrakenRig, at } from './rig.ts'

const rig = new KrakenRig()
const { call, control } = rig
before(() => rig.open())
after(() => rig.end())

test('a coin is listed at first sight and credited once, when it is final', async () => {
  const before = (await call('BalanceEx')).result
  const coin = {
    transaction_hash: 'aa',
    output_index: 0,
    asset: 'BTC',
    protocol: 'BTC',
    from_address: 'x',
    to_address: rig.part.address('BTC').address,
    tag: null,
    quantity: '0.5',
    confirmations: 0,
    required_confirmations: 2,
  }
  rig.world.commit(() => {
    rig.arrived(coin, 'XXBT', 'PENDING')
  })
  assert.equal(at((await call('DepositStatus', { asset: 'XBT' })).result, 0, 'status'), 'Pending')
  assert.equal(
    at((await call('BalanceEx')).result, 'XXBT', 'balance'),
    at(before, 'XXBT', 'balance'),
  )
  rig.world.commit(() => {
    rig.arrived({ ...coin, confirmations: 2 }, 'XXBT', 'FINAL')
  })
  rig.world.commit(() => {
    rig.arrived({ ...coin, confirmations: 3 }, 'XXBT', 'FINAL')
  })
  const [listed] = (await call('DepositStatus', { asset: 'XBT' })).result as {
    status: string
    amount: string
    txid: string
  }[]
  assert.equal(listed?.status, 'Success')
  assert.equal(listed?.txid, 'aa')
  assert.equal(
    figure(at((await call('BalanceEx')).result, 'XXBT', 'balance')) -
      figure(at(before, 'XXBT', 'balance')),
    figure('0.5'),
  )
})

test('a wire is credited by its reference; one that names nobody waits on hold', async () => {
  const before = (await call('BalanceEx')).result
  const wire = {
    wire_id: 'W1',
    to_iban: 'x',
    from_iban: 'DE00',
    from_name: 'Stranger',
    quantity: '100',
    currency: 'EUR',
    reference: 'hello',
  }
  rig.world.commit(() => {
    rig.wireArrived(wire, 'clients')
  })
  rig.world.commit(() => {
    rig.wireArrived(
      { ...wire, wire_id: 'W2', quantity: '200', reference: `deposit ${rig.part.reference}` },
      'clients',
    )
  })
  assert.equal(
    figure(at((await call('BalanceEx')).result, 'ZEUR', 'balance')) -
      figure(at(before, 'ZEUR', 'balance')),
    figure('200'),
  )
  const held = (
    (await call('DepositStatus', { asset: 'ZEUR' })).result as Record<string, string>[]
  ).find((deposit) => deposit['status-prop'] === 'on-hold')
  assert.equal((await control(`deposits/${held?.['refid']}/release`, {})).done, true)
  assert.equal(
    figure(at((await call('BalanceEx')).result, 'ZEUR', 'balance')) -
      figure(at(before, 'ZEUR', 'balance')),
    figure('300'),
  )
})

test('a withdrawal pays its fee from the amount, leaves once and ends when final', async () => {
  rig.world.setPace(0)
  rig.part.addWithdrawalKey({ key: 'vault-btc', asset: 'BTC', address: 'vault-address', tag: null })
  const before = (await call('BalanceEx')).result
  const info = (await call('WithdrawInfo', { asset: 'XXBT', key: 'vault-btc', amount: '1.0001' }))
    .result
  assert.equal(at(info, 'amount'), '1.0000000000')
  assert.equal(at(info, 'fee'), '0.0001000000')
  assert.deepEqual((await call('Withdraw', { asset: 'XXBT', key: 'nobody', amount: '1' })).error, [
    'EFunding:Unknown withdraw key',
  ])
  assert.deepEqual(
    (await call('Withdraw', { asset: 'XXBT', key: 'vault-btc', amount: '100' })).error,
    ['EFunding:Insufficient funds'],
  )
  assert.deepEqual(
    (await call('Withdraw', { asset: 'XXBT', key: 'vault-btc', amount: '1', address: 'other' }))
      .error,
    ['EFunding:Invalid withdrawal address'],
  )
  assert.deepEqual(
    (await call('Withdraw', { asset: 'XXBT', key: 'vault-btc', amount: '1', max_fee: '0.00001' }))
      .error,
    ['EFunding:Max fee exceeded'],
  )
  const { refid } = (
    await call('Withdraw', { asset: 'XXBT', key: 'vault-btc', amount: '1.0001', max_fee: '0.0001' })
  ).result as { refid: string }
  const status = async () =>
    ((await call('WithdrawStatus', { asset: 'XXBT' })).result as Record<string, string>[]).find(
      (withdrawal) => withdrawal['refid'] === refid,
    )
  assert.equal((await status())?.['status'], 'Initial')
  assert.equal(
    figure(at(before, 'XXBT', 'balance')) -
      figure(at((await call('BalanceEx')).result, 'XXBT', 'balance')),
    figure('1.0001'),
  )
  rig.world.advance(2_000)
  rig.world.advance(2_000)
  const settled = await status()
  assert.equal(settled?.['status'], 'Settled')
  assert.equal(settled?.['amount'], '1.0000000000')
  assert.deepEqual(
    rig.sent.map(({ to_address, quantity }) => ({ to_address, quantity })),
    [{ to_address: 'vault-address', quantity: '1' }],
  )
  rig.chainState = 'FINAL'
  rig.world.advance(1_000)
  assert.equal((await status())?.['status'], 'Success')

  const second = (await call('Withdraw', { asset: 'XXBT', key: 'vault-btc', amount: '0.1' }))
    .result as { refid: string }
  await control(`withdrawals/${second.refid}`, { action: 'hold' })
  rig.world.advance(60_000)
  assert.equal(rig.sent.length, 1)
  const held = figure(at((await call('BalanceEx')).result, 'XXBT', 'balance'))
  assert.equal((await call('WithdrawCancel', { asset: 'XXBT', refid: second.refid })).result, true)
  assert.equal(
    figure(at((await call('BalanceEx')).result, 'XXBT', 'balance')) - held,
    figure('0.1'),
  )
  rig.world.setPace(1)
})
