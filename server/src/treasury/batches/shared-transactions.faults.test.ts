/**
 * One transaction for several customers and a wallet of our own, against the sandbox's vault: sent
 * once, wherever the process dies that sends it, and ended as a whole.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Service } from '../../core/service.testing.ts'
import { until } from '../../core/testing.ts'
import type { BatchRequest } from './batches.schema.ts'
import { giveUpThroughKills } from './giving-up.testing.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { openFaultWorld } from '../testing/faults.testing.ts'
import type { FaultWorld } from '../testing/faults.testing.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

/**
 * Before anything was sent, between the sending and its record, and between two looks at the
 * outcome.
 */
const POINTS = [
  'withdrawal.intent.after',
  'withdrawal.send.after',
  'withdrawal.follow.before',
  'withdrawal.follow.after',
]

/** The route to a destination, and whose payment it is. */
type Target = { route_id: string; address: string; account_id?: string }
type Owner = { id: string; account_id: string }

/** Two addresses of one customer, one of another, and a second vault account of our own. */
async function openTargets(world: FaultWorld): Promise<{ own: Wallet; targets: Target[] }> {
  const { call, customer } = world
  const wallets = await call<Wallet[]>('GET', '/treasury/wallets')
  const from =
    wallets.find((row) => row.configuration.vault_id === '0' || row.type === 'VENUE') ??
    assert.fail()
  const second = await openSecondCustomer(world)
  const own = await openVaultAccount(world, from)
  const outside = async ({ id, account_id }: Owner, label: string) => {
    const { address } = await world.sandbox.control<{ address: string }>(
      'POST',
      'chain/addresses',
      { protocol: 'BTC' },
    )
    const wallet = await call<Wallet>('POST', '/treasury/wallets', {
      type: 'CUSTOMER',
      asset: 'BTC',
      address,
      label,
      account_id,
      customer_id: id,
      access_type: 'EXTERNAL',
    })
    return { account_id, wallet }
  }
  const destinations = [
    await outside(customer, 'first'),
    await outside(customer, 'other'),
    await outside(second, 'second'),
    { wallet: own },
  ]
  const targets: Target[] = []
  for (const { wallet, ...owner } of destinations)
    targets.push({ ...(await openRoute(world, from, wallet)), ...owner })
  await until('the allow-list', async () => {
    const routes = await call<{ id: string; transfer: { to: { on_allowlist: boolean } } }[]>(
      'GET',
      '/treasury/wallets/routes',
    )
    const listed = routes.filter((row) => row.transfer.to.on_allowlist).map((row) => row.id)
    return targets.every((target) => listed.includes(target.route_id)) ? true : undefined
  })
  return { own, targets }
}

async function openSecondCustomer({ call }: FaultWorld): Promise<Owner> {
  const customer = await call<Owner>('POST', '/customers', {
    type: 'RETAIL',
    label: 'Second',
    margin: 'DEFAULT',
    booking_schema: 'ADVANCED',
    ignore_balance_check: false,
    ignore_margin: false,
    first_name: 'S',
    last_name: 'T',
  })
  const accounts = await call<{ id: string; type: string }[]>('GET', '/accounts')
  const house = accounts.find((row) => row.type === 'HOUSE') ?? assert.fail()
  await call('POST', '/bookings', {
    asset: 'BTC',
    legs: [
      { account_id: house.id, type: 'DEBIT', quantity: '1' },
      { account_id: customer.account_id, type: 'CREDIT', quantity: '1' },
    ],
  })
  return customer
}

async function openVaultAccount({ call }: FaultWorld, from: Wallet): Promise<Wallet> {
  const made = await call<Wallet>('POST', '/treasury/wallets', {
    type: 'VENUE',
    asset: 'BTC',
    address: '',
    label: 'second vault',
    venue_id: from.venue_id,
    service_id: from.service_id,
    account_id: from.account_id,
    access_type: 'INTERNAL',
    configuration: { create_external_wallet: true, protocol: 'BTC' },
  })
  return until('the second vault account', async () =>
    (await call<Wallet[]>('GET', `/treasury/wallets/${made.id}`)).find(
      (row) => row.state === 'ACTIVE',
    ),
  )
}

async function openRoute({ call }: FaultWorld, from: Wallet, to: Wallet) {
  const route = await call<{ id: string }>('POST', '/treasury/wallets/routes', {
    from_wallet_id: from.id,
    to_wallet_id: to.id,
    protocol: 'BTC',
    label: to.label,
    transfer: { from: {}, to: {} },
  })
  await call('PUT', `/treasury/wallets/routes/${route.id}/allow`, {})
  return { route_id: route.id, address: to.address }
}

describe(
  'one transaction for several destinations outlives its process',
  { timeout: 500_000 },
  () => {
    let world: FaultWorld
    let own: Wallet
    let targets: readonly Target[]

    before(async () => {
      world = await openFaultWorld()
      const setUp = world.worker()
      ;({ own, targets } = await openTargets(world))
      await world.kill(setUp)
    })
    after(() => world.close())

    async function prepare(quantities: readonly string[]): Promise<BatchRequest> {
      const requests = await world.call<BatchRequest[]>(
        'POST',
        '/treasury/withdrawals/batch/prepare',
        {
          withdrawals: targets.map(({ route_id, account_id }, index) => ({
            route_id,
            quantity: quantities[index],
            speed_level: 'DEFAULT',
            ...(account_id === undefined ? {} : { account_id }),
          })),
        },
      )
      assert.equal(requests.length, 1)
      return requests[0] ?? assert.fail()
    }
    const submit = (request: object) =>
      world.call<Withdrawal[]>('POST', '/treasury/withdrawals/batch/submit', {
        withdrawals: [request],
      })
    const read = (rows: readonly Withdrawal[]) =>
      Promise.all(
        rows.map((row) => world.call<Withdrawal>('GET', `/treasury/withdrawals/${row.id}`)),
      )
    const ended = (rows: readonly Withdrawal[], state: string) =>
      until(`${state} of all`, async () => {
        const now = await read(rows)
        return now.every((row) => row.state === state) ? now : undefined
      })

    describe('that succeeds', () => {
      const quantities = ['0.011', '0.012', '0.013', '0.02']
      let rows: Withdrawal[]
      let worker: Service
      let done: Withdrawal[]
      let outputs: {
        to_address: string
        quantity: string
        fee: string
        output_index: number
      }[]

      it('is prepared whole and submitted unchanged, once', async () => {
        const request = await prepare(quantities)
        const { bundled, destination_wallet_id, quantity, stakes } = request
        assert.deepEqual(
          { bundled, destination_wallet_id, quantity },
          { bundled: true, destination_wallet_id: null, quantity: '0.056' },
        )
        assert.deepEqual(
          stakes.map((stake) => ({
            route_id: stake.route_id,
            destination: stake.destination,
            quantity: stake.quantity,
            account_id: stake.account_id,
          })),
          targets.map(({ route_id, address, account_id = null }, index) => ({
            route_id,
            destination: address,
            quantity: quantities[index],
            account_id,
          })),
        )
        const changed = stakes.map((stake, index) =>
          index === 2 ? { ...stake, destination: targets[0]?.address } : stake,
        )
        await assert.rejects(submit({ ...request, stakes: changed }), /CONFLICT/)
        rows = await submit(request)
        assert.deepEqual(
          (await submit(request)).map((row) => row.id),
          rows.map((row) => row.id),
        )
      })

      it('is sent once, wherever its worker dies', async () => {
        const [{ external_id }] = rows as [Withdrawal]
        for (const point of POINTS) {
          const killed = world.worker(point, external_id)
          assert.equal(await killed.exited, 'SIGKILL', `the worker dies at ${point}`)
        }
        worker = world.worker()
        done = await ended(rows, 'SUCCESS')
        const received = await world.sandbox.received(
          'fireblocks',
          'create_transaction',
          external_id,
        )
        assert.equal(received, 1)
        const [{ transaction_hash, foreign_id }] = done as [Withdrawal]
        for (const row of done)
          assert.partialDeepStrictEqual(row, { transaction_hash, foreign_id, external_id })
      })

      it('pays every destination, with one fee divided among the withdrawals', async () => {
        const [{ transaction_hash }] = done as [Withdrawal]
        const chain = await world.sandbox.control<{ outputs: typeof outputs }>(
          'GET',
          `chain/transactions/${transaction_hash}`,
        )
        outputs = chain.outputs
        assert.deepEqual(
          outputs.map(({ to_address, quantity }) => ({ to_address, quantity })),
          targets.map(({ address }, index) => ({
            to_address: address,
            quantity: quantities[index],
          })),
        )
        assert.equal(format(sum(done.map((row) => decimal(row.fee ?? '0')))), outputs[0]?.fee)
        for (const row of done) {
          const bookings = await world.call<{ type: string }[]>(
            'GET',
            `/bookings?reference_id=${row.id}`,
          )
          assert.deepEqual(
            bookings.map((booking) => booking.type).toSorted(),
            [row.account_id === null ? 'TRANSFER' : 'WITHDRAWAL', 'WITHDRAWAL_FEE'].toSorted(),
          )
        }
      })

      it('arrives in our own vault account as a transfer, and nothing else is found', async () => {
        const deposit = await until('the arrival in our second vault account', async () =>
          (await world.call<Deposit[]>('GET', '/treasury/deposits')).find(
            (row) => row.wallet_id === own.id && row.state === 'SUCCESSFUL',
          ),
        )
        assert.partialDeepStrictEqual(deposit, {
          quantity: '0.02',
          transaction_hash: done[0]?.transaction_hash,
          output_index: outputs[3]?.output_index,
          related_withdrawal_id: done[3]?.id,
        })
        // What left is read to its end by now: nothing of it was taken for somebody else's.
        const all = await world.call<Withdrawal[]>('GET', '/treasury/withdrawals')
        assert.equal(all.length, rows.length)
        await world.kill(worker)
        assert.deepEqual(await world.verify(), [])
      })
    })

    it('fails as a whole: what was blocked of every customer is free again', async () => {
      const balance = async () =>
        Promise.all(
          targets
            .flatMap((target) => target.account_id ?? [])
            .map(
              async (id) =>
                (
                  await world.call<Record<string, { withdrawing: string; trading: string }>>(
                    'GET',
                    `/bookings/accounts/${id}/balance`,
                  )
                )['BTC'],
            ),
        )
      const before = await balance()
      await world.sandbox.fault('fireblocks', 'broadcast', 'REFUSE')
      const rows = await submit(await prepare(['0.021', '0.022', '0.023', '0.024']))
      assert.notDeepEqual(await balance(), before)
      const worker = world.worker()
      await ended(rows, 'FAILED')
      assert.deepEqual(await balance(), before)
      for (const { address } of targets)
        assert.equal(
          (
            await world.sandbox.control<{ received: { quantity: string }[] }>(
              'GET',
              `chain/addresses/${address}`,
            )
          ).received.filter((row) => row.quantity.startsWith('0.02')).length,
          address === own.address ? 1 : 0,
        )
      await world.kill(worker)
      assert.deepEqual(await world.verify(), [])
    })

    it('is given up once, wherever the service dies that does it', async () => {
      const { prepare_id } = await prepare(['0.031', '0.032', '0.033', '0.034'])
      await giveUpThroughKills(world, prepare_id)
    })
  },
)
