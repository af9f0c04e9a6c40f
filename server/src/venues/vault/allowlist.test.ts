/** The vault's allow-list, and that nothing leaves past it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import { newId } from '../../core/ids.ts'
import type { TransferOrder } from '../contract.ts'
import { destination, orderTo, OUTSIDE, VaultDesk } from './vault.testing.ts'

describe('allow-list of the vault', () => {
  const desk = new VaultDesk()

  test('a transfer goes only to what the allow-list holds: address, tag and approval', async () => {
    const refusals: [Partial<TransferOrder>, RegExp][] = [
      [{ destination_address: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' }, /another address/],
      [{ tag: '5' }, /another tag/],
      [
        {
          transfer: {
            from: { source_vault_account_id: '0', destination_external_account_id: '' },
            to: {},
          },
        },
        /not on the allow-list/,
      ],
      [
        {
          source_wallet: null,
          transfer: { from: { destination_external_account_id: desk.collection }, to: {} },
        },
        /no vault account/,
      ],
    ]
    const earlier = await desk.sandbox.received('fireblocks', 'create_transaction')
    for (const [more, reason] of refusals) {
      const answer = await desk.venue.transfers.send(orderTo(desk.collection, more))
      assert.ok(answer.outcome === 'refused' && reason.test(answer.reason), inspect(answer))
    }
    assert.equal(await desk.sandbox.received('fireblocks', 'create_transaction'), earlier)
    const wrongAccount = await desk.venue.transfers.send(
      orderTo(desk.collection, {
        transfer: {
          from: { source_vault_account_id: '9', destination_external_account_id: desk.collection },
          to: {},
        },
      }),
    )
    assert.equal(wrongAccount.outcome, 'refused')
  })

  test('a collection is made once, waits, is approved or rejected, and asked again', async () => {
    await desk.sandbox.control('POST', 'fireblocks/approval', { mode: 'MANUAL' })
    const fresh = {
      ...destination('BTC'),
      destination_address: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    }
    const external_id = newId()
    const ids = new Set<string>()
    const allow = async (order = fresh) => {
      const answer = await desk.venue.allowlist.allow({ label: 'Fresh', external_id, ...order })
      assert.ok(answer.outcome === 'accepted', inspect(answer))
      ids.add(answer.report.transfer.from['destination_external_account_id'] ?? '')
      return answer.report
    }
    assert.equal((await allow()).state, 'PENDING_APPROVAL')
    const { transfer } = await allow()
    assert.equal(ids.size, 1)
    assert.equal(transfer.from['source_vault_account_id'], '0')
    const named = { ...fresh, transfer }
    assert.equal(await desk.venue.allowlist.state(named), 'PENDING_APPROVAL')
    assert.equal(await desk.venue.allowlist.state(fresh), null)
    assert.equal(
      await desk.venue.allowlist.state({
        ...named,
        destination_address: OUTSIDE['BTC']?.address ?? '',
      }),
      null,
    )
    const sent = await desk.venue.transfers.send(orderTo('', named))
    assert.ok(sent.outcome === 'refused' && /PENDING_APPROVAL/.test(sent.reason))
    const [id] = [...ids]
    await desk.sandbox.control('POST', `fireblocks/external-wallets/${id}/BTC`, {
      status: 'REJECTED',
    })
    assert.equal(await desk.venue.allowlist.state(named), 'REJECTED')
    assert.equal((await allow(named)).state, 'PENDING_APPROVAL')
    await desk.sandbox.control('POST', `fireblocks/external-wallets/${id}/BTC`, {
      status: 'APPROVED',
    })
    assert.equal((await allow(named)).state, 'APPROVED')
    const other = await desk.venue.allowlist.allow({
      label: 'Other',
      external_id: newId(),
      ...named,
      destination_address: OUTSIDE['BTC']?.address ?? '',
    })
    assert.ok(other.outcome === 'refused' && /another address/.test(other.reason))
    assert.equal(ids.size, 1)
    await desk.sandbox.control('POST', 'fireblocks/approval', { mode: 'AUTO' })
  })

  test('allowing again after a lost answer makes no second collection', async () => {
    const order = {
      label: 'Lost',
      external_id: newId(),
      ...destination('BTC'),
      destination_address: '1CounterpartyXXXXXXXXXXXXXXXUWLpVr',
    }
    await desk.sandbox.fault('fireblocks', 'create_external_wallet', 'TIMEOUT_AFTER_ACCEPT')
    assert.equal((await desk.hasty.allowlist.allow(order)).outcome, 'unknown')
    await desk.sandbox.fault('fireblocks', 'add_external_address', 'TIMEOUT_AFTER_ACCEPT')
    assert.equal((await desk.hasty.allowlist.allow(order)).outcome, 'unknown')
    assert.equal((await desk.venue.allowlist.allow(order)).outcome, 'accepted')
    const { external_wallets } = await desk.sandbox.control<{
      external_wallets: { name: string }[]
    }>('GET', 'fireblocks')
    assert.equal(
      external_wallets.filter((externalWallet) => externalWallet.name === 'Lost').length,
      1,
    )
  })
})
