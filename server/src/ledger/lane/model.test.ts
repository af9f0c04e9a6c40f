/**
 * Random runs against a small oracle. Each run prints its seed when it fails (KONTOR_SEED repeats
 * it). After any run: what was accepted and refused is what the oracle says, Σ legs = 0, balances =
 * fold of legs, holds = their sums, sequence gapless, chain whole. The same changes committed one
 * by one give the same verdicts and balances as in batches.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../../core/clock.ts'
import { format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { sql } from '../../store/sql.ts'
import { houseAccounts, openAccount, openBooks } from '../accounts/accounts.ts'
import type { Change } from '../changes.ts'
import { openLane } from './lane.ts'
import type { Lane } from './lane.ts'
import { verifyBooks } from '../reports/verify.ts'

const ASSETS = ['EUR', 'BTC'] as const
const CUSTOMERS = 4
const STEPS = 400
const KEY_LIFETIME = 86_400_000

/** One intended change, without ids of the database: two workspaces can run the same. */
type Intent =
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

/** Accounts 0 to CUSTOMERS − 1 are customers (the last may overdraw), the next is the house. */
function intents(seed: number): Intent[] {
  const next = randomOf(seed)
  const account = () => next(CUSTOMERS + 1)
  const quantity = () => BigInt(1 + next(50)) * 10n ** BigInt(16 + next(3))
  let holds = 0
  return Array.from({ length: STEPS }, (): Intent => {
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

const kindOf = ({ kind, hold }: Extract<Intent, { kind: 'hold' | 'unsettle' }>) =>
  kind === 'unsettle' ? 'UNSETTLED' : hold % 2 === 0 ? 'WITHDRAWAL' : 'TRADING'

type Verdict = 'accepted' | 'refused' | 'replayed'

/** The oracle: the rules again, naively. */
function oracle(run: readonly Intent[]): {
  verdicts: Verdict[]
  totals: Map<string, bigint>
  held: Map<string, bigint>
  unsettled: Map<string, bigint>
} {
  const totals = new Map<string, bigint>()
  const held = new Map<string, bigint>()
  const unsettled = new Map<string, bigint>()
  const holds = new Map<
    number,
    { account: number; asset: string; left: bigint; on: Map<string, bigint> }
  >()
  const keys = new Map<string, string>()
  const bounded = (account: number) => account < CUSTOMERS - 1
  const free = (account: number, asset: string) =>
    (totals.get(`${account} ${asset}`) ?? 0n) - (held.get(`${account} ${asset}`) ?? 0n)
  const add = (map: Map<string, bigint>, account: number, asset: string, quantity: bigint) => {
    map.set(`${account} ${asset}`, (map.get(`${account} ${asset}`) ?? 0n) + quantity)
  }
  const verdicts = run.map((intent): Verdict => {
    if (intent.kind === 'move') {
      const told = JSON.stringify([intent.from, intent.to, intent.asset, String(intent.quantity)])
      if (intent.key !== undefined && keys.has(intent.key))
        return keys.get(intent.key) === told ? 'replayed' : 'refused'
      if (
        intent.class === 'command' &&
        bounded(intent.from) &&
        free(intent.from, intent.asset) < intent.quantity
      )
        return 'refused'
      add(totals, intent.from, intent.asset, -intent.quantity)
      add(totals, intent.to, intent.asset, intent.quantity)
      if (intent.key !== undefined) keys.set(intent.key, told)
      return 'accepted'
    }
    if (intent.kind === 'hold') {
      const spared =
        kindOf(intent) === 'WITHDRAWAL'
          ? (unsettled.get(`${intent.account} ${intent.asset}`) ?? 0n)
          : 0n
      if (bounded(intent.account) && free(intent.account, intent.asset) - spared < intent.quantity)
        return 'refused'
      add(held, intent.account, intent.asset, intent.quantity)
      holds.set(intent.hold, {
        account: intent.account,
        asset: intent.asset,
        left: intent.quantity,
        on: held,
      })
      return 'accepted'
    }
    if (intent.kind === 'unsettle') {
      add(unsettled, intent.account, intent.asset, intent.quantity)
      holds.set(intent.hold, {
        account: intent.account,
        asset: intent.asset,
        left: intent.quantity,
        on: unsettled,
      })
      return 'accepted'
    }
    const hold = holds.get(intent.hold)
    if (hold === undefined) return 'refused'
    if (intent.kind === 'release') {
      add(hold.on, hold.account, hold.asset, -hold.left)
      hold.left = 0n
      return 'accepted'
    }
    if (intent.quantity > hold.left || hold.account === intent.to) return 'refused'
    hold.left -= intent.quantity
    add(hold.on, hold.account, hold.asset, -intent.quantity)
    add(totals, hold.account, hold.asset, -intent.quantity)
    add(totals, intent.to, hold.asset, intent.quantity)
    return 'accepted'
  })
  return { verdicts, totals, held, unsettled }
}

describe('the ledger against its oracle', () => {
  let database: TestDatabase
  let lane: Lane
  const clock = manualClock(1_800_000_000_000)

  before(async () => {
    database = await testDatabase()
    lane = openLane(database.db, clock, { key_lifetime_ms: KEY_LIFETIME })
  })
  after(async () => {
    await lane.close()
    await database.drop()
  })

  async function play(
    run: readonly Intent[],
    together: number,
  ): Promise<{ verdicts: Verdict[]; balances: Map<string, string>; faults: string[] }> {
    const workspace = newId<WorkspaceId>()
    const accounts = await database.db.tx(async (tx) => {
      await openBooks({ workspace, by: 'test' }, { tx, clock })
      const ids: string[] = []
      for (let index = 0; index < CUSTOMERS; index += 1)
        ids.push(
          (
            await openAccount(
              { workspace, by: 'test' },
              { tx, clock },
              {
                type: 'CUSTOMER',
                label: `Customer ${index}`,
                customer_id: newId(),
                overdraft: index === CUSTOMERS - 1,
              },
            )
          ).id,
        )
      return [...ids, (await houseAccounts(tx, workspace)).HOUSE]
    })
    const holds = new Map<number, { id: string; account: number; asset: string }>()
    const changeOf = (intent: Intent): Change | undefined => {
      const base = { workspace, class: 'command' as const, by: 'test' }
      const book = (from: string, to: string, asset: string, quantity: bigint) => ({
        step: 'book' as const,
        booking: {
          id: newId(),
          type: 'MANUAL' as const,
          asset,
          legs: [
            { account_id: from, type: 'DEBIT' as const, quantity },
            { account_id: to, type: 'CREDIT' as const, quantity },
          ],
        },
      })
      if (intent.kind === 'move') {
        const step = book(
          accounts[intent.from] ?? '',
          accounts[intent.to] ?? '',
          intent.asset,
          intent.quantity,
        )
        const told = Buffer.from(
          JSON.stringify([intent.from, intent.to, intent.asset, String(intent.quantity)]),
        )
        return {
          ...base,
          class: intent.class,
          ledger: [step],
          ...(intent.key === undefined
            ? {}
            : {
                idempotency: {
                  key: intent.key,
                  request_hash: told,
                  reply: { booking_id: step.booking.id },
                },
              }),
        }
      }
      if (intent.kind === 'hold' || intent.kind === 'unsettle') {
        const id = newId()
        holds.set(intent.hold, { id, account: intent.account, asset: intent.asset })
        return {
          ...base,
          class: intent.kind === 'hold' ? 'command' : 'fact',
          ledger: [
            {
              step: 'hold',
              hold: {
                id,
                kind: kindOf(intent),
                account_id: accounts[intent.account] ?? '',
                asset: intent.asset,
                quantity: intent.quantity,
                cause_type: 'test',
                cause_id: newId(),
              },
            },
          ],
        }
      }
      const hold = holds.get(intent.hold)
      if (hold === undefined) return undefined
      if (intent.kind === 'release')
        return { ...base, ledger: [{ step: 'release', hold_id: hold.id }] }
      if (hold.account === intent.to) return undefined
      return {
        ...base,
        class: 'fact',
        ledger: [
          { step: 'capture', hold_id: hold.id, quantity: intent.quantity },
          book(
            accounts[hold.account] ?? '',
            accounts[intent.to] ?? '',
            hold.asset,
            intent.quantity,
          ),
        ],
      }
    }
    const verdicts: Verdict[] = []
    for (let index = 0; index < run.length; index += together) {
      const changes = run.slice(index, index + together).map(changeOf)
      const settled = await Promise.allSettled(
        changes.map((change) =>
          change === undefined ? Promise.reject(new Error('nothing to do')) : lane.commit(change),
        ),
      )
      verdicts.push(
        ...settled.map((result): Verdict =>
          result.status === 'rejected' ? 'refused' : result.value.verdict,
        ),
      )
    }
    const rows = await database.db.query<{
      account_id: string
      asset: string
      total: string
      held: string
      unsettled: string
    }>(sql`
      select account_id, asset, total, held_withdrawal + held_trading as held, unsettled
      from balances
      where workspace = ${workspace}`)
    const balances = new Map(
      rows.map((row) => [
        `${accounts.indexOf(row.account_id)} ${row.asset}`,
        `${row.total} ${row.held} ${row.unsettled}`,
      ]),
    )
    return { verdicts, balances, faults: (await verifyBooks(database.db, workspace)).faults }
  }

  const runs = Number(process.env['KONTOR_MODEL_RUNS'] ?? 4)
  for (let nth = 0; nth < runs; nth += 1) {
    const seed =
      process.env['KONTOR_SEED'] === undefined
        ? randomInt(2 ** 31)
        : Number(process.env['KONTOR_SEED']) + nth
    it(`seed ${seed}: one by one and in batches`, async () => {
      const run = intents(seed)
      const expected = oracle(run)
      for (const together of [1, 7, 64]) {
        const played = await play(run, together)
        assert.deepEqual(played.faults, [])
        // Within one batch a repeated key is still running and refused; one by one it replays.
        if (together === 1) assert.deepEqual(played.verdicts, expected.verdicts)
        else
          assert.deepEqual(
            played.verdicts.map((verdict) => verdict === 'accepted'),
            expected.verdicts.map((verdict) => verdict === 'accepted'),
          )
        for (const [key, total] of expected.totals) {
          const [held, unsettled] = [
            expected.held.get(key) ?? 0n,
            expected.unsettled.get(key) ?? 0n,
          ]
          const found = played.balances.get(key)
          if (found === undefined) assert.equal(total, 0n)
          else
            assert.equal(
              found,
              `${format(total)} ${format(held)} ${format(unsettled)}`,
              `${key} in batches of ${together}`,
            )
        }
      }
    })
  }
})
