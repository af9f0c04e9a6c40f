import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { amount, plain } from './amount.ts'

const dir = mkdtempSync(join(tmpdir(), 'world-'))
let child: ChildProcess
let base: string

async function start(): Promise<void> {
  child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: { ...process.env, SANDBOX_DIR: dir, SANDBOX_PORT: '0', KONTOR_PARENT: 'stdin' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const { ready, port } = JSON.parse(line) as { ready: boolean; port: number }
    assert.ok(ready)
    base = `http://127.0.0.1:${port}/control`
    return
  }
  throw new Error('it ended before it was ready')
}
async function waitForExit(): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}
/** The fields that these tests read, of whatever the control interface answers. */
type Item = {
  id: number
  remaining: number
  now: number
  pace: number
  asset: string
  address: string
  accounts: { wallets: { asset: string; address: string }[] }[]
  funding: { asset: string; address: string }[]
}
async function control<Answer = Item>(
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${base}${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  const answer = (await response.json()) as Answer
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(answer)}`)
  return answer
}
type Holdings = {
  holdings: { part: string; holder: string; asset: string; quantity: string }[]
  totals: { part: string; asset: string; quantity: string }[]
}
async function sums(): Promise<Record<string, string>> {
  const { totals } = await control<Holdings>('GET', '/holdings')
  return Object.fromEntries(
    totals
      .filter((total) => total.part === 'chain' || total.part === 'bank')
      .map((total) => [`${total.part} ${total.asset}`, total.quantity]),
  )
}
/** Each part's own books show what lies at its addresses on the chain. */
async function agrees(): Promise<void> {
  const { holdings, totals } = await control<Holdings>('GET', '/holdings')
  for (const part of ['kraken', 'bitstamp', 'okx', 'fireblocks', 'managed']) {
    for (const { asset, quantity } of totals.filter(
      (total) => total.part === part && total.asset !== 'EUR',
    )) {
      assert.equal(
        quantity,
        holdings.find(
          (holding) =>
            holding.part === 'chain' && holding.holder === part && holding.asset === asset,
        )?.quantity,
        `${part} ${asset}`,
      )
    }
  }
}

before(start)
after(async () => {
  child.kill('SIGKILL')
  await waitForExit()
  rmSync(dir, { recursive: true })
})

test('what leaves one place arrives at another, also after a kill in between', async () => {
  const before = await sums()
  await agrees()
  const { accounts } = await control('GET', '/fireblocks')
  const { funding } = await control('GET', '/kraken')
  const vault = (asset: string) =>
    accounts[0]?.wallets.find((wallet) => wallet.asset === asset)?.address
  const exchange = (asset: string) => funding.find((account) => account.asset === asset)?.address
  await control('POST', '/clock', { pace: 0 })
  for (const asset of ['BTC', 'ETH', 'XRP']) {
    await control('POST', '/chain/send', { asset, quantity: '1.25', to_address: vault(asset) })
    await control('POST', '/chain/send', {
      asset,
      quantity: '2.5',
      to_address: exchange(asset),
      tag: asset === 'XRP' ? '3042017' : null,
    })
  }
  assert.deepEqual(await sums(), before)
  child.kill('SIGKILL')
  await waitForExit()
  await start()
  assert.equal((await control('GET', '/clock')).pace, 0)
  assert.deepEqual(await sums(), before)
  await control('POST', '/clock', { advance_ms: 30_000 })
  await agrees()
  assert.deepEqual(await sums(), before)
  const { holdings } = await control<Holdings>('GET', '/holdings')
  const total = (part: string, asset: string) =>
    plain(
      holdings
        .filter((holding) => holding.part === part && holding.asset === asset)
        .reduce((sum, holding) => sum + amount(holding.quantity), 0n),
    )
  assert.deepEqual(
    [total('fireblocks', 'BTC'), total('fireblocks', 'ETH'), total('fireblocks', 'XRP')],
    ['4.25', '21.25', '5001.25'],
  )
  assert.ok(
    holdings
      .filter((holding) => holding.holder === 'transit' && holding.part === 'chain')
      .every((holding) => holding.quantity === '0'),
  )
})

test('the control interface lists itself, and refuses what it does not understand', async () => {
  const index = await control<string[]>('GET', '')
  for (const entry of [
    'GET /control/counts',
    'POST /control/faults',
    'POST /control/clock',
    'POST /control/chain/send',
    'GET /control/holdings',
    'POST /control/bank/wire',
    'POST /control/kraken/market',
    'POST /control/fireblocks/webhook',
  ]) {
    assert.ok(index.includes(entry), entry)
  }
  const { id } = await control('POST', '/faults', {
    venue: 'fireblocks',
    operation: 'create_transaction',
    kind: 'REFUSE',
  })
  assert.deepEqual(
    (await control<Item[]>('GET', '/faults')).map((item) => [item.id, item.remaining]),
    [[id, 1]],
  )
  assert.deepEqual(await control('DELETE', '/faults'), [])
  for (const [path, body] of [
    ['/faults', { venue: 'x', operation: 'y', kind: 'EXPLODE' }],
    ['/faults', { venue: 'x' }],
    ['/clock', { pace: '1' }],
    ['/clock', { pace: -1 }],
    ['/chain/send', { asset: 'BTC', quantity: 1, to_address: 'x' }],
    ['/chain/send', { asset: 'BTC', quantity: '1', to_address: 'x' }],
    ['/chain/addresses', { protocol: 'DOGE' }],
  ] as const) {
    await assert.rejects(
      control('POST', path, body),
      /^Error: 400/,
      `${path} ${JSON.stringify(body)}`,
    )
  }
  const { address } = await control('POST', '/chain/addresses', {
    protocol: 'ETH',
    name: 'somebody',
  })
  assert.ok(
    (await control<Item[]>('GET', '/chain/addresses')).some((item) => item.address === address),
  )
})

test('the control interface is for this machine, whatever name leads to it', async () => {
  const { hostname, port } = new URL(base)
  const statusOf = async (host: string, path: string) => {
    const asked = request({ hostname, port, path, headers: { host } }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode
  }
  assert.deepEqual(
    [
      await statusOf(`localhost:${port}`, '/control/clock'),
      await statusOf('rebound.attacker.example', '/control/clock'),
      await statusOf('rebound.attacker.example', '/%63ontrol/clock'),
    ],
    [200, 421, 421],
  )
})

test('world time runs at its pace and can be moved', async () => {
  const { now } = await control('POST', '/clock', { pace: 0 })
  assert.equal((await control('POST', '/clock', { advance_ms: 5_000 })).now, now + 5_000)
  assert.equal((await control('POST', '/clock', { pace: 1 })).pace, 1)
})

test('it ends at SIGTERM, and with the program that started it', async () => {
  child.kill('SIGTERM')
  assert.equal(await waitForExit(), 0)
  await start()
  child.stdin?.end()
  assert.equal(await waitForExit(), 0)
  await start()
})
