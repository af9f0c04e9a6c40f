/** A wallet is made once at its venue, wherever the process that asks for it dies, and whether or not the venue's answer arrives. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openFaultWorld, until } from './faults.testing.ts'
import type { FaultWorld } from './faults.testing.ts'
import type { Wallet } from './wallets.schema.ts'

const POINTS = ['wallet.intent.after', 'wallet.create.before', 'wallet.create.after', 'wallet.record.after'] as const
/** After a lost answer the wallet is found later, by the next process. */
const POINTS_AFTER_LOSS = ['wallet.create.after', 'wallet.record.before'] as const

describe('a wallet outlives the process that has it made', { timeout: 300_000 }, () => {
  let world: FaultWorld
  let standing: Wallet
  before(async () => {
    world = await openFaultWorld()
    standing = (await world.call<Wallet[]>('GET', '/treasury/wallets')).find((each) => each.venue_id !== null) as Wallet
  })
  after(() => world.close())

  const ask = () => world.call<Wallet>('POST', '/treasury/wallets', {
    type: 'CUSTOMER', asset: 'BTC', address: '', label: 'Made', venue_id: standing.venue_id, service_id: standing.service_id, account_id: world.customer.account_id, customer_id: world.customer.id,
    access_type: 'INTERNAL', configuration: { create_external_wallet: true, protocol: 'BTC' },
  })
  const read = async (id: string) => (await world.call<Wallet[]>('GET', `/treasury/wallets/${id}`))[0] as Wallet
  const madeFor = async (id: string) => (await world.sandbox.control<{ accounts: { id: number; customer_ref_id: string | null }[] }>('GET', 'fireblocks')).accounts.filter((each) => each.customer_ref_id === id)

  for (const { loss, points } of [{ loss: false, points: POINTS }, { loss: true, points: POINTS_AFTER_LOSS }] as const) {
    it(loss ? 'the answer is lost' : 'the answer arrives', async () => {
      const killed: { point: string; id: string }[] = []
      for (const point of points) {
        const { id } = await ask()
        if (loss) await world.sandbox.fault('fireblocks', 'create_account', 'TIMEOUT_AFTER_ACCEPT')
        const worker = world.worker(point, id)
        assert.equal(await worker.exited, 'SIGKILL', `the worker dies at ${point}`)
        killed.push({ point, id })
      }
      const worker = world.worker()
      for (const { point, id } of killed) {
        const wallet = await until(`the wallet killed at ${point}`, async () => { const now = await read(id); return now.state === 'CREATING' ? undefined : now })
        const accounts = await madeFor(id)
        assert.deepEqual([wallet.state, accounts.length, wallet.foreign_id, wallet.configuration.vault_id], ['ACTIVE', 1, String(accounts[0]?.id), String(accounts[0]?.id)], point)
        assert.equal(await world.sandbox.received('fireblocks', 'create_account', id), 1, point)
      }
      await world.kill(worker)
      assert.deepEqual(await world.verify(), [])
    })
  }
})
