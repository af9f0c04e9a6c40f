/** A payment is ordered once and sent once, wherever the process dies that does it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../../core/ids.ts'
import { repeat } from '../../../core/service.testing.ts'
import { until } from '../../../core/testing.ts'
import type { RouteRecord } from '../../routes/routes.schema.ts'
import { openFaultWorld } from '../../testing/faults.testing.ts'
import type { FaultWorld } from '../../testing/faults.testing.ts'
import type { Wallet } from '../../wallets/wallets.schema.ts'
import type { Withdrawal } from '../withdrawals.schema.ts'
import type { Payment } from './payments.schema.ts'

/** Of its withdrawal, from the stored intent to the booking of what left. */
const SENDING = [
  'withdrawal.intent.before',
  'withdrawal.intent.after',
  'withdrawal.send.after',
  'withdrawal.follow.before',
  'withdrawal.follow.after',
] as const

describe('a payment outlives the processes that make it', { timeout: 500_000 }, () => {
  let world: FaultWorld
  let route: RouteRecord
  before(async () => {
    world = await openFaultWorld()
    const [first] = await world.call<RouteRecord[]>('GET', '/treasury/wallets/routes')
    route = first ?? assert.fail()
  })
  after(() => world.close())

  const order = (body: object, key: string = newId()) =>
    world.call<Payment>(
      'POST',
      '/treasury/payments',
      { account_id: world.customer.account_id, ...body },
      { 'idempotency-key': key },
    )
  const paymentsOf = (client_ref: string) =>
    world.call<Payment[]>('GET', `/treasury/payments?client_ref=${client_ref}`)
  const withdrawalsOf = (client_ref: string) =>
    world.call<Withdrawal[]>('GET', `/treasury/withdrawals?client_ref=${client_ref}`)

  /** What the order asks of somebody whom nobody has paid before. */
  async function toNewPayee(client_ref: string) {
    const { address } = await world.sandbox.control<{ address: string }>(
      'POST',
      'chain/addresses',
      { protocol: 'BTC' },
    )
    const payee = { label: client_ref, address, transfer: { to: {} } }
    const from_wallet_id = route.from_wallet_id
    return { from_wallet_id, protocol: 'BTC', payee, client_ref, quantity: '0.0123' }
  }

  for (const point of ['payment.create.before', 'payment.create.after'])
    it(`to a new payee is ordered once, killed at ${point}`, async () => {
      const body = await toNewPayee(point)
      await world.killApi()
      await world.startApi({ KONTOR_FAILPOINT: point })
      const dying = world.api()
      const key = newId()
      await assert.rejects(order(body, key))
      assert.equal(await dying.exited, 'SIGKILL', point)
      await world.startApi()
      const made = await repeat(() => order(body, key))
      const wallets = await world.call<Wallet[]>('GET', '/treasury/wallets')
      const routes = await world.call<RouteRecord[]>('GET', '/treasury/wallets/routes')
      assert.deepEqual(
        {
          payments: (await paymentsOf(point)).map(({ id }) => id),
          wallets: wallets.filter(({ label }) => label === point).map(({ id }) => id),
          routes: routes
            .filter(({ to_wallet_id }) => to_wallet_id === made.to_wallet_id)
            .map(({ id }) => id),
        },
        { payments: [made.id], wallets: [made.to_wallet_id], routes: [made.route_id] },
      )
    })

  it('is sent once, wherever its worker dies', async () => {
    const payment = await order({ route_id: route.id, client_ref: 'once', quantity: '0.0321' })
    for (const point of ['payment.send.before', 'payment.send.after']) {
      const killed = world.worker(point, payment.id)
      assert.equal(await killed.exited, 'SIGKILL', `the worker dies at ${point}`)
    }
    const [withdrawal] = await withdrawalsOf('once')
    assert.ok(withdrawal, 'committed before the second worker died')
    for (const point of SENDING) {
      const killed = world.worker(point, withdrawal.external_id)
      assert.equal(await killed.exited, 'SIGKILL', `the worker dies at ${point}`)
    }
    const worker = world.worker()
    await until('the end of the withdrawal', async () =>
      (await world.stateOf(withdrawal.id)) === 'SUCCESS' ? true : undefined,
    )
    await world.kill(worker)
    const [sent, ...others] = await paymentsOf('once')
    assert.deepEqual(others, [])
    assert.partialDeepStrictEqual(sent, { state: 'SENT', withdrawal_id: withdrawal.id })
    assert.deepEqual(
      (await withdrawalsOf('once')).map(({ id }) => id),
      [withdrawal.id],
    )
    assert.partialDeepStrictEqual(await world.facts(withdrawal.id), {
      received: 1,
      arrived: 1,
      hold: 'captured',
    })
    assert.deepEqual(await world.verify(), [])
  })
})
