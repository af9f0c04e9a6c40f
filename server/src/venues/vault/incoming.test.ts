/** What comes into the vault, polled and pushed. */
import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { format } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { until } from '../../core/testing.ts'
import type { Incoming, Transfers } from '../contract.ts'
import { listen } from './listener.testing.ts'
import { addressOf, orderTo, PACE, VaultDesk } from './vault.testing.ts'
import type { Vault } from './vault.testing.ts'
import { openVault } from './vault.ts'

const isUnsigned = (error: unknown) => error instanceof ApiError && error.kind === 'MissingToken'

function assertFirstSight(first: Incoming, to_address: string): void {
  assert.deepEqual(
    {
      state: first.state,
      asset: first.asset,
      protocol: first.protocol,
      quantity: format(first.quantity),
      tag: first.tag,
      destination_address: first.destination_address,
      wallet: first.wallet,
      output_index: first.output_index,
      confirmations: first.confirmations,
    },
    {
      state: 'PENDING',
      asset: 'XRP',
      protocol: 'XRP',
      quantity: '12.000001',
      tag: '4711',
      destination_address: to_address,
      wallet: '0',
      output_index: 0,
      confirmations: 0,
    },
  )
}

/** Without the key of the webhooks. */
async function openDeaf({ sandbox }: VaultDesk): Promise<Vault> {
  const { api_key } = JSON.parse(await sandbox.credential('fireblocks.json')) as {
    api_key: string
  }
  const secret_pem = await sandbox.credential('fireblocks.pem')
  return (await openVault({ base_url: sandbox.url, api_key, secret_pem })) as Vault
}

describe('what comes into the vault', () => {
  const desk = new VaultDesk()

  test('what comes in: at first sight, to final, once per output, with its tag', async () => {
    const to_address = await addressOf(desk.sandbox, 'XRP')
    const seen = new Map<string, Incoming>()
    let cursor: string | null = null
    const poll = async () => {
      const page = await desk.venue.transfers.incoming(cursor)
      cursor = page.cursor
      for (const movement of page.movements) seen.set(movement.foreign_id, movement)
      return page.movements
    }
    await poll()
    await desk.sandbox.control('POST', 'clock', { pace: 0 })
    const { transaction_hash } = await desk.sandbox.control<{ transaction_hash: string }>(
      'POST',
      'chain/send',
      { asset: 'XRP', quantity: '12.000001', to_address, tag: '4711' },
    )
    const first = await until('the first sight', async () =>
      (await poll()).find((incoming) => incoming.transaction_hash === transaction_hash),
    )
    assertFirstSight(first, to_address)
    // Found as long as it is on its way, however much time goes by and whatever else arrives.
    const failing = await desk.sandbox.control<{ transaction_hash: string }>('POST', 'chain/send', {
      asset: 'BTC',
      quantity: '0.001',
      to_address: await addressOf(desk.sandbox, 'BTC'),
    })
    await desk.sandbox.fault('chain', 'confirm', 'REFUSE', { remaining: 1 })
    await desk.sandbox.control('POST', 'clock', { advance_ms: 3_600_000 })
    await desk.sandbox.control('POST', 'clock', { pace: PACE })
    await until('the end', async () => {
      await poll()
      return seen.get(first.foreign_id)?.state === 'PENDING' ? undefined : true
    })
    const states = new Map(
      [...seen.values()].map((incoming) => [incoming.transaction_hash, incoming.state]),
    )
    assert.deepEqual(
      new Set([states.get(transaction_hash), states.get(failing.transaction_hash)]),
      new Set(['FINAL', 'FAILED']),
    )
    await desk.sandbox.fault('fireblocks', 'list_transactions', 'TWICE')
    const doubled = await desk.venue.transfers.incoming(null)
    assert.equal(
      new Set(doubled.movements.map((movement) => movement.foreign_id)).size * 2,
      doubled.movements.length,
    )
    assert.deepEqual(
      new Set(doubled.movements.map((movement) => movement.foreign_id)),
      new Set(seen.keys()),
    )
  })

  test('fuel of the older gas station is told as sent by the vault', async () => {
    await desk.sandbox.control('POST', 'fireblocks/fuel', { to: 0 })
    const arrived = await until('it arrives', async () =>
      (await desk.venue.transfers.incoming(null)).movements.find(
        (movement) => movement.by_venue === true && movement.state === 'FINAL',
      ),
    )
    assert.deepEqual(
      [arrived.asset, format(arrived.quantity), arrived.wallet],
      ['ETH', '0.01', '0'],
    )
  })

  test('a webhook is believed only when the vault signed exactly these bytes', async () => {
    const messages: { body: Buffer; headers: IncomingHttpHeaders }[] = []
    const listener = await listen((body, headers) => {
      messages.push({ body, headers })
    })
    try {
      await desk.sandbox.control('POST', 'fireblocks/webhook', {
        url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`,
      })
      const to_address = await addressOf(desk.sandbox, 'ETH')
      await desk.sandbox.control('POST', 'chain/send', {
        asset: 'ETH',
        quantity: '0.7',
        to_address,
      })
      const push = desk.venue.transfers.push as NonNullable<Transfers['push']>
      const read = (message: (typeof messages)[number]) =>
        push(message.body, message.headers as Record<string, string | undefined>)
      const final = await until('the final push', async () => {
        for (const message of messages) {
          const [movement] = (await read(message)) ?? []
          if (movement?.state === 'FINAL') return movement
        }
        return undefined
      })
      assert.deepEqual(
        {
          asset: final.asset,
          quantity: format(final.quantity),
          destination_address: final.destination_address,
        },
        { asset: 'ETH', quantity: '0.7', destination_address: to_address },
      )
      const polled = (await desk.venue.transfers.incoming(null)).movements.find(
        (movement) => movement.foreign_id === final.foreign_id,
      )
      assert.equal(polled?.state, 'FINAL')

      const order = orderTo(desk.collection)
      const before = messages.length
      await desk.venue.transfers.send(order)
      await until('an outgoing push', () => messages.length > before)
      assert.equal(await read(messages[before] as (typeof messages)[number]), undefined)

      const [message] = messages
      assert.ok(message !== undefined)
      const headers = message.headers as Record<string, string | undefined>
      const signature = String(headers['fireblocks-webhook-signature'])
      const changed = Buffer.from(message.body.toString().replace('0.7', '7.0'))
      await assert.rejects(push(changed, headers), isUnsigned)
      await assert.rejects(push(message.body, {}), isUnsigned)
      await assert.rejects(
        push(message.body, { 'fireblocks-webhook-signature': signature.replace('..', '.e30.') }),
        isUnsigned,
      )
      await assert.rejects(
        push(message.body, { 'fireblocks-webhook-signature': `${signature.slice(0, -8)}AAAAAAAA` }),
        isUnsigned,
      )
      const deaf = await openDeaf(desk)
      await assert.rejects((deaf.transfers.push as typeof push)(message.body, headers), isUnsigned)
    } finally {
      await desk.sandbox.control('POST', 'fireblocks/webhook', { url: null })
      listener.closeAllConnections()
      listener.close()
    }
  })
})
