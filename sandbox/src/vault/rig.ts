/** A vault for tests, with a chain and a clock that stands still. */
import assert from 'node:assert/strict'
import { createHash, createPrivateKey, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { SignJWT } from 'jose'
import { amount, plain } from '../amount.ts'
import { openChain } from '../chain/chain.ts'
import type { ChainPart } from '../chain/protocols.ts'
import type { Fault } from '../faults.ts'
import { KONTOR } from '../genesis.ts'
import { openWorld } from '../world.ts'
import type { World } from '../world.ts'
import { openVault } from './vault.ts'
import type { VaultPart } from './vault.ts'

/** The fields that these tests read, of whatever the vault answers. */
type Item = {
  id: string
  name: string
  address: string
  status: string
  subStatus: string
  code: number
  total: string
  available: string
  lockedAmount: string
  numOfConfirmations: number
  destinationAddress: string
  createdAt: number
  txHash: string
  index: number
  createdBy: string
  nonce: string
  replacedTxByHash: string
  frozen: string
  extraParameters: object
  feeInfo: { networkFee: string }
  network_fee: string
  amountInfo: { amount: string }
  source: { type: string }
  destination: { id: string }
  destinations: { amount: string; destination: { id: string } }[]
  medium: { networkFee: string }
}
export type Body = Item & Item[] & { accounts: Item[]; paging: { after: string } }
type Reply = { status: number; body: Body; headers: Record<string, unknown> }

/** What is wrong with a request's token or key. */
export type Tamper = {
  uri?: string
  bodyHash?: string
  nonce?: string
  sub?: string
  header?: string
  expired?: boolean
}
type More = { tamper?: Tamper; headers?: Record<string, string> }
type Parts = {
  world: World
  chain: ChainPart
  vault: VaultPart
  server: FastifyInstance
  key: KeyObject
  apiKey: string
}

const TOKEN_SECONDS = 55
const EXPIRED_SECONDS = 600

/** The vault's published description, where it lies beside the repository. */
const DESCRIPTION = join(import.meta.dirname, '../../../../shared/venues/fireblocks-api-v2.yaml')

export const OUTSIDE_BTC = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'

export class VaultRig {
  dir = ''
  #opened: Parts | undefined

  get world(): World {
    return this.#parts.world
  }

  get chain(): ChainPart {
    return this.#parts.chain
  }

  get vault(): VaultPart {
    return this.#parts.vault
  }

  get server(): FastifyInstance {
    return this.#parts.server
  }

  get apiKey(): string {
    return this.#parts.apiKey
  }

  get #parts(): Parts {
    if (this.#opened === undefined) throw new Error('the rig is not open')
    return this.#opened
  }

  /** Opens a new world. */
  async begin(): Promise<void> {
    this.dir = mkdtempSync(join(tmpdir(), 'vault-'))
    await this.#open()
  }

  /** Opens the same world again, as after a crash. */
  async restart(): Promise<void> {
    await this.#close()
    await this.#open()
  }

  /** Fails when something deviated from the published description. */
  async end(): Promise<void> {
    const { body } = await this.#get('deviations')
    await this.#close()
    rmSync(this.dir, { recursive: true })
    // What these tests ask wrongly on purpose is refused.
    const { deviations } = body as unknown as { deviations: { side: string }[] }
    assert.deepEqual(
      deviations.filter(({ side }) => side !== 'REFUSED_REQUEST'),
      [],
    )
  }

  /** Coins from outside are sent to the first account. */
  arrive(quantity: string): void {
    const sender = this.chain.outside().find(({ protocol }) => protocol === 'BTC')
    this.world.commit(() =>
      this.chain.send({
        asset: 'BTC',
        protocol: 'BTC',
        from_address: sender?.address ?? '',
        to_address: this.vault.address('BTC'),
        tag: null,
        quantity,
        fee: '0.00001',
      }),
    )
  }

  async #get(path: string): Promise<Reply> {
    const response = await this.server.inject({ method: 'GET', url: `/control/fireblocks/${path}` })
    return { status: response.statusCode, body: response.json<Body>(), headers: {} }
  }

  async #open(): Promise<void> {
    const world = openWorld(this.dir)
    world.setPace(0)
    const chain = openChain(world)
    const vault = openVault(world, chain, existsSync(DESCRIPTION) ? DESCRIPTION : undefined)
    const server = Fastify()
    await server.register(async (scope) => {
      vault.mount(scope)
    })
    const credentials = JSON.parse(this.credential('fireblocks.json')) as { api_key: string }
    const key = createPrivateKey(this.credential('fireblocks.pem'))
    this.#opened = { world, chain, vault, server, key, apiKey: credentials.api_key }
  }

  async #close(): Promise<void> {
    const { vault, server, world } = this.#parts
    await vault.close?.()
    await server.close()
    world.close()
  }

  credential = (name: string): string => readFileSync(join(this.dir, 'credentials', name), 'utf8')

  call = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
    { tamper = {}, headers = {} }: More = {},
  ): Promise<Reply> => {
    const url = `/fireblocks/v1${path}`
    const payload = body === undefined ? '' : JSON.stringify(body)
    const response = await this.server.inject({
      method,
      url,
      ...(body !== undefined && { payload }),
      headers: {
        authorization: `Bearer ${await this.#token(url, payload, tamper)}`,
        'x-api-key': tamper.header ?? this.apiKey,
        'content-type': 'application/json',
        ...headers,
      },
    })
    return { status: response.statusCode, body: response.json<Body>(), headers: response.headers }
  }

  #token(url: string, payload: string, tamper: Tamper): Promise<string> {
    const now = Math.floor(Date.now() / 1000) - (tamper.expired === true ? EXPIRED_SECONDS : 0)
    return new SignJWT({
      uri: tamper.uri ?? url,
      nonce: tamper.nonce ?? randomUUID(),
      bodyHash: tamper.bodyHash ?? createHash('sha256').update(payload).digest('hex'),
    })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuedAt(now)
      .setExpirationTime(now + TOKEN_SECONDS)
      .setSubject(tamper.sub ?? this.apiKey)
      .sign(this.#parts.key)
  }

  control = async (path: string, payload: object): Promise<Reply> => {
    const url = `/control/fireblocks/${path}`
    const response = await this.server.inject({ method: 'POST', url, payload })
    return { status: response.statusCode, body: response.json<Body>(), headers: {} }
  }

  /** Answers the id of an external wallet whose address is approved. */
  approvedWallet = async (asset = 'BTC', address = OUTSIDE_BTC): Promise<string> => {
    const { id } = (await this.call('POST', '/external_wallets', { name: 'customer' })).body
    const added = await this.call('POST', `/external_wallets/${id}/${asset}`, { address })
    assert.equal(added.status, 200)
    this.world.advance(5_000)
    return id
  }

  /** The first account's wallet. */
  wallet = async (asset = 'BTC'): Promise<Body> =>
    (await this.call('GET', `/vault/accounts/0/${asset}`)).body

  transaction = async (id: string): Promise<Body> =>
    (await this.call('GET', `/transactions/${id}`)).body

  /** Advances until every transaction has ended. */
  settle = (): void => {
    for (let second = 0; second < 30; second += 1) this.world.advance(1_000)
  }

  /** The next call of this operation meets this fault. */
  failNext = (venue: string, operation: string, kind: Fault['kind']): void => {
    this.world.faults.add({ venue, operation, kind, remaining: 1, delay_ms: 0 })
  }

  /** What the vault says it holds is what lies at its addresses. */
  assertAgrees = (): void => {
    for (const asset of Object.keys(KONTOR.fireblocks)) {
      const books = (this.vault.holdings?.() ?? [])
        .filter((holding) => holding.asset === asset)
        .reduce((sum, holding) => sum + amount(holding.quantity), 0n)
      const onChain = this.chain
        .holdings?.()
        .find((holding) => holding.holder === 'fireblocks' && holding.asset === asset)
      assert.equal(plain(books), onChain?.quantity)
    }
  }
}

/** The body of a request to send half a bitcoin of the first account to an external wallet. */
export function transfer(walletId: string, more: object = {}) {
  return {
    operation: 'TRANSFER',
    externalTxId: randomUUID(),
    assetId: 'BTC',
    amount: '0.5',
    feeLevel: 'MEDIUM',
    source: { type: 'VAULT_ACCOUNT', id: '0' },
    destination: { type: 'EXTERNAL_WALLET', id: walletId },
    ...more,
  }
}
