/**
 * One transaction for several customers and a wallet of our own, against the sandbox's vault: sent
 * once, wherever the process dies that sends it, and ended as a whole.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format, sum } from '../../core/decimal.ts'
import { until } from '../../core/testing.ts'
import type { BatchRequest } from './batches.schema.ts'
import type { Deposit } from '../deposits/deposits.schema.ts'
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

describe(
  'one transaction for several destinations outlives its process',
  { timeout: 500_000 },
  () => {
    let world: FaultWorld
    let own: Wallet
    /** The route to each destination, and whose payment it is. */
    let targets: { route_id: string; address: string; account_id?: string }[]

    before(async () => {
      world = await openFaultWorld()
      const { call, customer } = world
      const setUp = world.worker()
      const from =
        (await call<Wallet[]>('GET', '/treasury/wallets')).find(
          (row) => row.configuration.vault_id === '0' || row.type === 'VENUE',
        ) ?? assert.fail()
      const second = await call<{ id: string; account_id: string }>('POST', '/customers', {
        type: 'RETAIL',
        label: 'Second',
        margin: 'DEFAULT',
        booking_schema: 'ADVANCED',
        ignore_balance_check: false,
        ignore_margin: false,
        first_name: 'S',
        last_name: 'T',
      })
      const house =
        (await call<{ id: string; type: string }[]>('GET', '/accounts')).find(
          (row) => row.type === 'HOUSE',
        ) ?? assert.fail()
      await call('POST', '/bookings', {
        asset: 'BTC',
        legs: [
          { account_id: house.id, type: 'DEBIT', quantity: '1' },
          { account_id: second.account_id, type: 'CREDIT', quantity: '1' },
        ],
      })
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
      own = await until('the second vault account', async () =>
        (await call<Wallet[]>('GET', `/treasury/wallets/${made.id}`)).find(
          (row) => row.state === 'ACTIVE',
        ),
      )
      const outside = async (owner: { id: string; account_id: string }, label: string) => {
        const { address } = await world.sandbox.control<{ address: string }>(
          'POST',
          'chain/addresses',
          { protocol: 'BTC' },
        )
        return {
          account_id: owner.account_id,
          wallet: await call<Wallet>('POST', '/treasury/wallets', {
            type: 'CUSTOMER',
            asset: 'BTC',
            address,
            label,
            account_id: owner.account_id,
            customer_id: owner.id,
            access_type: 'EXTERNAL',
          }),
        }
      }
      const destinations = [
        await outside(customer, 'first'),
        await outside(customer, 'other'),
        await outside(second, 'second'),
        { wallet: own },
      ]
      targets = []
      for (const { wallet, ...owner } of destinations) {
        const route = await call<{ id: string }>('POST', '/treasury/wallets/routes', {
          from_wallet_id: from.id,
          to_wallet_id: wallet.id,
          protocol: 'BTC',
          label: wallet.label,
          transfer: { from: {}, to: {} },
        })
        await call('PUT', `/treasury/wallets/routes/${route.id}/allow`, {})
        targets.push({ route_id: route.id, address: wallet.address, ...owner })
      }
      const listed = async () =>
        (
          await call<{ id: string; transfer: { to: { on_allowlist: boolean } } }[]>(
            'GET',
            '/treasury/wallets/routes',
          )
        )
          .filter((row) => row.transfer.to.on_allowlist)
          .map((row) => row.id)
      await until('the allow-list', async () => {
        const ready = await listed()
        return targets.every((target) => ready.includes(target.route_id)) ? true : undefined
      })
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

    it('is prepared whole, submitted unchanged, and sent and paid once', async () => {
      const quantities = ['0.011', '0.012', '0.013', '0.02']
      const request = await prepare(quantities)
      assert.deepEqual(
        [
          request.bundled,
          request.destination_wallet_id,
          request.quantity,
          request.stakes.map((stake) => [
            stake.route_id,
            stake.destination,
            stake.quantity,
            stake.account_id,
          ]),
        ],
        [
          true,
          null,
          '0.056',
          targets.map((target, index) => [
            target.route_id,
            target.address,
            quantities[index],
            target.account_id ?? null,
          ]),
        ],
      )
      await assert.rejects(
        submit({
          ...request,
          stakes: request.stakes.map((stake, index) =>
            index === 2 ? { ...stake, destination: targets[0]?.address } : stake,
          ),
        }),
        /CONFLICT/,
      )
      const rows = await submit(request)
      assert.deepEqual(
        (await submit(request)).map((row) => row.id),
        rows.map((row) => row.id),
      )
      const [{ external_id }] = rows as [Withdrawal]

      for (const point of POINTS) {
        const worker = world.worker(point, external_id)
        assert.equal(await worker.exited, 'SIGKILL', `the worker dies at ${point}`)
      }
      const worker = world.worker()
      const done = await ended(rows, 'SUCCESS')
      assert.equal(await world.sandbox.received('fireblocks', 'create_transaction', external_id), 1)
      const [{ transaction_hash, foreign_id }] = done as [Withdrawal]
      assert.ok(
        done.every(
          (row) =>
            row.transaction_hash === transaction_hash &&
            row.foreign_id === foreign_id &&
            row.external_id === external_id,
        ),
      )
      const chain = await world.sandbox.control<{
        outputs: { to_address: string; quantity: string; fee: string; output_index: number }[]
      }>('GET', `chain/transactions/${transaction_hash}`)
      assert.deepEqual(
        chain.outputs.map((output) => [output.to_address, output.quantity]),
        targets.map((target, index) => [target.address, quantities[index]]),
      )
      assert.equal(format(sum(done.map((row) => decimal(row.fee ?? '0')))), chain.outputs[0]?.fee)
      for (const row of done)
        assert.deepEqual(
          (await world.call<{ type: string }[]>('GET', `/bookings?reference_id=${row.id}`))
            .map((row) => row.type)
            .toSorted(),
          [row.account_id === null ? 'TRANSFER' : 'WITHDRAWAL', 'WITHDRAWAL_FEE'].toSorted(),
        )

      const deposit = await until('the arrival in our second vault account', async () =>
        (await world.call<Deposit[]>('GET', '/treasury/deposits')).find(
          (row) => row.wallet_id === own.id && row.state === 'SUCCESSFUL',
        ),
      )
      assert.deepEqual(
        [
          deposit.quantity,
          deposit.transaction_hash,
          deposit.output_index,
          deposit.related_withdrawal_id,
        ],
        ['0.02', transaction_hash, chain.outputs[3]?.output_index, done[3]?.id],
      )
      // What left is read to its end by now: nothing of it was taken for somebody else's.
      assert.equal(
        (await world.call<Withdrawal[]>('GET', '/treasury/withdrawals')).length,
        rows.length,
      )
      await world.kill(worker)
      assert.deepEqual(await world.verify(), [])
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
  },
)
