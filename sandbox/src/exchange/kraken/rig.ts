/** A Kraken for tests, with a chain and a bank that only note what they are asked to do. */
import { createHash, createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import type { BankRails, Chain } from '../../part.ts'
import { openWorld } from '../../world.ts'
import type { World } from '../../world.ts'
import { figure, plain } from '../figures.ts'
import { openKraken } from './kraken.ts'
import type { KrakenPart } from './kraken.ts'

type ArrivalHandler = Parameters<Chain['onArrival']>[1]
type WireHandler = Parameters<BankRails['onArrival']>[1]
type Reply = { error: string[]; result: unknown }

export class KrakenRig {
  readonly dir = mkdtempSync(join(tmpdir(), 'kraken-'))
  readonly sent: { asset: string; to_address: string; quantity: string; fee: string }[] = []
  readonly wires: { to_iban: string; quantity: string }[] = []
  chainState: 'PENDING' | 'FINAL' | 'FAILED' = 'PENDING'
  /** The last nonce that was used. */
  nonce = Date.now() * 1000
  base = ''
  #opened: { world: World; part: KrakenPart; server: FastifyInstance } | undefined
  #coinHandler: ArrivalHandler | undefined
  #wireHandler: WireHandler | undefined

  get world(): World {
    return this.#parts.world
  }

  get part(): KrakenPart {
    return this.#parts.part
  }

  get #parts() {
    if (this.#opened === undefined) throw new Error('the rig is not open')
    return this.#opened
  }

  /** `tier`: of the client's account; without limits unless it is named. */
  async open(tier: string = 'AGREED'): Promise<void> {
    const world = openWorld(this.dir)
    const part = openKraken(world, this.#chain(), this.#bank())
    const server = Fastify()
    part.mount(server)
    server.server.on('upgrade', (request, socket, head) => {
      part.upgrade?.(request, socket, head)
    })
    this.#opened = { world, part, server }
    this.base = await server.listen({ port: 0, host: '127.0.0.1' })
    await this.control('limits', { tier })
  }

  async close(): Promise<void> {
    const { world, part, server } = this.#parts
    await part.close?.()
    await server.close()
    world.close()
  }

  async end(): Promise<void> {
    await this.close()
    rmSync(this.dir, { recursive: true })
  }

  arrived: ArrivalHandler = (...coins) => this.#coinHandler?.(...coins)

  wireArrived: WireHandler = (...wire) => this.#wireHandler?.(...wire)

  call = async (
    operation: string,
    fields: Record<string, string> = {},
    tamper: { nonce?: number; key?: string; secret?: string } = {},
  ): Promise<Reply> => {
    const { api_key, api_secret } = JSON.parse(
      readFileSync(join(this.dir, 'credentials', 'kraken.json'), 'utf8'),
    ) as { api_key: string; api_secret: string }
    const nonce = String(tamper.nonce ?? ++this.nonce)
    const body = new URLSearchParams({ nonce, ...fields }).toString()
    const path = `/0/private/${operation}`
    const digest = createHash('sha256')
      .update(nonce + body)
      .digest()
    const sign = createHmac('sha512', Buffer.from(tamper.secret ?? api_secret, 'base64'))
      .update(path)
      .update(digest)
      .digest('base64')
    const response = await fetch(`${this.base}/kraken${path}`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'api-key': tamper.key ?? api_key,
        'api-sign': sign,
      },
    })
    return (await response.json()) as Reply
  }

  control = async (path: string, body: unknown): Promise<{ done?: boolean }> => {
    const response = await fetch(`${this.base}/control/kraken/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
    return (await response.json()) as { done?: boolean }
  }

  /** Everything the exchange holds for anybody, per asset. */
  sums = async (): Promise<Record<string, string>> => {
    const response = await fetch(`${this.base}/control/kraken/holdings`)
    const rows = (await response.json()) as { asset: string; total: string }[]
    const totals = new Map<string, bigint>()
    for (const row of rows) totals.set(row.asset, (totals.get(row.asset) ?? 0n) + figure(row.total))
    return Object.fromEntries([...totals].map(([asset, total]) => [asset, plain(total)]))
  }

  #chain(): Chain {
    return {
      newAddress: (protocol) => `${protocol}-address`,
      endow: () => {},
      send: (transfer) => {
        this.sent.push(transfer)
        return { transaction_hash: `hash-${this.sent.length}` }
      },
      sendMany: () => {
        throw new Error('an exchange sends to one address at a time')
      },
      drop: () => false,
      transaction: (hash) => ({
        transaction_hash: hash,
        confirmations: 1,
        required_confirmations: 2,
        state: this.chainState,
        fee: '0.00001',
      }),
      onArrival: (_part, handler) => {
        this.#coinHandler = handler
      },
      fee: (protocol) => ({ asset: protocol, fee: '0.00001' }),
    }
  }

  #bank(): BankRails {
    return {
      account: () => ({ iban: 'DE02500204000000000001' }),
      wire: (transfer) => {
        this.wires.push(transfer)
        return { wire_id: `W${this.wires.length}` }
      },
      onArrival: (_part, handler) => {
        this.#wireHandler = handler
      },
    }
  }
}

/** What lies at a path of an answer, as text. */
export function at(answer: unknown, ...path: (string | number)[]): string {
  return String(
    path.reduce(
      (value, key) => (value as Record<string | number, unknown> | undefined)?.[key],
      answer,
    ),
  )
}
