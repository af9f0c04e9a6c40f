/** Random runs of changes in outline, and the oracle that says what must become of them. */
import { randomInt } from 'node:crypto'
import type { HoldKind } from '../ledger.schema.ts'

const ASSETS = ['EUR', 'BTC'] as const
/** Accounts 0 to CUSTOMERS − 1 are customers (the last may overdraw), the next is the house. */
export const CUSTOMERS = 4
const STEPS = 400

/** One change in outline, without ids of the database: two workspaces can run the same. */
export type Outline =
  | {
      kind: 'move'
      class: 'command' | 'fact'
      from: number
      to: number
      asset: string
      quantity: bigint
      key?: string
    }
  | { kind: 'hold'; account: number; asset: string; quantity: bigint; hold: number }
  /** Bought at a venue that settles later. */
  | { kind: 'unsettle'; account: number; asset: string; quantity: bigint; hold: number }
  | { kind: 'capture'; hold: number; to: number; quantity: bigint }
  | { kind: 'release'; hold: number }

export type OutlineOf<Kind extends Outline['kind']> = Extract<Outline, { kind: Kind }>

/** Mulberry32: a run is repeated by its seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export function seedsOf(runs: number): number[] {
  const first = process.env['KONTOR_SEED']
  return Array.from({ length: runs }, (_run, index) =>
    first === undefined ? randomInt(2 ** 31) : Number(first) + index,
  )
}

export function randomOutlines(seed: number): Outline[] {
  const next = randomOf(seed)
  const account = () => next(CUSTOMERS + 1)
  const quantity = () => BigInt(1 + next(50)) * 10n ** BigInt(16 + next(3))
  let holds = 0
  return Array.from({ length: STEPS }, (): Outline => {
    const asset = ASSETS[next(ASSETS.length)] ?? 'EUR'
    const dice = next(20)
    if (dice < 3)
      return { kind: 'hold', account: account(), asset, quantity: quantity(), hold: holds++ }
    if (dice === 7)
      return { kind: 'unsettle', account: account(), asset, quantity: quantity(), hold: holds++ }
    if (dice < 5 && holds > 0)
      return { kind: 'capture', hold: next(holds), to: account(), quantity: quantity() }
    if (dice < 7 && holds > 0) return { kind: 'release', hold: next(holds) }
    const from = account()
    return {
      kind: 'move',
      class: next(10) === 0 ? 'fact' : 'command',
      from,
      to: (from + 1 + next(CUSTOMERS)) % (CUSTOMERS + 1),
      asset,
      quantity: quantity(),
      ...(next(10) === 0 ? { key: `key ${next(5)}` } : {}),
    }
  })
}

export function holdKindOf({ kind, hold }: OutlineOf<'hold' | 'unsettle'>): HoldKind {
  if (kind === 'unsettle') return 'UNSETTLED'
  return hold % 2 === 0 ? 'WITHDRAWAL' : 'TRADING'
}

/** What a repeat under the same key must say again. */
export const requestOf = ({ from, to, asset, quantity }: OutlineOf<'move'>): string =>
  JSON.stringify([from, to, asset, String(quantity)])

export type Verdict = 'accepted' | 'refused' | 'replayed'

type OracleHold = { account: number; asset: string; left: bigint; on: Map<string, bigint> }

const mayOverdraw = (account: number) => account >= CUSTOMERS - 1

/** The rules again, naively. Sums are kept by account and asset. */
export class Oracle {
  readonly totals = new Map<string, bigint>()
  readonly held = new Map<string, bigint>()
  readonly unsettled = new Map<string, bigint>()
  readonly #holds = new Map<number, OracleHold>()
  readonly #requests = new Map<string, string>()

  judge(outline: Outline): Verdict {
    if (outline.kind === 'move') return this.#move(outline)
    if (outline.kind === 'hold') return this.#hold(outline)
    if (outline.kind === 'unsettle') return this.#block(outline, this.unsettled)
    const hold = this.#holds.get(outline.hold)
    if (hold === undefined) return 'refused'
    return outline.kind === 'release' ? this.#release(hold) : this.#capture(hold, outline)
  }

  #move(outline: OutlineOf<'move'>): Verdict {
    const { from, to, asset, quantity, key } = outline
    const request = requestOf(outline)
    const earlier = key === undefined ? undefined : this.#requests.get(key)
    if (earlier !== undefined) return earlier === request ? 'replayed' : 'refused'
    if (outline.class === 'command' && !mayOverdraw(from) && this.#free(from, asset) < quantity)
      return 'refused'
    add(this.totals, from, asset, -quantity)
    add(this.totals, to, asset, quantity)
    if (key !== undefined) this.#requests.set(key, request)
    return 'accepted'
  }

  #hold(outline: OutlineOf<'hold'>): Verdict {
    const { account, asset, quantity } = outline
    const spared =
      holdKindOf(outline) === 'WITHDRAWAL' ? (this.unsettled.get(`${account} ${asset}`) ?? 0n) : 0n
    if (!mayOverdraw(account) && this.#free(account, asset) - spared < quantity) return 'refused'
    return this.#block(outline, this.held)
  }

  #block(
    { account, asset, quantity, hold }: OutlineOf<'hold' | 'unsettle'>,
    on: Map<string, bigint>,
  ): Verdict {
    add(on, account, asset, quantity)
    this.#holds.set(hold, { account, asset, left: quantity, on })
    return 'accepted'
  }

  #release(hold: OracleHold): Verdict {
    add(hold.on, hold.account, hold.asset, -hold.left)
    hold.left = 0n
    return 'accepted'
  }

  #capture(hold: OracleHold, { quantity, to }: OutlineOf<'capture'>): Verdict {
    if (quantity > hold.left || hold.account === to) return 'refused'
    hold.left -= quantity
    add(hold.on, hold.account, hold.asset, -quantity)
    add(this.totals, hold.account, hold.asset, -quantity)
    add(this.totals, to, hold.asset, quantity)
    return 'accepted'
  }

  #free(account: number, asset: string): bigint {
    const key = `${account} ${asset}`
    return (this.totals.get(key) ?? 0n) - (this.held.get(key) ?? 0n)
  }
}

function add(sums: Map<string, bigint>, account: number, asset: string, quantity: bigint): void {
  const key = `${account} ${asset}`
  sums.set(key, (sums.get(key) ?? 0n) + quantity)
}
