import assert from 'node:assert/strict'
import { createHash, createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { SignJWT, flattenedVerify } from 'jose'
import { amount, plain } from '../amount.ts'
import { openChain } from '../chain/chain.ts'
import type { ChainPart } from '../chain/protocols.ts'
import { until } from '../testing.ts'
import { openWorld } from '../world.ts'
import type { World } from '../world.ts'
import { openVault } from './vault.ts'
import type { VaultPart } from './vault.ts'

/** The fields that these tests read, of whatever the vault answers. */
type Item = {
  id: string
  name: string
  status: string
  subStatus: string
  code: number
  total: string
  available: string
  lockedAmount: string
  numOfConfirmations: number
  destinationAddress: string
  createdAt: number
  feeInfo: { networkFee: string }
  amountInfo: { amount: string }
  source: { type: string }
  destination: { id: string }
}
type Body = Item & Item[] & { accounts: Item[]; paging: { after: string } }
type Reply = { status: number; body: Body; headers: Record<string, unknown> }

const OUTSIDE_BTC = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'
let dir: string
let world: World
let chain: ChainPart
let vault: VaultPart
let server: FastifyInstance
let apiKey: string
let key: KeyObject

async function open(): Promise<void> {
  world = openWorld(dir)
  world.setPace(0)
  chain = openChain(world)
  vault = openVault(world, chain)
  server = Fastify()
  await server.register(async (scope) => {
    vault.mount(scope)
  })
  apiKey = (
    JSON.parse(readFileSync(join(dir, 'credentials/fireblocks.json'), 'utf8')) as {
      api_key: string
    }
  ).api_key
  key = createPrivateKey(readFileSync(join(dir, 'credentials/fireblocks.pem')))
}
async function close(): Promise<void> {
  await vault.close?.()
  await server.close()
  world.close()
}
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'vault-'))
  await open()
})
afterEach(async () => {
  await close()
  rmSync(dir, { recursive: true })
})

type Tamper = {
  uri?: string
  bodyHash?: string
  nonce?: string
  sub?: string
  header?: string
  expired?: boolean
}
async function call(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
  tamper: Tamper = {},
  headers: Record<string, string> = {},
): Promise<Reply> {
  const url = `/fireblocks/v1${path}`
  const payload = body === undefined ? '' : JSON.stringify(body)
  const now = Math.floor(Date.now() / 1000) - (tamper.expired === true ? 600 : 0)
  const token = await new SignJWT({
    uri: tamper.uri ?? url,
    nonce: tamper.nonce ?? randomUUID(),
    bodyHash: tamper.bodyHash ?? createHash('sha256').update(payload).digest('hex'),
  })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuedAt(now)
    .setExpirationTime(now + 55)
    .setSubject(tamper.sub ?? apiKey)
    .sign(key)
  const response = await server.inject({
    method,
    url,
    ...(body !== undefined && { payload }),
    headers: {
      authorization: `Bearer ${token}`,
      'x-api-key': tamper.header ?? apiKey,
      'content-type': 'application/json',
      ...headers,
    },
  })
  return { status: response.statusCode, body: response.json<Body>(), headers: response.headers }
}
async function control(path: string, payload: object): Promise<Reply> {
  const response = await server.inject({
    method: 'POST',
    url: `/control/fireblocks/${path}`,
    payload,
  })
  return { status: response.statusCode, body: response.json<Body>(), headers: {} }
}
async function approvedWallet(asset = 'BTC', address = OUTSIDE_BTC): Promise<string> {
  const { id } = (await call('POST', '/external_wallets', { name: 'customer' })).body
  assert.equal((await call('POST', `/external_wallets/${id}/${asset}`, { address })).status, 200)
  world.advance(5_000)
  return id
}
const transfer = (walletId: string, more: object = {}) => ({
  operation: 'TRANSFER',
  externalTxId: randomUUID(),
  assetId: 'BTC',
  amount: '0.5',
  feeLevel: 'MEDIUM',
  source: { type: 'VAULT_ACCOUNT', id: '0' },
  destination: { type: 'EXTERNAL_WALLET', id: walletId },
  ...more,
})
const wallet = async (asset = 'BTC') => (await call('GET', `/vault/accounts/0/${asset}`)).body
function settle(): void {
  for (let second = 0; second < 30; second += 1) world.advance(1_000)
}
/** What the vault says it holds is what lies at its addresses. */
function agrees(): void {
  for (const asset of ['BTC', 'ETH', 'XRP']) {
    const books = (vault.holdings?.() ?? [])
      .filter((holding) => holding.asset === asset)
      .reduce((sum, holding) => sum + amount(holding.quantity), 0n)
    assert.equal(
      plain(books),
      chain
        .holdings?.()
        .find((holding) => holding.holder === 'fireblocks' && holding.asset === asset)?.quantity,
    )
  }
}

test("a request needs a token of the right key, over its path and body, not expired, used once; secrets are their owner's only", async () => {
  assert.equal((await call('GET', '/supported_assets')).status, 200)
  const nonce = randomUUID()
  assert.equal((await call('GET', '/supported_assets', undefined, { nonce })).status, 200)
  const refusals: [Tamper, number][] = [
    [{ nonce }, -7],
    [{ uri: '/v1/other' }, -4],
    [{ sub: 'other' }, -6],
    [{ header: 'other' }, -7],
    [{ bodyHash: '00' }, -7],
    [{ expired: true }, -10],
  ]
  for (const [tamper, code] of refusals) {
    const { status, body } = await call('POST', '/external_wallets', { name: 'x' }, tamper)
    assert.deepEqual([status, body.code], [401, code], JSON.stringify(tamper))
  }
  assert.equal((await server.inject({ url: '/fireblocks/v1/supported_assets' })).statusCode, 401)
  assert.deepEqual((await call('GET', '/external_wallets')).body, [])
  assert.deepEqual(world.counts(), [])
  for (const name of ['fireblocks.pem', 'fireblocks.json'])
    assert.equal(statSync(join(dir, 'credentials', name)).mode & 0o777, 0o600)
})

test('a transaction goes its way; amount and fee leave the account, and the chain agrees at every step', async () => {
  const id = await approvedWallet()
  const {
    body: { id: transaction, status },
  } = await call('POST', '/transactions', transfer(id))
  assert.equal(status, 'SUBMITTED')
  const fee = chain.fee('BTC', 'MEDIUM').fee
  assert.deepEqual(
    [(await wallet()).total, (await wallet()).lockedAmount],
    ['3', plain(amount('0.5') + amount(fee))],
  )
  const states: string[] = []
  for (let step = 0; step < 120; step += 1) {
    world.advance(250)
    agrees()
    const { body } = await call('GET', `/transactions/${transaction}`)
    if (states.at(-1) !== body.status) states.push(body.status)
  }
  assert.deepEqual(states, [
    'SUBMITTED',
    'PENDING_SIGNATURE',
    'BROADCASTING',
    'CONFIRMING',
    'COMPLETED',
  ])
  const { body: done } = await call('GET', `/transactions/${transaction}`)
  assert.deepEqual(
    [done.subStatus, done.numOfConfirmations, done.feeInfo.networkFee, done.destinationAddress],
    ['CONFIRMED', 2, fee, OUTSIDE_BTC],
  )
  assert.deepEqual(
    [(await wallet()).total, (await wallet()).lockedAmount],
    [plain(amount('2.5') - amount(fee)), '0'],
  )
  assert.equal(chain.received(OUTSIDE_BTC).length, 1)
})

test('the same external id is taken once; the same idempotency key is answered as before', async () => {
  const id = await approvedWallet()
  const request = transfer(id)
  const first = await call('POST', '/transactions', request, {}, { 'idempotency-key': 'k1' })
  assert.deepEqual(
    (await call('POST', '/transactions', request, {}, { 'idempotency-key': 'k1' })).body,
    first.body,
  )
  const again = await call('POST', '/transactions', request)
  assert.deepEqual([again.status, again.body.code], [400, 1438])
  assert.equal(
    (await call('GET', `/transactions/external_tx_id/${request.externalTxId}`)).body.id,
    first.body.id,
  )
  assert.equal(
    world
      .counts()
      .find(
        (count) =>
          count.operation === 'create_transaction' && count.reference === request.externalTxId,
      )?.count,
    3,
  )
  settle()
  assert.equal(chain.received(OUTSIDE_BTC).length, 1)
})

test('coins go to approved addresses only; a rejected one may be asked for again', async () => {
  await control('approval', { mode: 'MANUAL' })
  const { id } = (await call('POST', '/external_wallets', { name: 'customer' })).body
  assert.equal(
    (await call('POST', `/external_wallets/${id}/BTC`, { address: `${OUTSIDE_BTC}x` })).status,
    400,
  )
  assert.equal(
    (await call('POST', `/external_wallets/${id}/BTC`, { address: OUTSIDE_BTC, tag: '1' })).status,
    400,
  )
  assert.equal(
    (await call('POST', `/external_wallets/${id}/BTC`, { address: OUTSIDE_BTC })).body.status,
    'WAITING_FOR_APPROVAL',
  )
  assert.equal(
    (await call('POST', `/external_wallets/${id}/BTC`, { address: OUTSIDE_BTC })).status,
    400,
  )
  world.advance(60_000)
  assert.equal((await call('POST', '/transactions', transfer(id))).status, 400)
  await control(`external-wallets/${id}/BTC`, { status: 'REJECTED' })
  assert.equal((await call('POST', '/transactions', transfer(id))).status, 400)
  assert.equal(
    (await call('POST', `/external_wallets/${id}/BTC`, { address: OUTSIDE_BTC })).body.status,
    'WAITING_FOR_APPROVAL',
  )
  await control(`external-wallets/${id}/BTC`, { status: 'APPROVED' })
  assert.equal((await call('POST', '/transactions', transfer(id))).status, 200)
  for (const destination of [
    { type: 'ONE_TIME_ADDRESS', oneTimeAddress: { address: OUTSIDE_BTC } },
    { type: 'EXTERNAL_WALLET', id: 'none' },
    { type: 'VAULT_ACCOUNT', id: '9' },
  ]) {
    assert.equal(
      (await call('POST', '/transactions', transfer(id, { destination }))).status,
      400,
      destination.type,
    )
  }
  for (const more of [
    { amount: '0' },
    { amount: '1e3' },
    { amount: '0.000000001' },
    { assetId: 'DOGE' },
    { source: { type: 'VAULT_ACCOUNT', id: '7' } },
    { operation: 'MINT' },
    { feeLevel: 'MAX' },
    { networkFee: '0.1' },
  ]) {
    assert.equal(
      (await call('POST', '/transactions', transfer(id, more))).status,
      400,
      JSON.stringify(more),
    )
  }
})

test('without funds it is accepted and fails; ended by hand it releases what it locked', async () => {
  const id = await approvedWallet()
  const { body: poor } = await call('POST', '/transactions', transfer(id, { amount: '3' }))
  const { body: failed } = await call('GET', `/transactions/${poor.id}`)
  assert.deepEqual([failed.status, failed.subStatus], ['FAILED', 'INSUFFICIENT_FUNDS'])
  for (const action of ['REJECTED', 'BLOCKED', 'CANCELLED', 'FAILED']) {
    const { body } = await call('POST', '/transactions', transfer(id))
    await control(`transactions/${body.id}`, { action: 'hold' })
    world.advance(60_000)
    assert.equal(
      (await call('GET', `/transactions/${body.id}`)).body.status,
      'PENDING_AUTHORIZATION',
    )
    assert.equal((await control(`transactions/${body.id}`, { action })).body.status, action)
    assert.equal((await control(`transactions/${body.id}`, { action })).status, 409)
  }
  world.faults.add({
    venue: 'fireblocks',
    operation: 'broadcast',
    kind: 'REFUSE',
    remaining: 1,
    delay_ms: 0,
  })
  const { body: unsent } = await call('POST', '/transactions', transfer(id))
  settle()
  assert.equal(
    (await call('GET', `/transactions/${unsent.id}`)).body.subStatus,
    'FAILED_ON_BROADCAST',
  )
  assert.deepEqual([(await wallet()).total, (await wallet()).available], ['3', '3'])
  world.faults.add({
    venue: 'chain',
    operation: 'confirm',
    kind: 'REFUSE',
    remaining: 1,
    delay_ms: 0,
  })
  const { body: dropped } = await call('POST', '/transactions', transfer(id))
  settle()
  const { body: end } = await call('GET', `/transactions/${dropped.id}`)
  assert.equal(end.subStatus, 'DROPPED_BY_BLOCKCHAIN')
  assert.equal((await wallet()).total, plain(amount('3') - amount(end.feeInfo.networkFee)))
  agrees()
})

test('coins from outside are listed while confirming and when completed; between own accounts there is one transaction', async () => {
  const from = chain.outside().find((address) => address.protocol === 'BTC')?.address ?? ''
  world.commit(() =>
    chain.send({
      asset: 'BTC',
      protocol: 'BTC',
      from_address: from,
      to_address: vault.address('BTC'),
      tag: null,
      quantity: '0.25',
      fee: '0.00001',
    }),
  )
  world.advance(0)
  const {
    body: [seen],
  } = await call('GET', '/transactions?destType=VAULT_ACCOUNT')
  assert.deepEqual(
    [seen?.status, seen?.source.type, seen?.destination.id, seen?.amountInfo.amount],
    ['CONFIRMING', 'UNKNOWN', '0', '0.25'],
  )
  settle()
  const { body: listed } = await call('GET', '/transactions?destType=VAULT_ACCOUNT')
  assert.deepEqual(
    listed.map((item) => [item.id, item.status]),
    [[seen?.id, 'COMPLETED']],
  )
  assert.equal((await wallet()).total, '3.25')

  const { body: second } = await call('POST', '/vault/accounts', { name: 'Second' })
  assert.equal((await call('POST', `/vault/accounts/${second.id}/BTC`, {})).status, 200)
  const { body: moved } = await call(
    'POST',
    '/transactions',
    transfer('', { destination: { type: 'VAULT_ACCOUNT', id: second.id } }),
  )
  settle()
  assert.equal((await call('GET', `/transactions/${moved.id}`)).body.status, 'COMPLETED')
  assert.equal((await call('GET', `/vault/accounts/${second.id}/BTC`)).body.total, '0.5')
  assert.equal((await call('GET', '/transactions')).body.length, 2)
  agrees()
  const { body: page } = await call('GET', '/vault/accounts_paged?limit=1')
  assert.equal(
    (await call('GET', `/vault/accounts_paged?limit=1&after=${page.paging.after}`)).body.accounts[0]
      ?.name,
    'Second',
  )
})

test('transactions are listed in pages, by creation or by change, in both directions', async () => {
  const id = await approvedWallet()
  const made: string[] = []
  for (let n = 0; n < 5; n += 1) {
    made.push((await call('POST', '/transactions', transfer(id, { amount: '0.1' }))).body.id)
    world.advance(10)
  }
  for (const [query, expected] of [
    ['sort=ASC', made],
    ['', made.toReversed()],
  ] as const) {
    const found: string[] = []
    let next = ''
    do {
      const { body, headers } = await call(
        'GET',
        `/transactions?orderBy=createdAt&limit=2${query === '' ? '' : `&${query}`}${next}`,
      )
      found.push(...body.map((item) => item.id))
      next = headers['next-page'] === undefined ? '' : `&next=${String(headers['next-page'])}`
    } while (next !== '')
    assert.deepEqual(found, expected)
  }
  const {
    body: [third],
  } = await call(
    'GET',
    `/transactions?orderBy=createdAt&sort=ASC&after=${(await call('GET', `/transactions/${made[1]}`)).body.createdAt}`,
  )
  assert.equal(third?.id, made[2])
})

test('the world that was killed comes back: accounts, transactions, waiting approvals', async () => {
  const { id } = (await call('POST', '/external_wallets', { name: 'customer' })).body
  await call('POST', `/external_wallets/${id}/BTC`, { address: OUTSIDE_BTC })
  const before = apiKey
  await close()
  await open()
  assert.equal(apiKey, before)
  world.advance(5_000)
  const { body } = await call('POST', '/transactions', transfer(id))
  world.advance(1_000)
  await close()
  await open()
  settle()
  assert.equal((await call('GET', `/transactions/${body.id}`)).body.status, 'COMPLETED')
  assert.equal(chain.received(OUTSIDE_BTC).length, 1)
})

test('one transaction pays several destinations for one fee, whole or not at all, on UTXO blockchains only', async () => {
  const id = await approvedWallet()
  const own = (await call('POST', '/vault/accounts', { name: 'second' })).body.id
  const { address } = (await call('POST', `/vault/accounts/${own}/BTC`)).body as unknown as {
    address: string
  }
  const collection = await approvedWallet('BTC', address)
  const external = (walletId: string, quantity: string) => ({
    amount: quantity,
    destination: { type: 'EXTERNAL_WALLET', id: walletId },
  })
  const many = (destinations: object[], more: object = {}) =>
    transfer(id, { destination: undefined, amount: undefined, destinations, ...more })
  const estimate = async (body: object) =>
    (
      (await call('POST', '/transactions/estimate_fee', body)).body as unknown as {
        medium: { networkFee: string }
      }
    ).medium.networkFee
  const pair = [external(id, '0.5'), external(collection, '0.25')]
  assert.ok(amount(await estimate(many(pair))) > amount(await estimate(transfer(id))))

  const { body } = await call('POST', '/transactions', many(pair, { amount: '0.75' }))
  const fee = await (async () =>
    (await call('GET', `/transactions/${body.id}`)).body.feeInfo.networkFee)()
  assert.equal((await wallet()).lockedAmount, plain(amount('0.75') + amount(fee)))
  settle()
  const done = (await call('GET', `/transactions/${body.id}`)).body as unknown as {
    status: string
    txHash: string
    amountInfo: { amount: string }
    destinations: { amount: string; destination: { id: string } }[]
  }
  assert.deepEqual(
    [
      done.status,
      done.amountInfo.amount,
      done.destinations.map((destination) => [destination.amount, destination.destination.id]),
    ],
    [
      'COMPLETED',
      '0.75',
      [
        ['0.5', id],
        ['0.25', collection],
      ],
    ],
  )
  assert.deepEqual(
    chain.find(done.txHash).map((transaction) => [transaction.quantity, transaction.fee]),
    [
      ['0.5', fee],
      ['0.25', '0'],
    ],
  )
  assert.deepEqual(
    [(await call('GET', `/vault/accounts/${own}/BTC`)).body.total, (await wallet()).total],
    ['0.25', plain(amount('3') - amount('0.75') - amount(fee))],
  )
  const arrivals = (await call('GET', '/transactions?destType=VAULT_ACCOUNT')).body as unknown as {
    destination: { id: string }
    index: number
  }[]
  assert.deepEqual(
    arrivals.map((arrival) => [arrival.destination.id, arrival.index]),
    [[own, chain.find(done.txHash)[1]?.output_index]],
  )

  // To accounts of the vault by their number there is the one transaction only, two arriving
  // outputs each counted.
  const inside = (quantity: string, account: string) => ({
    amount: quantity,
    destination: { type: 'VAULT_ACCOUNT', id: account },
  })
  const within = (
    await call('POST', '/transactions', many([inside('0.1', own), external(id, '0.2')]))
  ).body
  settle()
  assert.equal((await call('GET', `/vault/accounts/${own}/BTC`)).body.total, '0.35')
  assert.deepEqual(
    (await call('GET', '/transactions?destType=VAULT_ACCOUNT')).body
      .map((item) => item.id)
      .includes(within.id),
    true,
  )
  agrees()

  const free = (await wallet()).total
  world.faults.add({
    venue: 'chain',
    operation: 'confirm',
    kind: 'REFUSE',
    remaining: 1,
    delay_ms: 0,
  })
  const failed = (await call('POST', '/transactions', many(pair))).body
  settle()
  assert.deepEqual(
    [
      (await call('GET', `/transactions/${failed.id}`)).body.status,
      (await call('GET', `/vault/accounts/${own}/BTC`)).body.total,
    ],
    ['FAILED', '0.35'],
  )
  assert.ok(amount((await wallet()).total) > amount(free) - amount('0.001'))
  agrees()
  const ether = await approvedWallet('ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
  for (const refused of [
    many(pair, { amount: '0.7' }),
    many(pair, { destination: pair[0] }),
    many([external(id, '0.5'), external('nobody', '0.1')]),
    many([external(id, '0.5'), external(id, '0')]),
    many([external(ether, '0.1'), external(ether, '0.1')], { assetId: 'ETH' }),
  ]) {
    assert.equal(
      (await call('POST', '/transactions', refused)).status,
      400,
      JSON.stringify(refused),
    )
  }
})

test('webhooks are signed over the raw body, repeated until taken, doubled or lost on demand', async () => {
  const taken: { body: string; signature: string }[] = []
  let answer = 500
  const listener = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        taken.push({
          body: Buffer.concat(chunks).toString(),
          signature: String(request.headers['fireblocks-webhook-signature']),
        })
        response.writeHead(answer).end()
      })
  })
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve)
  })
  try {
    await control('webhook', {
      url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/hook`,
    })
    const id = await approvedWallet()
    const { body } = await call('POST', '/transactions', transfer(id))
    await until('the first attempt', () => taken.length > 0)
    answer = 200
    const repeated = () => taken.slice(1).find((each) => each.body === taken[0]?.body)
    await until('the second attempt', () => {
      world.advance(100)
      return repeated() !== undefined
    })
    const publicKey = createPublicKey(readFileSync(join(dir, 'credentials/fireblocks-webhook.pem')))
    const { body: text = '', signature = '' } = repeated() ?? {}
    const [header = '', , signed = ''] = signature.split('.')
    await flattenedVerify(
      { protected: header, payload: Buffer.from(text).toString('base64url'), signature: signed },
      publicKey,
      { algorithms: ['RS512'] },
    )
    const event = JSON.parse(text)
    assert.deepEqual(
      [event.eventType, event.resourceId, event.data.status],
      ['transaction.created', body.id, 'SUBMITTED'],
    )
    const statuses = () => taken.map((each) => JSON.parse(each.body).data.status as string)
    await until('the whole way', () => {
      world.advance(250)
      return statuses().includes('COMPLETED')
    })
    const count = taken.length
    world.faults.add({
      venue: 'fireblocks',
      operation: 'webhook',
      kind: 'TWICE',
      remaining: 1,
      delay_ms: 0,
    })
    await call('POST', '/transactions', transfer(id))
    const told = () => taken.slice(count).map((each) => each.body)
    await until('twice', () => told().some((each, index) => told().indexOf(each) !== index))
  } finally {
    listener.closeAllConnections()
    listener.close()
  }
})
