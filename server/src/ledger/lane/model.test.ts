/**
 * Random runs against a small oracle. Each run prints its seed when it fails (KONTOR_SEED repeats
 * it). After any run: what was accepted and refused is what the oracle says, Σ legs = 0, balances =
 * fold of legs, holds = their sums, sequence gapless, chain whole. The same changes committed one
 * by one give the same verdicts and balances as in batches.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../../core/clock.ts'
import { format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { houseAccounts, openAccount, openBooks } from '../accounts/accounts.ts'
import type { Change } from '../changes.ts'
import type { LedgerStep } from '../ledger.schema.ts'
import { verifyBooks } from '../reports/verify.ts'
import { openLane } from './lane.ts'
import type { Lane } from './lane.ts'
import {
  CUSTOMERS,
  holdKindOf,
  Oracle,
  randomOutlines,
  requestOf,
  seedsOf,
} from './model.testing.ts'
import type { Outline, OutlineOf, Verdict } from './model.testing.ts'

/** Makes the changes of a run in one workspace. */
class Composer {
  readonly #workspace: WorkspaceId
  readonly #accounts: readonly string[]
  readonly #holds = new Map<number, { id: string; account: number; asset: string }>()

  constructor(workspace: WorkspaceId, accounts: readonly string[]) {
    this.#workspace = workspace
    this.#accounts = accounts
  }

  /** Undefined for what names a hold that is not there. */
  compose(outline: Outline): Change | undefined {
    if (outline.kind === 'move') return this.#move(outline)
    if (outline.kind === 'hold' || outline.kind === 'unsettle') return this.#hold(outline)
    const hold = this.#holds.get(outline.hold)
    if (hold === undefined) return undefined
    if (outline.kind === 'release')
      return this.#change('command', { step: 'release', hold_id: hold.id })
    if (hold.account === outline.to) return undefined
    const { quantity } = outline
    return this.#change(
      'fact',
      { step: 'capture', hold_id: hold.id, quantity },
      this.#book({ from: hold.account, to: outline.to, asset: hold.asset, quantity }, newId()),
    )
  }

  #move(outline: OutlineOf<'move'>): Change {
    const booking_id = newId()
    const change = this.#change(outline.class, this.#book(outline, booking_id))
    const { key } = outline
    if (key === undefined) return change
    const request_hash = Buffer.from(requestOf(outline))
    return { ...change, idempotency: { key, request_hash, reply: { booking_id } } }
  }

  #hold(outline: OutlineOf<'hold' | 'unsettle'>): Change {
    const { account, asset, quantity } = outline
    const id = newId()
    this.#holds.set(outline.hold, { id, account, asset })
    const hold = {
      id,
      kind: holdKindOf(outline),
      account_id: this.#accounts[account] ?? '',
      asset,
      quantity,
      cause_type: 'test',
      cause_id: newId(),
    }
    return this.#change(outline.kind === 'hold' ? 'command' : 'fact', { step: 'hold', hold })
  }

  #book(
    { from, to, asset, quantity }: Pick<OutlineOf<'move'>, 'from' | 'to' | 'asset' | 'quantity'>,
    id: string,
  ): LedgerStep {
    const account = (index: number) => this.#accounts[index] ?? ''
    return {
      step: 'book',
      booking: {
        id,
        type: 'MANUAL',
        asset,
        legs: [
          { account_id: account(from), type: 'DEBIT', quantity },
          { account_id: account(to), type: 'CREDIT', quantity },
        ],
      },
    }
  }

  #change(of: Change['class'], ...ledger: LedgerStep[]): Change {
    return { workspace: this.#workspace, class: of, by: 'test', ledger }
  }
}

describe('the ledger against its oracle', () => {
  let database: TestDatabase
  let lane: Lane
  const clock = manualClock(1_800_000_000_000)

  before(async () => {
    database = await testDatabase()
    lane = openLane(database.db, clock)
  })
  after(async () => {
    await lane.close()
    await database.drop()
  })

  const openAccounts = (workspace: WorkspaceId): Promise<string[]> =>
    database.db.tx(async (tx) => {
      const author = { workspace, by: 'test' }
      await openBooks(author, { tx, clock })
      const ids: string[] = []
      for (let index = 0; index < CUSTOMERS; index += 1) {
        const { id } = await openAccount(
          author,
          { tx, clock },
          {
            type: 'CUSTOMER',
            label: `Customer ${index}`,
            customer_id: newId(),
            overdraft: index === CUSTOMERS - 1,
          },
        )
        ids.push(id)
      }
      return [...ids, (await houseAccounts(tx, workspace)).HOUSE]
    })

  /** Total, held and unsettled by account and asset, as one text. */
  const readBalances = async (workspace: WorkspaceId, accounts: readonly string[]) => {
    const rows = await database.db.query<
      Record<'account_id' | 'asset' | 'total' | 'held' | 'unsettled', string>
    >(sql`
      select account_id, asset, total, held_withdrawal + held_trading as held, unsettled
      from balances
      where workspace = ${workspace}`)
    return new Map(
      rows.map((row) => [
        `${accounts.indexOf(row.account_id)} ${row.asset}`,
        `${row.total} ${row.held} ${row.unsettled}`,
      ]),
    )
  }

  /** Commits the run in a workspace of its own, `together` changes at once. */
  async function play(
    run: readonly Outline[],
    together: number,
  ): Promise<{ verdicts: Verdict[]; balances: Map<string, string>; faults: string[] }> {
    const workspace = newId<WorkspaceId>()
    const accounts = await openAccounts(workspace)
    const composer = new Composer(workspace, accounts)
    const verdicts: Verdict[] = []
    for (let index = 0; index < run.length; index += together) {
      const changes = run.slice(index, index + together).map((outline) => composer.compose(outline))
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
    const balances = await readBalances(workspace, accounts)
    return { verdicts, balances, faults: (await verifyBooks(database.db, workspace)).faults }
  }

  for (const seed of seedsOf(Number(process.env['KONTOR_MODEL_RUNS'] ?? 4)))
    it(`seed ${seed}: one by one and in batches`, async () => {
      const run = randomOutlines(seed)
      const oracle = new Oracle()
      const expected = run.map((outline) => oracle.judge(outline))
      for (const together of [1, 7, 64]) {
        const played = await play(run, together)
        assert.deepEqual(played.faults, [])
        // Within one batch a repeated key is still running and refused; one by one it replays.
        if (together === 1) assert.deepEqual(played.verdicts, expected)
        else
          assert.deepEqual(
            played.verdicts.map((verdict) => verdict === 'accepted'),
            expected.map((verdict) => verdict === 'accepted'),
          )
        for (const [key, total] of oracle.totals) {
          const held = oracle.held.get(key) ?? 0n
          const unsettled = oracle.unsettled.get(key) ?? 0n
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
})
