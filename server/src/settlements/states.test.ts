/** Every cell of both tables, in code and in the database; and the state that parts give. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { canMove } from '../core/moves.ts'
import type { Moves } from '../core/moves.ts'
import { sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import {
  PART_MOVES,
  PART_STATES,
  SETTLEMENT_MOVES,
  SETTLEMENT_STATES,
  stateOfParts,
} from './settlements.schema.ts'

/** Lines: from; columns: to, in the order of the states. */
const SETTLEMENTS = {
  PREPARING: ' R    C',
  READY: 'P T   C',
  TRANSFERRING: '   pSFC',
  PARTIALLY_SETTLED: '    SF ',
  SETTLED: '  Tp   ',
  FAILED: '  TpS C',
  CANCELED: '       ',
}
const PARTS = {
  OPEN: ' I  M',
  INITIATED: '  SFM',
  SUCCESS: '     ',
  FAILED: ' I  M',
  CONFIRMED_MANUALLY: '     ',
}

function cells<S extends string>(
  moves: Moves<S>,
  states: readonly S[],
  table: Readonly<Record<S, string>>,
): void {
  for (const from of states)
    for (const [index, to] of states.entries())
      assert.equal(canMove(moves, from, to), table[from][index] !== ' ', `${from} to ${to}`)
}

describe('states of settlements', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })
  after(() => database.drop())

  it('move as the tables say and no other way', () => {
    cells(SETTLEMENT_MOVES, SETTLEMENT_STATES, SETTLEMENTS)
    cells(PART_MOVES, PART_STATES, PARTS)
  })
  it('are those of the database', async () => {
    for (const [table, states] of [
      ['settlements', SETTLEMENT_STATES],
      ['settlement_parts', PART_STATES],
    ] as const) {
      const rows = await database.db.query<{ rule: string }>(
        sql`
          select pg_get_constraintdef(oid) as rule
          from pg_constraint
          where conrelid = ${table}::regclass
            and contype = 'c'
            and pg_get_constraintdef(oid) like '%state%'`,
      )
      const named = rows[0]?.rule.match(/'([A-Z_]+)'/g)?.map((word) => word.slice(1, -1))
      assert.deepEqual(named?.toSorted(), [...states].toSorted())
    }
  })
  it('follow from the parts', () => {
    const of = (...states: (typeof PART_STATES)[number][]) =>
      stateOfParts(states.map((state) => ({ state })))
    assert.equal(of(), 'SETTLED')
    assert.equal(of('SUCCESS', 'CONFIRMED_MANUALLY'), 'SETTLED')
    assert.equal(of('INITIATED', 'OPEN'), 'TRANSFERRING')
    assert.equal(of('INITIATED', 'FAILED'), 'TRANSFERRING')
    assert.equal(of('OPEN', 'FAILED'), 'FAILED')
    assert.equal(of('SUCCESS', 'FAILED'), 'FAILED')
    assert.equal(of('SUCCESS', 'INITIATED', 'FAILED'), 'PARTIALLY_SETTLED')
    assert.equal(of('CONFIRMED_MANUALLY', 'OPEN'), 'PARTIALLY_SETTLED')
    assert.equal(of('OPEN'), 'TRANSFERRING')
  })
})
