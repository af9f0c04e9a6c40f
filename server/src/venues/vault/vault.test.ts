import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { inspect } from 'node:util'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import { contractSuite } from '../contract-suite/contract-suite.testing.ts'
import type {
  Allowlist,
  Incoming,
  TransferLookup,
  TransferOrder,
  TransferOutput,
  TransferReport,
  Transfers,
  Venue,
  WalletCreation,
  WalletOrder,
} from '../contract.ts'
import { startSandbox } from '../sandbox-process.ts'
import type { SandboxProcess } from '../sandbox-process.ts'
import { allowlistState, incomingState, transferState } from './states.ts'
import { openVault } from './vault.ts'
import type { VaultConfig } from './vault.ts'

const OUTSIDE: Record<string, { address: string; tag: string | null }> = {
  BTC: { address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT', tag: null },
  ETH: { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', tag: null },
  XRP: { address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', tag: '77' },
}
const PACE = 20
/** So long that no machine is too slow to be in time. */
const PATIENT_MILLISECONDS = 30_000
const HASTY_MILLISECONDS = 2_000

type Vault = Venue & { transfers: Transfers; allowlist: Allowlist; wallets: WalletCreation }
async function openAt(sandbox: SandboxProcess, more: Partial<VaultConfig> = {}): Promise<Vault> {
  const { api_key } = JSON.parse(await sandbox.credential('fireblocks.json')) as { api_key: string }
  return (await openVault({
    base_url: `${sandbox.url}/fireblocks/v1`,
    api_key,
    secret_pem: await sandbox.credential('fireblocks.pem'),
    webhook_public_key_pem: await sandbox.credential('fireblocks-webhook.pem'),
    request_timeout_ms: PATIENT_MILLISECONDS,
    ...more,
  })) as Vault
}
function destination(
  asset: string,
  external = '',
): Pick<TransferOrder, 'asset' | 'protocol' | 'destination_address' | 'tag' | 'transfer'> {
  const { address = '', tag = null } = OUTSIDE[asset] ?? {}
  return {
    asset,
    protocol: asset,
    destination_address: address,
    tag,
    transfer: {
      from: { source_vault_account_id: '0', destination_external_account_id: external },
      to: {},
    },
  }
}
/** For answers that never come. */
const openHasty = (sandbox: SandboxProcess): Promise<Vault> =>
  openAt(sandbox, { request_timeout_ms: HASTY_MILLISECONDS })
/** Allow-lists the outside address of each asset; answers the collection. */
async function allowAll(venue: Vault): Promise<string> {
  let collection = ''
  for (const asset of Object.keys(OUTSIDE)) {
    const answer = await venue.allowlist.allow({
      label: 'Outside',
      external_id: newId(),
      ...destination(asset, collection),
    })
    assert.ok(answer.outcome === 'accepted', inspect(answer))
    collection = answer.report.transfer.from['destination_external_account_id'] ?? ''
    await until(
      `${asset} is approved`,
      async () => (await venue.allowlist.state(destination(asset, collection))) === 'APPROVED',
    )
  }
  return collection
}
/** Allow-lists one more BTC address; answers it as an output. */
async function allowBtc(
  venue: Vault,
  destination_address: string,
): Promise<Omit<TransferOutput, 'quantity'>> {
  const entry = { asset: 'BTC', protocol: 'BTC', destination_address, tag: null }
  const answer = await venue.allowlist.allow({
    label: 'Other',
    external_id: newId(),
    ...entry,
    transfer: destination('BTC').transfer,
  })
  assert.ok(answer.outcome === 'accepted', inspect(answer))
  const { transfer } = answer.report
  await until(
    'the other address is approved',
    async () => (await venue.allowlist.state({ ...entry, transfer })) === 'APPROVED',
  )
  return { destination_address, tag: null, transfer, recipient_name: null }
}
function orderTo(collection: string, more: Partial<TransferOrder> = {}): TransferOrder {
  return {
    external_id: newId(),
    quantity: decimal('0.01'),
    speed_level: 'DEFAULT',
    fee: 0n,
    source_wallet: '0',
    recipient_name: null,
    ...destination(more.asset ?? 'BTC', collection),
    ...more,
  }
}
const walletOrder = (more: Partial<WalletOrder> = {}): WalletOrder => ({
  external_id: newId(),
  asset: 'ETH',
  protocol: 'ETH',
  label: 'New',
  vault_id: null,
  vault_name: null,
  customer_id: null,
  ...more,
})
const lookup = (order: TransferOrder): TransferLookup => ({
  ...order,
  foreign_id: null,
  submitted_at: Date.now(),
  claimed: [],
})
async function ended(venue: Vault, order: TransferOrder): Promise<TransferReport> {
  return until('the transfer ends', async () => {
    const found = await venue.transfers.find(lookup(order))
    return found.lookup === 'found' && !found.report.state.startsWith('PENDING')
      ? found.report
      : undefined
  })
}
type Arrivals = { received: { quantity: string; tag: string | null }[] }
const arrived = async (sandbox: SandboxProcess, asset: string) =>
  (await sandbox.control<Arrivals>('GET', `chain/addresses/${OUTSIDE[asset]?.address}`)).received
type State = { accounts: { wallets: { asset: string; address: string }[] }[] }
const addressOf = async (sandbox: SandboxProcess, asset: string) =>
  (await sandbox.control<State>('GET', 'fireblocks')).accounts[0]?.wallets.find(
    (wallet) => wallet.asset === asset,
  )?.address ?? ''

contractSuite('vault', async () => {
  const sandbox = await startSandbox()
  await sandbox.control('POST', 'clock', { pace: PACE })
  const venue = await openAt(sandbox)
  const collection = await allowAll(venue)
  const other = await allowBtc(
    venue,
    (await sandbox.control<{ address: string }>('POST', 'chain/addresses', { protocol: 'BTC' }))
      .address,
  )
  return {
    venue,
    hasty: await openHasty(sandbox),
    down: () => sandbox.kill(),
    up: () => sandbox.restart(),
    close: () => sandbox.stop(),
    transfers: {
      good: () => orderTo(collection),
      refused: () => orderTo('no-such-collection'),
      many: () => {
        const good = {
          ...orderTo(collection),
          further_outputs: [{ ...other, quantity: decimal('0.02') }],
        }
        const unlisted = {
          ...other,
          quantity: decimal('0.02'),
          transfer: orderTo('no-such-collection').transfer,
        }
        return {
          good,
          refused: {
            ...good,
            external_id: newId(),
            further_outputs: [...good.further_outputs, unlisted],
          },
        }
      },
      losesAnswer: () => sandbox.fault('fireblocks', 'create_transaction', 'TIMEOUT_AFTER_ACCEPT'),
      received: () => sandbox.received('fireblocks', 'create_transaction'),
      arrive: async () => {
        const to_address = await addressOf(sandbox, 'BTC')
        await sandbox.control('POST', 'chain/send', { asset: 'BTC', quantity: '0.123', to_address })
        return (movement) =>
          movement.quantity === decimal('0.123') &&
          movement.destination_address === to_address &&
          movement.wallet === '0'
      },
    },
    wallets: {
      good: () => walletOrder(),
      refused: () => walletOrder({ vault_id: '999' }),
      losesAnswer: () => sandbox.fault('fireblocks', 'create_account', 'TIMEOUT_AFTER_ACCEPT'),
      received: () => sandbox.received('fireblocks', 'create_account'),
    },
  }
})

test("the venue's words: what is not in the table is unknown, and nothing is final by guess", () => {
  for (const [word, transfer, incoming] of [
    ['SUBMITTED', 'PENDING', 'PENDING'],
    ['PENDING_AUTHORIZATION', 'PENDING_REVIEW', 'PENDING'],
    ['CONFIRMING', 'PENDING', 'PENDING'],
    ['COMPLETED', 'SUCCESS', 'FINAL'],
    ['FAILED', 'FAILED', 'FAILED'],
    ['BLOCKED', 'REJECTED', 'FAILED'],
    ['REJECTED', 'REJECTED', 'FAILED'],
    ['CANCELLED', 'CANCELED', 'FAILED'],
    ['PARTIALLY_COMPLETED', 'UNKNOWN', 'PENDING'],
    ['', 'UNKNOWN', 'PENDING'],
  ] as const)
    assert.deepEqual([transferState(word), incomingState(word)], [transfer, incoming], word)
  assert.deepEqual(
    ['WAITING_FOR_APPROVAL', 'APPROVED', 'REJECTED', 'CANCELLED', 'FAILED', 'NEW_WORD'].map(
      allowlistState,
    ),
    ['PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'REJECTED', 'FAILED', 'PENDING_APPROVAL'],
  )
})

describe('vault', () => {
  let sandbox: SandboxProcess
  let venue: Vault
  let hasty: Vault
  let collection: string
  before(async () => {
    sandbox = await startSandbox()
    await sandbox.control('POST', 'clock', { pace: PACE })
    venue = await openAt(sandbox)
    hasty = await openHasty(sandbox)
    collection = await allowAll(venue)
  })
  beforeEach(() => sandbox.control('DELETE', 'faults'))
  after(async () => {
    await venue.close()
    await hasty.close()
    await sandbox.stop()
  })

  test('balances and protocols to the last digit', async () => {
    const btc = (await venue.balances()).find((balance) => balance.asset === 'BTC')
    assert.deepEqual(btc, {
      wallet: '0',
      asset: 'BTC',
      protocol: 'BTC',
      free: decimal('3'),
      used: 0n,
      total: decimal('3'),
    })
    const protocols = (await venue.protocols()).flatMap((protocol) => protocol.protocols)
    assert.deepEqual(
      protocols.map((protocol) => [
        protocol.native,
        protocol.protocol,
        protocol.decimals,
        protocol.tag_required,
      ]),
      [
        ['BTC', 'BTC', 8, false],
        ['ETH', 'ETH', 18, false],
        ['XRP', 'XRP', 6, true],
      ],
    )
    assert.deepEqual(
      venue.transfers.fields('XRP', 'XRP').to.find((transferField) => transferField.name === 'tag')
        ?.required,
      true,
    )
  })

  test('the books agree with the chain after transfers of every asset at every speed, the fee paid on top', async () => {
    for (const asset of ['BTC', 'ETH', 'XRP']) {
      const total = async () =>
        (await venue.balances()).find((balance) => balance.asset === asset)?.total ?? 0n
      const estimate = await venue.transfers.estimateFee(orderTo(collection, { asset }))
      assert.equal(estimate.asset, asset)
      const { SLOW, DEFAULT, FAST } = estimate.speed_levels
      assert.ok(0n < SLOW && SLOW < DEFAULT && DEFAULT < FAST)
      let left = await total()
      const custom =
        DEFAULT +
        (asset === 'ETH'
          ? decimal('0.000000000000000007')
          : asset === 'XRP'
            ? decimal('0.000003')
            : 0n)
      for (const speed_level of ['SLOW', 'DEFAULT', 'FAST', 'CUSTOM'] as const) {
        const quantity = asset === 'ETH' ? decimal('0.000000000000000123') : decimal('0.0123')
        const order = orderTo(collection, { asset, speed_level, quantity, fee: custom })
        assert.equal((await venue.transfers.send(order)).outcome, 'accepted')
        const report = await ended(venue, order)
        assert.deepEqual(
          [report.state, report.sub_state, report.fee_asset],
          ['SUCCESS', 'COMPLETED/CONFIRMED', asset],
        )
        assert.ok(report.fee !== null && report.transaction_hash !== null)
        left -= quantity + report.fee
        assert.equal(format(await total()), format(left))
        if (speed_level === 'CUSTOM')
          assert.ok(
            near(report.fee, custom, asset === 'BTC' ? decimal('0.00000002') : 0n),
            `${format(report.fee)} for ${format(custom)}`,
          )
      }
      const received = await arrived(sandbox, asset)
      assert.equal(received.length, 4)
      assert.ok(received.every((each) => each.tag === OUTSIDE[asset]?.tag))
    }
  })

  test('one transaction pays two destinations and the chain shows both; what cannot share one is refused before it is asked', async () => {
    const { address } = await sandbox.control<{ address: string }>('POST', 'chain/addresses', {
      protocol: 'BTC',
    })
    const other = await allowBtc(venue, address)
    const order = {
      ...orderTo(collection),
      further_outputs: [{ ...other, quantity: decimal('0.07') }],
    }
    const single = (await venue.transfers.estimateFee(orderTo(collection))).speed_levels.DEFAULT
    assert.ok((await venue.transfers.estimateFee(order)).speed_levels.DEFAULT > single)
    const before = (await venue.balances()).find((balance) => balance.asset === 'BTC')?.total ?? 0n
    assert.equal((await venue.transfers.send(order)).outcome, 'accepted')
    const report = await ended(venue, order)
    assert.equal(report.state, 'SUCCESS')
    const chain = await sandbox.control<{
      outputs: { to_address: string; quantity: string; fee: string }[]
    }>('GET', `chain/transactions/${report.transaction_hash}`)
    assert.deepEqual(
      chain.outputs.map((output) => [output.to_address, output.quantity, output.fee]),
      [
        [order.destination_address, '0.01', format(report.fee ?? 0n)],
        [address, '0.07', '0'],
      ],
    )
    assert.equal(
      before - ((await venue.balances()).find((balance) => balance.asset === 'BTC')?.total ?? 0n),
      decimal('0.08') + (report.fee ?? 0n),
    )
    assert.equal(venue.transfers.output_group?.(orderTo(collection, { asset: 'ETH' })), null)
    const asked = await sandbox.received('fireblocks', 'create_transaction')
    const from = (id: string) => ({
      ...other,
      quantity: decimal('0.07'),
      transfer: {
        ...other.transfer,
        from: { ...other.transfer.from, source_vault_account_id: id },
      },
    })
    const ether = {
      ...orderTo(collection, { asset: 'ETH' }),
      further_outputs: [{ ...other, quantity: decimal('0.07') }],
    }
    for (const refused of [{ ...order, external_id: newId(), further_outputs: [from('1')] }, ether])
      assert.equal((await venue.transfers.send(refused)).outcome, 'refused')
    assert.equal(await sandbox.received('fireblocks', 'create_transaction'), asked)
  })

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
          transfer: { from: { destination_external_account_id: collection }, to: {} },
        },
        /no vault account/,
      ],
    ]
    const earlier = await sandbox.received('fireblocks', 'create_transaction')
    for (const [more, reason] of refusals) {
      const answer = await venue.transfers.send(orderTo(collection, more))
      assert.ok(answer.outcome === 'refused' && reason.test(answer.reason), inspect(answer))
    }
    assert.equal(await sandbox.received('fireblocks', 'create_transaction'), earlier)
    const wrongAccount = await venue.transfers.send(
      orderTo(collection, {
        transfer: {
          from: { source_vault_account_id: '9', destination_external_account_id: collection },
          to: {},
        },
      }),
    )
    assert.equal(wrongAccount.outcome, 'refused')
  })

  test('the allow-list: a collection is made once, waits, is approved or rejected; a rejected address may be asked for again', async () => {
    await sandbox.control('POST', 'fireblocks/approval', { mode: 'MANUAL' })
    const fresh = {
      ...destination('BTC'),
      destination_address: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    }
    const external_id = newId()
    const ids = new Set<string>()
    const allow = async (order = fresh) => {
      const answer = await venue.allowlist.allow({ label: 'Fresh', external_id, ...order })
      assert.ok(answer.outcome === 'accepted', inspect(answer))
      ids.add(answer.report.transfer.from['destination_external_account_id'] ?? '')
      return answer.report
    }
    assert.equal((await allow()).state, 'PENDING_APPROVAL')
    const { transfer } = await allow()
    assert.equal(ids.size, 1)
    assert.equal(transfer.from['source_vault_account_id'], '0')
    const named = { ...fresh, transfer }
    assert.equal(await venue.allowlist.state(named), 'PENDING_APPROVAL')
    assert.equal(await venue.allowlist.state(fresh), null)
    assert.equal(
      await venue.allowlist.state({ ...named, destination_address: OUTSIDE['BTC']?.address ?? '' }),
      null,
    )
    const sent = await venue.transfers.send(orderTo('', named))
    assert.ok(sent.outcome === 'refused' && /PENDING_APPROVAL/.test(sent.reason))
    const [id] = [...ids]
    await sandbox.control('POST', `fireblocks/external-wallets/${id}/BTC`, { status: 'REJECTED' })
    assert.equal(await venue.allowlist.state(named), 'REJECTED')
    assert.equal((await allow(named)).state, 'PENDING_APPROVAL')
    await sandbox.control('POST', `fireblocks/external-wallets/${id}/BTC`, { status: 'APPROVED' })
    assert.equal((await allow(named)).state, 'APPROVED')
    const other = await venue.allowlist.allow({
      label: 'Other',
      external_id: newId(),
      ...named,
      destination_address: OUTSIDE['BTC']?.address ?? '',
    })
    assert.ok(other.outcome === 'refused' && /another address/.test(other.reason))
    assert.equal(ids.size, 1)
    await sandbox.control('POST', 'fireblocks/approval', { mode: 'AUTO' })
  })

  test('allowing again after a lost answer makes no second collection', async () => {
    const order = {
      label: 'Lost',
      external_id: newId(),
      ...destination('BTC'),
      destination_address: '1CounterpartyXXXXXXXXXXXXXXXUWLpVr',
    }
    await sandbox.fault('fireblocks', 'create_external_wallet', 'TIMEOUT_AFTER_ACCEPT')
    assert.equal((await hasty.allowlist.allow(order)).outcome, 'unknown')
    await sandbox.fault('fireblocks', 'add_external_address', 'TIMEOUT_AFTER_ACCEPT')
    assert.equal((await hasty.allowlist.allow(order)).outcome, 'unknown')
    assert.equal((await venue.allowlist.allow(order)).outcome, 'accepted')
    const { external_wallets } = await sandbox.control<{ external_wallets: { name: string }[] }>(
      'GET',
      'fireblocks',
    )
    assert.equal(
      external_wallets.filter((externalWallet) => externalWallet.name === 'Lost').length,
      1,
    )
  })

  test("a wallet in a known vault: a further address where the chain has them, the one address elsewhere; coins that reach it are the vault's", async () => {
    const make = async (more: Partial<WalletOrder>) => {
      const order = walletOrder(more)
      const answer = await venue.wallets.create(order)
      assert.ok(answer.outcome === 'accepted' && answer.report.state === 'ACTIVE', inspect(answer))
      return { order, ...answer.report }
    }
    const first = await make({ asset: 'BTC', protocol: 'BTC', vault_id: '0' })
    const second = await make({ asset: 'BTC', protocol: 'BTC', vault_id: '0' })
    const standing = await addressOf(sandbox, 'BTC')
    assert.equal(new Set([first.address, second.address, standing]).size, 3)
    assert.deepEqual([first.wallet, first.tag], ['0', null])
    const xrp = await make({ asset: 'XRP', protocol: 'XRP', vault_id: '0' })
    assert.equal(xrp.address, await addressOf(sandbox, 'XRP'))
    assert.match(xrp.tag ?? '', /^[0-9]+$/)
    assert.equal((await make({ vault_id: '0' })).address, await addressOf(sandbox, 'ETH'))
    await sandbox.control('POST', 'chain/send', {
      asset: 'BTC',
      quantity: '0.0421',
      to_address: second.address,
    })
    const seen = await until('the coins are seen', async () =>
      (await venue.transfers.incoming(null)).movements.find(
        (movement) => movement.quantity === decimal('0.0421'),
      ),
    )
    assert.deepEqual([seen.wallet, seen.destination_address], ['0', second.address])
    const named = await make({ asset: 'BTC', protocol: 'BTC', vault_name: 'Customers' })
    assert.ok(named.wallet !== '0')
    const { accounts } = await sandbox.control<{ accounts: { id: number; name: string }[] }>(
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
        const earlier = await sandbox.received('fireblocks', operation)
        await sandbox.fault('fireblocks', operation, kind)
        assert.equal(
          (await (kind === 'DOWN' ? venue : hasty).wallets.create(order)).outcome,
          'unknown',
          operation,
        )
        const found = await venue.wallets.find(order)
        assert.equal(
          found.lookup,
          kind === 'DOWN' || operation === 'create_account' ? 'absent' : 'found',
          `${operation} ${kind}`,
        )
        const again = await venue.wallets.create(order)
        assert.ok(
          again.outcome === 'accepted' && again.report.state === 'ACTIVE',
          `${operation} ${inspect(again)}`,
        )
        assert.equal(
          await sandbox.received('fireblocks', operation),
          earlier + 1,
          `${operation} ${kind}`,
        )
      }
    }
    await sandbox.fault('fireblocks', 'create_wallet', 'REFUSE')
    assert.equal((await venue.wallets.create(walletOrder())).outcome, 'refused')
  })

  test('every fault of sending: refused is certain, unknown is found or absent by our reference, nothing is sent twice', async () => {
    const cases = [
      ['REFUSE', 'refused', 'absent'],
      ['TIMEOUT_AFTER_ACCEPT', 'unknown', 'found'],
      ['LATE', 'unknown', 'found'],
      ['DOWN', 'unknown', 'absent'],
    ] as const
    for (const [kind, outcome, expected] of cases) {
      const order = orderTo(collection)
      const earlier = (await arrived(sandbox, 'BTC')).length
      await sandbox.fault('fireblocks', 'create_transaction', kind, { delay_ms: 6_000 * PACE })
      const answer = await (expected === 'found' ? hasty : venue).transfers.send(order)
      assert.equal(answer.outcome, outcome, `${kind} ${inspect(answer)}`)
      const found = await venue.transfers.find(lookup(order))
      assert.equal(found.lookup, expected, kind)
      const again = await venue.transfers.send(order)
      assert.equal(again.outcome, 'accepted', `${kind} ${inspect(again)}`)
      assert.equal((await ended(venue, order)).state, 'SUCCESS')
      assert.equal((await arrived(sandbox, 'BTC')).length, earlier + 1, kind)
    }
    // A reference that is taken is answered by what it stands for, also when the vault no longer
    // remembers the request.
    const order = orderTo(collection)
    assert.equal((await venue.transfers.send(order)).outcome, 'accepted')
    await sandbox.control('POST', 'clock', { advance_ms: 25 * 3_600_000 })
    const again = await venue.transfers.send(order)
    assert.ok(again.outcome === 'accepted' && again.report.state !== 'UNKNOWN', inspect(again))
    assert.equal((await ended(venue, order)).state, 'SUCCESS')
    await sandbox.fault('fireblocks', 'get_transaction_by_external_id', 'DOWN')
    assert.equal((await venue.transfers.find(lookup(order))).lookup, 'unknown')
    await sandbox.fault('fireblocks', 'get_external_address', 'DOWN')
    assert.equal((await venue.transfers.send(orderTo(collection))).outcome, 'unknown')
  })

  test('how a transfer can end: without funds, rejected, blocked, cancelled, held, failed at broadcast', async () => {
    const poor = orderTo(collection, { quantity: decimal('1000') })
    assert.equal((await venue.transfers.send(poor)).outcome, 'accepted')
    const { state, sub_state, fee } = await ended(venue, poor)
    assert.deepEqual([state, sub_state, fee], ['FAILED', 'FAILED/INSUFFICIENT_FUNDS', null])
    // With the clock standing still nothing is broadcast before the decision.
    await sandbox.control('POST', 'clock', { pace: 0 })
    try {
      for (const [action, expected] of [
        ['hold', 'PENDING_REVIEW'],
        ['REJECTED', 'REJECTED'],
        ['BLOCKED', 'REJECTED'],
        ['CANCELLED', 'CANCELED'],
        ['FAILED', 'FAILED'],
      ] as const) {
        const order = orderTo(collection)
        assert.equal((await venue.transfers.send(order)).outcome, 'accepted')
        await sandbox.control('POST', `fireblocks/transactions/${order.external_id}`, { action })
        const found = await venue.transfers.find(lookup(order))
        assert.ok(found.lookup === 'found' && found.report.state === expected, inspect(found))
      }
    } finally {
      await sandbox.control('POST', 'clock', { pace: PACE })
    }
  })

  test('what comes in: at first sight, to final, once per output, with its tag; what fails never becomes final', async () => {
    const to_address = await addressOf(sandbox, 'XRP')
    const seen = new Map<string, Incoming>()
    let cursor: string | null = null
    const poll = async () => {
      const page = await venue.transfers.incoming(cursor)
      cursor = page.cursor
      for (const movement of page.movements) seen.set(movement.foreign_id, movement)
      return page.movements
    }
    await poll()
    await sandbox.control('POST', 'clock', { pace: 0 })
    const { transaction_hash } = await sandbox.control<{ transaction_hash: string }>(
      'POST',
      'chain/send',
      { asset: 'XRP', quantity: '12.000001', to_address, tag: '4711' },
    )
    const first = await until('the first sight', async () =>
      (await poll()).find((incoming) => incoming.transaction_hash === transaction_hash),
    )
    assert.deepEqual(
      [
        first.state,
        first.asset,
        first.protocol,
        format(first.quantity),
        first.tag,
        first.destination_address,
        first.wallet,
        first.output_index,
        first.confirmations,
      ],
      ['PENDING', 'XRP', 'XRP', '12.000001', '4711', to_address, '0', 0, 0],
    )
    // Found as long as it is on its way, however much time goes by and whatever else arrives.
    const failing = await sandbox.control<{ transaction_hash: string }>('POST', 'chain/send', {
      asset: 'BTC',
      quantity: '0.001',
      to_address: await addressOf(sandbox, 'BTC'),
    })
    await sandbox.fault('chain', 'confirm', 'REFUSE', { remaining: 1 })
    await sandbox.control('POST', 'clock', { advance_ms: 3_600_000 })
    await sandbox.control('POST', 'clock', { pace: PACE })
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
    await sandbox.fault('fireblocks', 'list_transactions', 'TWICE')
    const doubled = await venue.transfers.incoming(null)
    assert.equal(
      new Set(doubled.movements.map((movement) => movement.foreign_id)).size * 2,
      doubled.movements.length,
    )
    assert.deepEqual(
      new Set(doubled.movements.map((movement) => movement.foreign_id)),
      new Set(seen.keys()),
    )
  })

  test('a webhook is believed only when the vault signed exactly these bytes', async () => {
    const messages: { body: Buffer; headers: IncomingHttpHeaders }[] = []
    const listener = await listen((body, headers) => {
      messages.push({ body, headers })
    })
    try {
      await sandbox.control('POST', 'fireblocks/webhook', {
        url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`,
      })
      const to_address = await addressOf(sandbox, 'ETH')
      await sandbox.control('POST', 'chain/send', { asset: 'ETH', quantity: '0.7', to_address })
      const push = venue.transfers.push as NonNullable<Transfers['push']>
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
        [final.asset, format(final.quantity), final.destination_address],
        ['ETH', '0.7', to_address],
      )
      const polled = (await venue.transfers.incoming(null)).movements.find(
        (movement) => movement.foreign_id === final.foreign_id,
      )
      assert.equal(polled?.state, 'FINAL')

      const order = orderTo(collection)
      const before = messages.length
      await venue.transfers.send(order)
      await until('an outgoing push', () => messages.length > before)
      assert.equal(await read(messages[before] as (typeof messages)[number]), undefined)

      const [message] = messages
      assert.ok(message !== undefined)
      const wrong = (error: unknown) => error instanceof ApiError && error.kind === 'MissingToken'
      const headers = message.headers as Record<string, string | undefined>
      const signature = String(headers['fireblocks-webhook-signature'])
      const changed = Buffer.from(message.body.toString().replace('0.7', '7.0'))
      await assert.rejects(push(changed, headers), wrong)
      await assert.rejects(push(message.body, {}), wrong)
      await assert.rejects(
        push(message.body, { 'fireblocks-webhook-signature': signature.replace('..', '.e30.') }),
        wrong,
      )
      await assert.rejects(
        push(message.body, { 'fireblocks-webhook-signature': `${signature.slice(0, -8)}AAAAAAAA` }),
        wrong,
      )
      const { api_key } = JSON.parse(await sandbox.credential('fireblocks.json')) as {
        api_key: string
      }
      const deaf = (await openVault({
        base_url: sandbox.url,
        api_key,
        secret_pem: await sandbox.credential('fireblocks.pem'),
      })) as Vault
      await assert.rejects((deaf.transfers.push as typeof push)(message.body, headers), wrong)
    } finally {
      await sandbox.control('POST', 'fireblocks/webhook', { url: null })
      listener.closeAllConnections()
      listener.close()
    }
  })

  test('a wrong key is refused by the venue, and no failure shows a token, key or header', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const stranger = await openAt(sandbox, {
      secret_pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    })
    const secret = await sandbox.credential('fireblocks.pem')
    const shown: string[] = []
    const failing = async (from: Vault) => {
      for (const read of [
        () => from.balances(),
        () => from.protocols(),
        () => from.transfers.incoming(null),
        () => from.transfers.estimateFee(orderTo(collection)),
      ]) {
        await assert.rejects(read(), (error) => {
          shown.push(inspect(error, { depth: 20, showHidden: true }))
          return error instanceof ApiError && error.kind === 'VenueUnreachable'
        })
      }
      const sent = await from.transfers.send(orderTo(collection))
      assert.notEqual(sent.outcome, 'accepted')
      shown.push(inspect(sent), inspect(await from.transfers.find(lookup(orderTo(collection)))))
    }
    await failing(stranger)
    await sandbox.fault('fireblocks', '*', 'DOWN', { remaining: -1 })
    await failing(venue)
    for (const text of shown) {
      assert.doesNotMatch(text, /bearer|eyJ|authorization/i)
      assert.ok(!text.includes(secret.split('\n')[1] as string))
    }
  })

  test('answers of strangers on the way are never a refusal', async () => {
    for (const [status, type, text] of [
      [502, 'text/html', '<html>bad gateway</html>'],
      [404, 'text/html', 'not here'],
      [429, 'application/json', '{"message":"slow down","code":429}'],
      [200, 'application/json', '{}'],
      [307, 'text/plain', ''],
    ] as const) {
      const listener = await listen(
        () => {},
        (path) =>
          path.includes('/external_wallets/')
            ? {
                status: 200,
                type: 'application/json',
                text: JSON.stringify({
                  id: 'BTC',
                  status: 'APPROVED',
                  address: OUTSIDE['BTC']?.address,
                }),
              }
            : { status, type, text },
      )
      try {
        const stranger = await openAt(sandbox, {
          base_url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/v1`,
        })
        assert.equal(
          (await stranger.transfers.send(orderTo(collection))).outcome,
          'unknown',
          String(status),
        )
        if (status !== 200)
          assert.equal(
            (await stranger.transfers.find(lookup(orderTo(collection)))).lookup,
            'unknown',
            String(status),
          )
      } finally {
        listener.closeAllConnections()
        listener.close()
      }
    }
  })
})

function near(one: Decimal, other: Decimal, by: Decimal): boolean {
  return one - other <= by && other - one <= by
}

async function listen(
  heard: (body: Buffer, headers: IncomingHttpHeaders) => void,
  answer: (path: string) => { status: number; type: string; text: string } = () => ({
    status: 200,
    type: 'text/plain',
    text: '',
  }),
): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        heard(Buffer.concat(chunks), request.headers)
        const { status, type, text } = answer(request.url ?? '')
        response
          .writeHead(status, {
            'content-type': type,
            ...(status === 307 && { location: 'http://127.0.0.1:9/' }),
          })
          .end(text)
      })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return server
}
