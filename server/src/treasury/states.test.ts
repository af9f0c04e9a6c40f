import type { AssignedPart } from './assignments/assignments.schema.ts'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decimal } from '../core/decimal.ts'
import { canMove, statesOf } from '../core/moves.ts'
import type { Moves } from '../core/moves.ts'
import { sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import { ASSIGNMENT_MOVES } from './assignments/assignments.schema.ts'
import { BATCH_REQUEST_MOVES } from './batches/batches.schema.ts'
import { DEPOSIT_MOVES, derivedState } from './deposit-rows/deposits.schema.ts'
import type { DepositState } from './deposit-rows/deposits.schema.ts'
import { WALLET_MOVES } from './wallets/wallets.schema.ts'
import { WITHDRAWAL_MOVES } from './withdrawals/withdrawals.schema.ts'

/** In short, for the tables of the tests: 'S3' is SUCCESSFUL of 3, 'x' at the end is rectified. */
function assigned(text: string): AssignedPart[] {
  const states = { S: 'SUCCESSFUL', P: 'PENDING', R: 'REJECTED' } as const
  return text
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => ({
      state: states[part.charAt(0) as keyof typeof states],
      quantity: decimal(part.replace(/[^0-9.]/g, '')),
      rectification_id: part.endsWith('x') ? 'x' : null,
    }))
}

/** A deposit of 10, of which this was returned before anybody had it. */
const ofTen = (returned_unassigned: string) => ({ assignable: decimal('10'), returned_unassigned })

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.drop())

/** Each row: from, then x where the move to the column's state exists. '…' cuts a head short. */
function checkTable<S extends string>(moves: Moves<S>, table: string): void {
  const [header, ...lines] = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const rows = lines.map((line) => line[0] ?? '')
  const states = (header ?? []).slice(1).map((head) => {
    const [start = '', ...cut] = head.split('…')
    return cut.length === 0 ? head : rows.find((row) => row.startsWith(start))
  })
  assert.deepEqual(states, statesOf(moves))
  assert.deepEqual(rows, states)
  for (const [from, ...cells] of lines) {
    states.forEach((to, index) => {
      assert.equal(canMove(moves, from as S, to as S), cells[index] === 'x', `${from} to ${to}`)
    })
  }
}

const columns = async (table: string) =>
  (
    await database.db.query<{ definition: string }>(sql`
      select pg_get_constraintdef(oid) as definition
      from pg_constraint
      where conrelid = ${table}::regclass
        and contype = 'c'`)
  )
    .map((row) => row.definition)
    .filter((text) => text.startsWith('CHECK ((state = ANY'))

const words = (definition: string | undefined) =>
  [...(definition ?? '').matchAll(/'([A-Z_]+)'/g)].map((match) => match[1])

test('withdrawal, cell by cell', async () => {
  checkTable(
    WITHDRAWAL_MOVES,
    `
    from             PENDING_APPROVAL PENDING PENDING_R… UNKNOWN SUCCESS FAILED REJECTED CANCELED
    PENDING_APPROVAL .                x       x          x       x       x      x        x
    PENDING          .                .       x          x       x       x      x        x
    PENDING_REVIEW   .                x       .          x       x       x      x        x
    UNKNOWN          .                x       x          .       x       x      x        x
    SUCCESS          .                .       .          .       .       .      .        .
    FAILED           .                .       .          .       .       .      .        .
    REJECTED         .                .       .          .       .       .      .        .
    CANCELED         .                .       .          .       .       .      .        .`,
  )
  assert.deepEqual(words((await columns('withdrawals'))[0]), statesOf(WITHDRAWAL_MOVES))
})

test('batch request, cell by cell', async () => {
  checkTable(
    BATCH_REQUEST_MOVES,
    `
    from      PREPARED SUBMITTED GIVEN_UP EXPIRED
    PREPARED  .        x         x        x
    SUBMITTED .        .         .        .
    GIVEN_UP  .        .         .        .
    EXPIRED   .        .         .        .`,
  )
  for (const table of ['batch_requests', 'withdrawal_batches'])
    assert.deepEqual(words((await columns(table))[0]), statesOf(BATCH_REQUEST_MOVES))
})

test('deposit, cell by cell', async () => {
  checkTable(
    DEPOSIT_MOVES,
    `
    from               PENDING PENDING_R… UNASSIGNED PARTIAL… ASSIGNED REJE… RET… SUCC… FAILED REV…
    PENDING            .       x          x          x        x        .     .    x     x      .
    PENDING_REVIEW     x       .          .          .        .        .     .    .     x      .
    UNASSIGNED         .       .          .          x        x        .     x    x     .      x
    PARTIALLY_ASSIGNED .       .          .          .        x        x     .    x     .      x
    ASSIGNED           .       .          .          x        .        x     .    x     .      x
    REJECTED           .       .          .          x        x        .     x    x     .      x
    RETURNED           .       .          .          .        .        .     .    .     .      x
    SUCCESSFUL         .       .          x          x        .        x     .    .     .      x
    FAILED             x       .          .          .        .        .     .    .     .      .
    REVERSED           x       .          .          .        .        .     .    .     .      .`,
  )
  assert.deepEqual(
    words((await columns('deposits'))[0]).toSorted(),
    statesOf(DEPOSIT_MOVES).toSorted(),
  )
})

test('assignment, cell by cell', async () => {
  checkTable(
    ASSIGNMENT_MOVES,
    `
    from       PENDING REJECTED SUCCESSFUL
    PENDING    .       x        x
    REJECTED   .       .        x
    SUCCESSFUL .       .        .`,
  )
  assert.deepEqual(
    words((await columns('assignments'))[0]).toSorted(),
    statesOf(ASSIGNMENT_MOVES).toSorted(),
  )
})

test('wallet, cell by cell', async () => {
  checkTable(
    WALLET_MOVES,
    `
    from     CREATING ACTIVE FAILED
    CREATING .        x      x
    ACTIVE   .        .      .
    FAILED   .        .      .`,
  )
  assert.deepEqual(words((await columns('wallets'))[0]), statesOf(WALLET_MOVES))
})

test('the state of a final deposit follows from its assignments', () => {
  const table: [string, string][] = [
    ['', 'UNASSIGNED'],
    ['S10', 'SUCCESSFUL'],
    ['S4 S6', 'SUCCESSFUL'],
    ['S4 P6', 'ASSIGNED'],
    ['P10', 'ASSIGNED'],
    ['P4', 'PARTIALLY_ASSIGNED'],
    ['S4', 'PARTIALLY_ASSIGNED'],
    ['R10', 'REJECTED'],
    ['R4 S6', 'PARTIALLY_ASSIGNED'],
    ['R10 S10', 'SUCCESSFUL'],
    ['R4 P10', 'ASSIGNED'],
    ['S10x S4 S6', 'SUCCESSFUL'],
    ['S10x', 'UNASSIGNED'],
    ['S4x S6 S4', 'SUCCESSFUL'],
  ]
  for (const [assignments, expected] of table)
    assert.equal(derivedState(ofTen('0'), assigned(assignments)), expected, assignments)
})

test('what went back to its sender unassigned counts no more; all of it is RETURNED', () => {
  const table: [string, string, DepositState][] = [
    ['4', '', 'UNASSIGNED'],
    ['10', '', 'RETURNED'],
    ['10', 'R10', 'RETURNED'],
    ['4', 'R6', 'REJECTED'],
    ['4', 'P6', 'ASSIGNED'],
    ['4', 'S2', 'PARTIALLY_ASSIGNED'],
    ['4', 'S6', 'SUCCESSFUL'],
  ]
  for (const [returned, assignments, expected] of table)
    assert.equal(
      derivedState(ofTen(returned), assigned(assignments)),
      expected,
      `${returned} returned, ${assignments}`,
    )
})

test('an assignment can only lead a deposit where its table leads', () => {
  // Every change of one assignment of up to two: from any derived state to the next.
  const parts = ['', 'P4', 'S4', 'R4', 'P6', 'S6', 'R6', 'P10', 'S10', 'R10']
  const next: Record<string, string[]> = {
    '': parts.slice(1).filter((part) => !part.startsWith('R')),
    P: ['S', 'R'],
    R: ['S'],
  }
  for (const first of parts) {
    for (const second of parts) {
      const before = `${first} ${second}`
      if (
        assigned(before)
          .filter((assigned) => assigned.state !== 'REJECTED')
          .reduce((sum, assigned) => sum + assigned.quantity, 0n) > decimal('10')
      )
        continue
      for (const to of next[first.charAt(0)] ?? []) {
        const after = `${first === '' ? to : `${to}${first.slice(1)}`} ${second}`
        if (
          assigned(after)
            .filter((assigned) => assigned.state !== 'REJECTED')
            .reduce((sum, assigned) => sum + assigned.quantity, 0n) > decimal('10')
        )
          continue
        const [from, until] = [
          derivedState(ofTen('0'), assigned(before)),
          derivedState(ofTen('0'), assigned(after)),
        ]
        assert.ok(
          from === until || canMove(DEPOSIT_MOVES, from, until),
          `${before} is ${from}, ${after} is ${until}`,
        )
      }
    }
  }
})
