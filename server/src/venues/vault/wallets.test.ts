/** Wallets that the vault makes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import { decimal } from '../../core/decimal.ts'
import { until } from '../../core/testing.ts'
import type { WalletOrder } from '../contract.ts'
import { addressOf, VaultDesk, walletOrder } from './vault.testing.ts'

describe('wallets of the vault', () => {
  const desk = new VaultDesk()

  test('a wallet in a known vault has a further address where the chain has them', async () => {
    const make = async (more: Partial<WalletOrder>) => {
      const order = walletOrder(more)
      const answer = await desk.venue.wallets.create(order)
      assert.ok(answer.outcome === 'accepted' && answer.report.state === 'ACTIVE', inspect(answer))
      return { order, ...answer.report }
    }
    const first = await make({ asset: 'BTC', protocol: 'BTC', vault_id: '0' })
    const second = await make({ asset: 'BTC', protocol: 'BTC', vault_id: '0' })
    const standing = await addressOf(desk.sandbox, 'BTC')
    assert.equal(new Set([first.address, second.address, standing]).size, 3)
    assert.deepEqual({ wallet: first.wallet, tag: first.tag }, { wallet: '0', tag: null })
    const xrp = await make({ asset: 'XRP', protocol: 'XRP', vault_id: '0' })
    assert.equal(xrp.address, await addressOf(desk.sandbox, 'XRP'))
    assert.match(xrp.tag ?? '', /^[0-9]+$/)
    assert.equal((await make({ vault_id: '0' })).address, await addressOf(desk.sandbox, 'ETH'))
    await desk.sandbox.control('POST', 'chain/send', {
      asset: 'BTC',
      quantity: '0.0421',
      to_address: second.address,
    })
    const seen = await until('the coins are seen', async () =>
      (await desk.venue.transfers.incoming(null)).movements.find(
        (movement) => movement.quantity === decimal('0.0421'),
      ),
    )
    assert.deepEqual(
      { wallet: seen.wallet, destination_address: seen.destination_address },
      { wallet: '0', destination_address: second.address },
    )
    const named = await make({ asset: 'BTC', protocol: 'BTC', vault_name: 'Customers' })
    assert.ok(named.wallet !== '0')
    const { accounts } = await desk.sandbox.control<{ accounts: { id: number; name: string }[] }>(
      'GET',
      'fireblocks',
    )
    assert.equal(accounts.find((account) => String(account.id) === named.wallet)?.name, 'Customers')
  })

  test('making a wallet goes on after any answer was lost, and makes each thing once', async () => {
    for (const [operation, more] of [
      ['create_account', {}],
      ['create_wallet', {}],
      ['create_address', { asset: 'BTC', protocol: 'BTC', vault_id: '0' }],
    ] as const) {
      for (const kind of ['TIMEOUT_AFTER_ACCEPT', 'DOWN'] as const) {
        const order = walletOrder(more)
        const earlier = await desk.sandbox.received('fireblocks', operation)
        await desk.sandbox.fault('fireblocks', operation, kind)
        assert.equal(
          (await (kind === 'DOWN' ? desk.venue : desk.hasty).wallets.create(order)).outcome,
          'unknown',
          operation,
        )
        const found = await desk.venue.wallets.find(order)
        assert.equal(
          found.lookup,
          kind === 'DOWN' || operation === 'create_account' ? 'absent' : 'found',
          `${operation} ${kind}`,
        )
        const again = await desk.venue.wallets.create(order)
        assert.ok(
          again.outcome === 'accepted' && again.report.state === 'ACTIVE',
          `${operation} ${inspect(again)}`,
        )
        assert.equal(
          await desk.sandbox.received('fireblocks', operation),
          earlier + 1,
          `${operation} ${kind}`,
        )
      }
    }
    await desk.sandbox.fault('fireblocks', 'create_wallet', 'REFUSE')
    assert.equal((await desk.venue.wallets.create(walletOrder())).outcome, 'refused')
  })
})
