/**
 * Overview, search, timelines and suggestions read a bounded number of rows, whatever the history
 * (KONTOR_PLAN_ROWS for more of it).
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { page } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { Db, Reader } from '../../store/db.ts'
import { openPlannedReads } from '../../store/planned-reads.testing.ts'
import type { PlannedReads } from '../../store/planned-reads.testing.ts'
import { tradingEndpoints } from '../../trading/index.ts'
import { suggestionsFor, treasuryEndpoints } from '../../treasury/index.ts'
import { allDeskFeeds } from './desk-feed.ts'
import { insertFixedRows, insertJobs } from './fixed-rows.testing.ts'
import { growRows } from './growing-rows.testing.ts'
import { NOW } from './growing-terms.testing.ts'
import { overviewOf } from './overview.ts'
import { search } from './search.ts'
import { timelineOf } from './timeline.ts'
import type { Timeline } from './timeline.schema.ts'

const MANY = Number(process.env['KONTOR_PLAN_ROWS'] ?? 10_000)
const workspace = newId<WorkspaceId>()
/** Of these there are few, here or everywhere: they may be read whole. */
const SMALL_TABLES: ReadonlySet<string> = new Set([
  'venues',
  'venue_snapshots',
  'venue_balances',
  'transfer_jobs',
  'job_schedules',
  'treasury_routes',
  'price_stream_routes',
  'matchings',
  'settlements',
  'breaks',
  'brakes',
  'users',
  'rectifications',
  'quotes',
  'assets',
])
/** How much a read may take from tables and indexes at most, however many rows there are. */
const MAXIMUM_READ = 6000
/** The same for a page of a hundred. */
const MAXIMUM_READ_FOR_PAGE = 1000

describe('plans of the desk', () => {
  let reads: PlannedReads
  let owner: PlannedReads['owner']
  let rowsRead: PlannedReads['rowsRead']
  const { searchables, needs, timelines } = allDeskFeeds([])
  const permissions = new Set(searchables.map((searchable) => searchable.permission))
  const permissionOf = new Map(
    [...timelines, ...searchables].map(({ kind, permission }) => [kind, permission]),
  )
  const clock = manualClock(NOW)
  before(async () => {
    reads = await openPlannedReads(SMALL_TABLES)
    owner = reads.owner
    rowsRead = reads.rowsRead
    // Rows are made wholesale: their terms too, and nothing is checked.
    await owner.query('set session_replication_role = replica')
    await insertFixedRows(owner, workspace)
    await growRows(owner, workspace, { from: 1, to: MANY })
  })
  after(async () => {
    await reads.close()
  })

  const principal = { workspace, permissions }
  const idOf = async (letter: string, number: number) =>
    (await owner.query<{ id: string }>(`select md5($1)::uuid as id`, [`${letter}${number}`]))
      .rows[0]?.id ?? ''
  const looks = [
    'customer 7',
    'customer',
    'wallet 55',
    'iban3',
    'wallet 3',
    'wallet',
    'rent',
    'vip',
    'invoice',
    'order-77',
    'order',
    'EX-9',
    '1',
    'co12',
    'fo12',
    'ff12',
    'e5',
    '0a1b2c',
    'nothing of the kind',
  ]

  const readAll = async (): Promise<[string, number][]> => {
    const reads: [string, (reader: Reader) => Promise<unknown>][] = [
      ['overview', (reader) => overviewOf({ db: reader as Db, clock }, needs, principal)],
    ]
    const id = await idOf('d', 7)
    for (const q of [...looks, id, id.slice(0, 10)].filter((look) => look.length > 1))
      reads.push([
        `search ${q}`,
        (reader) => search(reader, principal, searchables, { q, limit: 20 }),
      ])
    for (const [kind, letter] of [
      ['deposit', 'd'],
      ['withdrawal', 'x'],
      ['execution', 'e'],
      ['job_run', 'j'],
      ['assignment', 'g'],
      ['customer', 'c'],
      ['book_transfer', 'k'],
    ] as const) {
      const of = await idOf(letter, 7)
      reads.push([
        `timeline ${kind}`,
        (reader) =>
          timelineOf(reader, { timelines, permissionOf }, principal, {
            kind: kind satisfies Timeline['kind'],
            id: of,
          }),
      ])
    }
    reads.push(['suggestions', (reader) => suggestionsFor(reader, workspace, id)])
    const counted: [string, number][] = []
    for (const [name, read] of reads) counted.push([name, await rowsRead(name, read)])
    return counted
  }

  it(`reads a bounded number of rows of ${MANY}, none by going through a table`, async () => {
    for (const [name, rows] of await readAll())
      assert.ok(rows <= MAXIMUM_READ, `${name} reads ${rows} rows of ${MANY}`)
  })

  /** A page of a list's middle, so that what stands before it may not be read. */
  const pageOf =
    (endpoints: (app: never) => Endpoint[], path: string, query: object) =>
    async (reader: Reader): Promise<void> => {
      const found = endpoints({ db: reader, clock } as never).find(
        (endpoint) => endpoint.path === path && endpoint.effect === 'list',
      )
      assert.ok(found?.effect === 'list', path)
      const list = await found.list({ query, principal } as never)
      const middle = Buffer.from('80000000-0000-0000-0000-000000000000').toString('base64url')
      const { items } = await page(reader, list, 100, middle)
      assert.ok(items.length > 40, `${path}: ${items.length}`)
    }

  it('reads a page far back from its key on, of what many share, of few among many', async () => {
    const customer_id = await idOf('c', 8)
    await insertJobs(owner, workspace, 10 * MANY)
    const pages: [string, (reader: Reader) => Promise<void>][] = [
      ["a customer's executions", pageOf(tradingEndpoints, '/executions', { customer_id })],
      ['deposits, and whose they are', pageOf(treasuryEndpoints, '/treasury/deposits', {})],
      ['active jobs', pageOf(treasuryEndpoints, '/treasury/jobs', { state: ['ACTIVE'] })],
    ]
    for (const [name, read] of pages) {
      const taken = await rowsRead(name, read)
      assert.ok(taken <= MAXIMUM_READ_FOR_PAGE, `${name}: ${taken} rows of ${MANY}`)
    }
  })
})
