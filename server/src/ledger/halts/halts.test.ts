import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '../../core/errors.ts'
import { ONE } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { haltFor } from '../halts.schema.ts'
import type { HaltScope, ActiveHalt } from '../halts.schema.ts'
import { fold } from '../lane/fold.ts'
import type { Books, Change } from '../changes.ts'

const [ALICE, BOB, HOUSE] = [newId(), newId(), newId()]
const [KRAKEN, VAULT] = [newId(), newId()]

/** Alice is frozen and has 5 EUR with 2 of it blocked; Bob has 5 EUR. */
function books(halts: ActiveHalt[] = []): Books {
  const balance = (account_id: string, held: bigint) =>
    [
      `${account_id} EUR`,
      {
        account_id,
        asset: 'EUR',
        total: 5n * ONE,
        held_withdrawal: held,
        held_trading: 0n,
        unsettled: 0n,
        floor: 0n,
      },
    ] as const
  return {
    at: 1_800_000_000_000,
    booking_sequence: 0,
    event_sequence: 0,
    guarded: new Map(),
    keys: new Map(),
    halts,
    programs: new Map(),
    spent: new Map(),
    policy_version: 0,
    totals: new Map(),
    accounts: new Map([
      [ALICE, { type: 'CUSTOMER', label: 'Alice', overdraft: false, frozen: 'a court said so' }],
      [BOB, { type: 'CUSTOMER', label: 'Bob', overdraft: false, frozen: null }],
      [HOUSE, { type: 'HOUSE', label: 'House', overdraft: false, frozen: null }],
    ]),
    balances: new Map([balance(ALICE, 2n * ONE), balance(BOB, 0n)]),
    holds: new Map([
      [
        'hold',
        {
          id: 'hold',
          kind: 'WITHDRAWAL',
          account_id: ALICE,
          asset: 'EUR',
          quantity: 2n * ONE,
          captured: 0n,
          released: 0n,
          cause_type: 'withdrawal',
          cause_id: newId(),
        },
      ],
    ]),
  }
}

const change = (more: Partial<Change>): Change => ({
  workspace: newId<WorkspaceId>(),
  class: 'command',
  by: 'test',
  ...more,
})
const move = (from: string, to: string): NonNullable<Change['ledger']>[number] => ({
  step: 'book',
  booking: {
    id: newId(),
    type: 'MANUAL',
    asset: 'EUR',
    legs: [
      { account_id: from, type: 'DEBIT', quantity: ONE },
      { account_id: to, type: 'CREDIT', quantity: ONE },
    ],
  },
})
const hold = (account_id: string): NonNullable<Change['ledger']>[number] => ({
  step: 'hold',
  hold: {
    id: newId(),
    kind: 'TRADING',
    account_id,
    asset: 'EUR',
    quantity: ONE,
    cause_type: 'execution',
    cause_id: newId(),
  },
})

function verdictOf(given: Change, halts?: ActiveHalt[]): string {
  const [verdict] = fold(books(halts), [given]).verdicts
  if (verdict?.verdict !== 'refused') return verdict?.verdict ?? ''
  assert.ok(verdict.error instanceof ApiError, String(verdict.error))
  return verdict.error.details
    .map((errorDetail) => `${errorDetail.code} ${errorDetail.path}`)
    .join()
}

describe('a frozen account', () => {
  const cases: [string, Partial<Change>, string][] = [
    ['gives nothing by a command', { ledger: [move(ALICE, BOB)] }, 'FROZEN legs[0].account_id'],
    ['has nothing blocked by a command', { ledger: [hold(ALICE)] }, 'FROZEN '],
    [
      'is not debited out of what was blocked before',
      { ledger: [{ step: 'capture', hold_id: 'hold', quantity: ONE }, move(ALICE, HOUSE)] },
      'FROZEN legs[0].account_id',
    ],
    ['takes what comes', { ledger: [move(BOB, ALICE)] }, 'accepted'],
    ['gets back what was blocked', { ledger: [{ step: 'release', hold_id: 'hold' }] }, 'accepted'],
    [
      'is debited by a fact',
      {
        class: 'fact',
        ledger: [{ step: 'capture', hold_id: 'hold', quantity: ONE }, move(ALICE, HOUSE)],
      },
      'accepted',
    ],
    ['has something blocked by a fact', { class: 'fact', ledger: [hold(ALICE)] }, 'accepted'],
    ['leaves others alone', { ledger: [move(BOB, HOUSE), hold(BOB)] }, 'accepted'],
  ]
  for (const [name, given, expected] of cases)
    it(name, () => {
      assert.equal(verdictOf(change(given)), expected)
    })
})

describe('a halt', () => {
  const asked: HaltScope = { action: 'WITHDRAWALS', venue_ids: [KRAKEN], assets: ['BTC'] }
  const halt = (more: Partial<ActiveHalt>): ActiveHalt => ({
    action: 'WITHDRAWALS',
    venue_id: null,
    asset: null,
    reason: 'drill',
    set_by: 'test',
    ...more,
  })
  const cases: [string, ActiveHalt, boolean][] = [
    ['on the workspace', halt({}), true],
    ['on its venue', halt({ venue_id: KRAKEN }), true],
    ['on its asset', halt({ asset: 'BTC' }), true],
    ['on its asset at its venue', halt({ venue_id: KRAKEN, asset: 'BTC' }), true],
    ['on something else', halt({ action: 'TRADING' }), false],
    ['on another venue', halt({ venue_id: VAULT }), false],
    ['on another asset', halt({ asset: 'EUR' }), false],
    ['on its asset at another venue', halt({ venue_id: VAULT, asset: 'BTC' }), false],
    ['on another asset at its venue', halt({ venue_id: KRAKEN, asset: 'EUR' }), false],
  ]
  for (const [name, set, stops] of cases) {
    it(`${name} ${stops ? 'stops' : 'does not stop'} a command`, () => {
      assert.equal(verdictOf(change({ halt: asked }), [set]), stops ? 'HALTED ' : 'accepted')
    })
  }

  it('stops no fact, and no command that it is not about', () => {
    assert.equal(verdictOf(change({ class: 'fact', halt: asked }), [halt({})]), 'accepted')
    assert.equal(verdictOf(change({ ledger: [move(BOB, HOUSE)] }), [halt({})]), 'accepted')
  })

  it('is named by its widest reason', () => {
    assert.equal(
      haltFor([halt({ asset: 'BTC', reason: 'fork' }), halt({ reason: 'drill' })], asked)?.reason,
      'drill',
    )
  })
})
