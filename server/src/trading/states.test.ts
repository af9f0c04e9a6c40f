import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { canMove, isFinal, statesOf } from '../core/moves.ts'
import type { Moves } from '../core/moves.ts'
import { sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import { EXECUTION_MOVES, ORDER_MOVES, QUOTE_MOVES } from './states.ts'
import { ExecutionRecord } from './executions/executions.schema.ts'
import { FillRecord } from './executions/fills.schema.ts'
import { OrderRecord } from './executions/orders.schema.ts'
import { QuoteRecord } from './quotes/quotes.schema.ts'

/** Row: from; column: to, in the order of the rows; x is allowed. */
const TABLES: Record<string, { moves: Moves<string>; cells: string }> = {
  quotes: {
    moves: QUOTE_MOVES,
    cells: `
      ACTIVE              . x x x
      ACCEPTED            . . . .
      EXPIRED             . . . .
      CANCELED            . . . .`,
  },
  executions: {
    moves: EXECUTION_MOVES,
    cells: `
      WAITING_FOR_TRIGGER . x x x . x x x .
      PROCESSING          . . x x x x x x .
      CANCELING           . x . x x x x x .
      UNKNOWN             . x x . x x x x .
      DONE                . . . . . . . . .
      CANCELED            . . . . . . . . .
      EXPIRED             . . . . . . . . .
      FAILED              . . . . . . . . .
      REJECTED            . . . . . . . . .`,
  },
  execution_orders: {
    moves: ORDER_MOVES,
    cells: `
      PENDING_NEW         . x x x x x x x x
      NEW                 . . x x x x x x x
      PARTIALLY_FILLED    . . . x x x x . x
      PENDING_CANCEL      . x x . x x x x x
      UNKNOWN             x x x x . x x x x
      FILLED              . . . . . . . . .
      CANCELED            . . . . . . . . .
      REJECTED            . . . . . . . . .
      EXPIRED             . . . . . . . . .`,
  },
}
/** The order of the columns above where it is not the order of the rows. */
const COLUMNS: Record<string, string[]> = {
  executions: [
    'WAITING_FOR_TRIGGER',
    'PROCESSING',
    'CANCELING',
    'UNKNOWN',
    'DONE',
    'CANCELED',
    'EXPIRED',
    'FAILED',
    'REJECTED',
  ],
  execution_orders: [
    'PENDING_NEW',
    'NEW',
    'PARTIALLY_FILLED',
    'PENDING_CANCEL',
    'UNKNOWN',
    'FILLED',
    'CANCELED',
    'REJECTED',
    'EXPIRED',
  ],
}

describe('states of trading', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })
  after(() => database.drop())

  for (const [table, { moves, cells }] of Object.entries(TABLES)) {
    const rows = cells
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
    const columns = COLUMNS[table] ?? rows.map(([from]) => from ?? '')
    for (const [from = '', ...marks] of rows) {
      it(`${table}: from ${from}`, () => {
        assert.deepEqual(
          columns.filter((to) => canMove(moves, from, to)),
          columns.filter((_to, index) => marks[index] === 'x'),
        )
        assert.equal(isFinal(moves, from), !marks.includes('x'))
      })
    }
    it(`${table}: the database knows the same states`, async () => {
      const [check] = await database.db.query<{ text: string }>(
        sql`
          select pg_get_constraintdef(oid) as text
          from pg_constraint
          where conname = ${`${table}_state_check`}`,
      )
      const states = [...(check?.text ?? '').matchAll(/'([A-Z_]+)'/g)].map((match) => match[1])
      assert.deepEqual(states.toSorted(), statesOf(moves).toSorted())
    })
  }

  it('every field of a record is a column of its table', async () => {
    const assembled: Record<string, string[]> = {
      executions: ['route', 'customers', 'contradicted'],
    }
    for (const [table, record] of Object.entries({
      quotes: QuoteRecord,
      taken_quotes: QuoteRecord,
      all_quotes: QuoteRecord,
      executions: ExecutionRecord,
      execution_orders: OrderRecord,
      fills: FillRecord,
    })) {
      const columns = (
        await database.db.query<{ column_name: string }>(
          sql`
            select column_name
            from information_schema.columns
            where table_name = ${table}`,
        )
      ).map((row) => row.column_name)
      const missing = Object.keys(record.properties).filter(
        (field) => !columns.includes(field) && !(assembled[table] ?? []).includes(field),
      )
      assert.deepEqual(missing, [], table)
    }
  })
})
