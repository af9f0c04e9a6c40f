import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { amount, plain } from '../amount.ts'
import type { CoinTransfer } from '../part.ts'
import { openWorld } from '../world.ts'
import type { World } from '../world.ts'
import { openChain } from './chain.ts'
import { PROTOCOLS } from './protocols.ts'
import type { ChainPart } from './protocols.ts'

let dir: string
let world: World
let chain: ChainPart
let seen: { transfer: CoinTransfer; locator: string; state: string }[]

function open(): void {
  world = openWorld(dir)
  // Time stands still but for `advance`.
  world.setPace(0)
  chain = openChain(world)
  seen = []
  chain.onArrival('shop', (transfer, locator, state) => {
    seen.push({ transfer, locator, state })
  })
}
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'chain-'))
  open()
})
afterEach(() => {
  world.close()
  rmSync(dir, { recursive: true })
})

const outside = (protocol: string) =>
  chain.outside().find((address) => address.protocol === protocol)?.address ?? ''
const held = (holder: string, asset: string) =>
  chain.holdings?.().find((holding) => holding.holder === holder && holding.asset === asset)
    ?.quantity ?? '0'
function sum(asset: string): string {
  return plain(
    (chain.holdings?.() ?? [])
      .filter((holding) => holding.asset === asset)
      .reduce((total, holding) => total + amount(holding.quantity), 0n),
  )
}
function send(
  asset: string,
  to_address: string,
  more: { quantity?: string; tag?: string } = {},
): string {
  const { quantity = '1.5', tag = null } = more
  return world.commit(() =>
    chain.send({
      asset,
      protocol: asset,
      from_address: outside(asset),
      to_address,
      tag,
      quantity,
      fee: chain.fee(asset, 'MEDIUM').fee,
    }),
  ).transaction_hash
}

for (const { protocol, asset, block_ms, confirmations } of PROTOCOLS) {
  const title = `${asset} is seen at once and final after ${confirmations} blocks within 30 s`
  test(`${title}; no coin is lost or made`, () => {
    const total = sum(asset)
    const address = chain.newAddress(protocol, { part: 'shop', locator: 'till' })
    const hash = send(asset, address, { tag: '7' })
    world.advance(0)
    assert.deepEqual(
      seen.map(({ state, transfer, locator }) => [
        state,
        transfer.confirmations,
        locator,
        transfer.tag,
      ]),
      [['PENDING', 0, 'till', '7']],
    )
    assert.equal(held('transit', asset), '1.5')
    for (let block = 1; block <= confirmations; block += 1) world.advance(block_ms)
    assert.ok(block_ms * confirmations < 30_000)
    assert.deepEqual(
      seen.map(({ transfer }) => transfer.confirmations),
      Array.from({ length: confirmations + 1 }, (_, n) => n),
    )
    assert.equal(seen.at(-1)?.state, 'FINAL')
    assert.deepEqual(chain.transaction(hash), {
      transaction_hash: hash,
      confirmations,
      required_confirmations: confirmations,
      state: 'FINAL',
      fee: chain.find(hash)[0]?.fee,
    })
    assert.equal(held('shop', asset), '1.5')
    assert.equal(held('transit', asset), '0')
    assert.equal(sum(asset), total)
    world.advance(60_000)
    assert.equal(seen.length, confirmations + 1)
  })
}

test('a killed world continues where it was', () => {
  const address = chain.newAddress('ETH', { part: 'shop', locator: 'till' })
  send('ETH', address)
  world.advance(3_000)
  world.close()
  open()
  world.advance(18_000)
  assert.deepEqual(
    seen.map(({ state }) => state),
    ['FINAL'],
  )
  assert.equal(held('shop', 'ETH'), '1.5')
})

test('a transaction that is dropped unconfirmed costs nothing', () => {
  const before = held('outside', 'BTC')
  const hash = send('BTC', chain.newAddress('BTC', { part: 'shop', locator: 'till' }))
  world.faults.add({
    venue: 'chain',
    operation: 'confirm',
    kind: 'REFUSE',
    remaining: 1,
    delay_ms: 0,
  })
  world.advance(10_000)
  assert.equal(seen.at(-1)?.state, 'FAILED')
  assert.equal(chain.transaction(hash)?.state, 'FAILED')
  assert.deepEqual([held('outside', 'BTC'), held('fees', 'BTC')], [before, '0'])
  assert.equal(
    world.commit(() => chain.drop(hash)),
    false,
  )
  assert.equal(held('shop', 'BTC'), '0')
})

/** 0.1 to the first address, 0.2 to the second, and so on. */
const sendMany = (asset: string, addresses: readonly string[]) =>
  world.commit(() =>
    chain.sendMany({
      asset,
      protocol: asset,
      from_address: outside(asset),
      fee: '0.00003',
      outputs: addresses.map((to_address, place) => ({
        to_address,
        tag: null,
        quantity: `0.${place + 1}`,
      })),
    }),
  )
const newAddresses = (protocol: string, locators: readonly string[]) =>
  locators.map((locator) => chain.newAddress(protocol, { part: 'shop', locator }))

test('one transaction has several outputs and one fee', () => {
  const locators = ['one', 'two', 'three']
  const addresses = newAddresses('BTC', locators)
  const before = { outside: held('outside', 'BTC'), all: sum('BTC') }
  const { transaction_hash } = sendMany('BTC', addresses)
  world.advance(10_000)
  world.advance(10_000)
  assert.deepEqual(
    [
      held('shop', 'BTC'),
      plain(amount(before.outside) - amount(held('outside', 'BTC'))),
      held('fees', 'BTC'),
      sum('BTC'),
    ],
    ['0.6', '0.60003', '0.00003', before.all],
  )
  const outputs = chain.find(transaction_hash)
  assert.deepEqual(
    [
      outputs.map((output) => output.to_address),
      outputs.map((output) => output.fee),
      new Set(outputs.map((output) => output.output_index)).size,
    ],
    [addresses, ['0.00003', '0', '0'], 3],
  )
  assert.ok(outputs.every((output) => output.output_index >= 0 && output.output_index <= 3))
  assert.deepEqual(
    seen
      .filter(({ state }) => state === 'FINAL')
      .map(({ locator, transfer }) => [locator, transfer.output_index]),
    locators.map((locator, place) => [locator, outputs[place]?.output_index]),
  )
})

test('a transaction with several outputs fails as a whole', () => {
  const addresses = newAddresses('BTC', ['one', 'two', 'three'])
  const before = sum('BTC')
  sendMany('BTC', addresses)
  world.advance(20_000)
  world.faults.add({
    venue: 'chain',
    operation: 'confirm',
    kind: 'REFUSE',
    remaining: 1,
    delay_ms: 0,
  })
  sendMany('BTC', addresses)
  world.advance(10_000)
  assert.deepEqual(
    [
      seen.slice(-3).map(({ state }) => state),
      held('shop', 'BTC'),
      held('transit', 'BTC'),
      sum('BTC'),
    ],
    [['FAILED', 'FAILED', 'FAILED'], '0.6', '0', before],
  )
})

test('several outputs are only for protocols that have them, and need valid addresses', () => {
  const [address = ''] = newAddresses('BTC', ['one'])
  const before = sum('BTC')
  assert.throws(
    () => sendMany('ETH', newAddresses('ETH', ['a', 'b'])),
    /cannot have 2 destinations/,
  )
  assert.throws(() => sendMany('BTC', [address, 'nowhere']), /no BTC address/)
  assert.deepEqual([held('transit', 'BTC'), sum('BTC')], ['0', before])
})

test('nobody sends what they do not hold, to what is no address, or finer than the coin', () => {
  const address = chain.newAddress('BTC', { part: 'shop', locator: 'till' })
  assert.throws(() => send('BTC', address, { quantity: '1000' }), /does not hold/)
  assert.throws(() => send('BTC', 'nowhere'), /no BTC address/)
  assert.throws(() => send('BTC', address, { quantity: '0.000000001' }), /cannot be sent/)
  assert.equal(held('outside', 'BTC'), '1000')
})

test('fees move slowly and are ordered by level', () => {
  const start = amount(chain.fee('ETH', 'MEDIUM').fee)
  for (let minute = 0; minute < 30; minute += 1) {
    const [low, medium, high] = (['LOW', 'MEDIUM', 'HIGH'] as const).map((level) =>
      amount(chain.fee('ETH', level).fee),
    )
    assert.ok(
      low !== undefined &&
        medium !== undefined &&
        high !== undefined &&
        0n < low &&
        low < medium &&
        medium < high,
    )
    assert.ok(medium * 10n < start * 14n && medium * 14n > start * 10n)
    world.advance(60_000)
  }
})

test('a world from before transactions had several outputs keeps working, and gets them', () => {
  const to = [0, 1].map(() => chain.newAddress('BTC', { part: 'shop', locator: 'x' }))
  const earlier = send('BTC', to[0] ?? '')
  // As the table was then.
  world.db.exec(`
    create table before as select * from chain_transactions;
    drop table chain_transactions;
    create table chain_transactions (
      transaction_hash text primary key,
      protocol text not null,
      asset text not null,
      from_address text not null,
      to_address text not null,
      tag text,
      output_index integer not null,
      quantity text not null,
      fee text not null,
      sent_at integer not null,
      confirmations integer not null,
      notified integer not null,
      state text not null
    );
    insert into chain_transactions select * from before;
    drop table before;`)
  world.close()
  open()
  const outputs = to.map((to_address) => ({ to_address, tag: null, quantity: '0.25' }))
  world.commit(() =>
    chain.sendMany({
      asset: 'BTC',
      protocol: 'BTC',
      from_address: outside('BTC'),
      outputs,
      fee: chain.fee('BTC', 'MEDIUM').fee,
    }),
  )
  world.advance(60_000)
  const transfers = seen.filter(({ state }) => state === 'FINAL').map(({ transfer }) => transfer)
  assert.deepEqual(transfers.map(({ quantity }) => quantity).toSorted(), ['0.25', '0.25', '1.5'])
  assert.ok(transfers.some(({ transaction_hash }) => transaction_hash === earlier))
})
