import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSandbox } from '../sandbox-process.testing.ts'
import { heldWallet, openAt, orderFrom } from './managed-wallet.testing.ts'

test('what needs a tag is not served, and nothing is sent', async (context) => {
  const sandbox = await startSandbox()
  context.after(() => sandbox.stop())
  const term = { native: 'BTC', networks: ['BTC'], decimals: 6, fee_asset: 'XRP' }
  const terms = [{ ...term, asset: 'XRP', protocol: 'XRP', ledger: 'TAGS' } as const]
  const tagged = await openAt(sandbox, { terms })
  const plain = await openAt(sandbox)
  assert.deepEqual(await tagged.protocols(), [
    {
      asset: 'XRP',
      protocols: [],
      unserved: [{ protocol: 'XRP', reason: 'the custodian takes no tags' }],
    },
  ])
  const { wallet_id } = await heldWallet(sandbox, 'BTC')
  const earlier = await sandbox.received('managed', 'create_withdrawal')
  for (const tag of ['77', null])
    assert.deepEqual(await tagged.transfers.send(orderFrom(wallet_id, { asset: 'XRP', tag })), {
      outcome: 'refused',
      reason: 'the custodian takes no tags',
      native: null,
    })
  assert.equal((await plain.transfers.send(orderFrom(wallet_id, { tag: '77' }))).outcome, 'refused')
  assert.equal(await sandbox.received('managed', 'create_withdrawal'), earlier)
  await tagged.close()
  await plain.close()
})
