/**
 * For tests: how many rows a read takes from tables and indexes, with statements that are planned
 * without their values.
 */
import assert from 'node:assert/strict'
import pg from 'pg'
import type { Reader } from './db.ts'
import { statement } from './sql.ts'
import type { Query } from './sql.ts'
import { testDatabase } from './testing.ts'
import type { TestDatabase } from './testing.ts'

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

const OF_OTHERS: ReadonlySet<string> = new Set(['CTE Scan', 'Subquery Scan', 'Function Scan'])
const scansOf = (plan: Plan): Plan[] => [
  ...(plan['Node Type'].includes('Scan') && !OF_OTHERS.has(plan['Node Type']) ? [plan] : []),
  ...(plan.Plans ?? []).flatMap(scansOf),
]

export type PlannedReads = {
  database: TestDatabase
  /** Of the tables, so that rows can be made wholesale. */
  owner: pg.Client
  /** Fails where one of its statements goes through a table that is not among `small`. */
  rowsRead(name: string, read: (reader: Reader) => Promise<unknown>): Promise<number>
  close(): Promise<void>
}

export async function openPlannedReads(
  small: ReadonlySet<string> = new Set(),
): Promise<PlannedReads> {
  const database = await testDatabase()
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  await owner.query('set plan_cache_mode = force_generic_plan')
  // As every connection of the service has it.
  await owner.query('set enable_seqscan = off')
  return {
    database,
    owner,
    async rowsRead(name, read) {
      const queries: Query[] = []
      await read({
        query: async <Row>(query: Query) => {
          queries.push(query)
          return database.db.query<Row>(query)
        },
      })
      let taken = 0
      for (const query of queries) {
        const { text, values } = statement(query)
        const {
          rows: [explained],
        } = await owner.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `explain (analyze, format json) ${text}`,
          values,
        )
        for (const scan of scansOf(
          (explained as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan,
        )) {
          assert.ok(
            scan['Node Type'] !== 'Seq Scan' || small.has(scan['Relation Name'] ?? ''),
            `${name}: ${text}\n${JSON.stringify(scan)}`,
          )
          taken +=
            ((scan['Actual Rows'] ?? 0) + (scan['Rows Removed by Filter'] ?? 0)) *
            (scan['Actual Loops'] ?? 0)
        }
      }
      return taken
    },
    async close() {
      await owner.end()
      await database.drop()
    },
  }
}
