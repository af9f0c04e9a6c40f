/** What custodians of managed wallets keep beside coins: tokens. What needs a tag they do not. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { until } from '../../core/testing.ts'
import { startSandbox } from '../sandbox-process.testing.ts'
import type { SandboxProcess } from '../sandbox-process.testing.ts'
import { ended, heldWallet, openAt, orderFrom, PACE } from './managed-wallet.testing.ts'
import type { Managed } from './managed-wallet.testing.ts'

let sandbox: SandboxProcess
let venue: Managed
before(async () => {
  sandbox = await startSandbox()
  await sandbox.control('POST', 'clock', { pace: PACE })
  venue = await openAt(sandbox)
})
after(async () => {
  await venue.close()
  await sandbox.stop()
})

test('a token lies in a wallet of its network, which pays its fee; boosted too', async () => {
  const { wallet_id, address } = await heldWallet(sandbox, 'USDC')
  assert.equal(wallet_id, (await heldWallet(sandbox, 'ETH')).wallet_id)
  const held = async () => {
    const all = (await venue.balances()).filter((balance) => balance.wallet === wallet_id)
    return Object.fromEntries(all.map((balance) => [balance.asset, balance.total ?? 0n]))
  }
  const before = await held()
  const order = orderFrom(wallet_id, {
    asset: 'USDC',
    protocol: 'ETH',
    quantity: decimal('12.500001'),
  })
  const estimate = await venue.transfers.estimateFee(order)
  const ofCoin = await venue.transfers.estimateFee(orderFrom(wallet_id, { asset: 'ETH' }))
  assert.equal(estimate.asset, 'ETH')
  assert.ok(estimate.speed_levels.DEFAULT > ofCoin.speed_levels.DEFAULT)
  await sandbox.fault('chain', 'confirm', 'LATE', { remaining: 1, delay_ms: 3_600_000 })
  assert.equal((await venue.transfers.send(order)).outcome, 'accepted')
  await until('it is stuck', async () => {
    const faults = await sandbox.control<unknown[]>('GET', 'faults')
    return faults.length === 0
  })
  await sandbox.control('POST', `managed/requests/${order.external_id}`, { decision: 'boost' })
  const report = await ended(venue, order)
  assert.deepEqual([report.state, report.fee_asset], ['SUCCESS', 'ETH'])
  assert.deepEqual(await held(), {
    ETH: (before['ETH'] ?? 0n) - (report.fee ?? 0n),
    USDC: (before['USDC'] ?? 0n) - order.quantity,
  })
  const tokens = { asset: 'USDC', quantity: '0.000001', to_address: address }
  await sandbox.control('POST', 'chain/send', tokens)
  await until('tokens arrive in the same wallet', async () =>
    (await venue.transfers.incoming(null)).movements.find(
      (movement) => movement.asset === 'USDC' && movement.wallet === wallet_id,
    ),
  )
})

test('what needs a tag is not served, and nothing is sent', async () => {
  const protocols = await venue.protocols()
  assert.deepEqual(
    protocols.flatMap(({ asset, unserved = [] }) =>
      unserved.map(({ protocol, reason }) => [asset, protocol, reason]),
    ),
    ['XRP', 'XLM'].map((asset) => [asset, asset, 'the custodian takes no tags']),
  )
  const { wallet_id } = await heldWallet(sandbox, 'BTC')
  const earlier = await sandbox.received('managed', 'create_withdrawal')
  for (const tag of ['77', null])
    assert.deepEqual(await venue.transfers.send(orderFrom(wallet_id, { asset: 'XRP', tag })), {
      outcome: 'refused',
      reason: 'the custodian takes no tags',
      native: null,
    })
  assert.equal((await venue.transfers.send(orderFrom(wallet_id, { tag: '77' }))).outcome, 'refused')
  assert.equal(await sandbox.received('managed', 'create_withdrawal'), earlier)
})
