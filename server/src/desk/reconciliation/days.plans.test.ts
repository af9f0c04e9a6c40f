/** What is read of a day does not grow with the days, and the breaks, of before and since. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { ReconciliationDayId, VenueId, WorkspaceId } from '../../core/ids.ts'
import { page } from '../../http/index.ts'
import { openPlannedReads } from '../../store/planned-reads.testing.ts'
import type { PlannedReads } from '../../store/planned-reads.testing.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { insertLines } from './day-taking.ts'
import { listDays, showDay } from './days.ts'

const MANY = Number(process.env['KONTOR_PLAN_ROWS'] ?? 4_000)
const DAY_MILLISECONDS = 86_400_000
const LINES = 20
/** A day with its lines, and a page of a hundred days. */
const MAXIMUM_READ = 800
const MAXIMUM_READ_FOR_PAGE = 2_500

const workspace = newId<WorkspaceId>()
const venue_id = newId<VenueId>()

describe('plans of reconciled days', () => {
  let reads: PlannedReads
  before(async () => {
    reads = await openPlannedReads()
    const { owner } = reads
    const run = (text: string) => owner.query(text, [workspace, venue_id])
    await owner.query('set session_replication_role = replica')
    await run(`
      insert into reconciliation_days (
        workspace, id, venue_id, day, ends_at, state, compared_at, line_count, differing_count,
        signed_off_by, signed_off_at, system_created_at, system_updated_at
      )
      select $1, md5('d' || n)::uuid, $2, to_char(date '1990-01-01' + n, 'YYYY-MM-DD'),
        (n + 7306) * ${DAY_MILLISECONDS}::bigint, 'SIGNED_OFF', 0, ${LINES}, 1, 'ann', 1, 0, 0
      from generate_series(1, ${MANY}) n`)
    await run(`
      insert into reconciliation_lines (
        workspace, day_id, line_no, asset, wallet, state, ledger, venue, on_the_way, difference,
        since, compared_at
      )
      select $1, md5('d' || n)::uuid, l, 'A' || l, '', 'BALANCED', 1, 1, 0, 0, 0, 0
      from generate_series(1, ${MANY}) n, generate_series(1, ${LINES}) l
      where $2::uuid is not null`)
    await run(`
      insert into breaks (
        workspace, id, venue_id, asset, state, ledger, venue, on_the_way, difference, cause,
        explanation, first_seen_at, last_seen_at, closed_at, closed_by, closed_reason, note,
        system_created_at, system_updated_at
      )
      select $1, md5('b' || n)::uuid, $2, 'A' || n % ${LINES}, 'CLOSED', 1, 2, 0, 1, 'UNKNOWN', 'x',
        (n + 7305) * ${DAY_MILLISECONDS}::bigint + 5,
        (n + 7305) * ${DAY_MILLISECONDS}::bigint + 8,
        (n + 7305) * ${DAY_MILLISECONDS}::bigint + 9, 'ann', 'BY_HAND', 'x', 0, 0
      from generate_series(1, ${MANY}) n`)
    await run(`
      insert into positions (
        workspace, venue_id, asset, wallet, ledger, venue, on_the_way, difference, accepted, since,
        compared_at, wallets
      )
      select $1, $2, 'A' || n, '', 1, 2, 0, 1, 1, 0, 0, '[]'
      from generate_series(1, ${LINES}) n`)
    await owner.query('analyze')
  })
  after(() => reads.close())

  const dayId = async (query: Query) => {
    const [row] = await reads.database.db.query<{ id: ReconciliationDayId }>(query)
    return row?.id ?? assert.fail()
  }
  const some = (order: Query) => sql`
    select id
    from reconciliation_days
    ${order}
    limit 1`

  it(`reads a day of ${MANY} by itself, be it old or new`, async () => {
    for (const order of [
      sql`order by ends_at`,
      sql`order by ends_at desc`,
      sql`
        where ends_at > ${(MANY / 2 + 7306) * DAY_MILLISECONDS}
        order by ends_at`,
    ]) {
      const id = await dayId(some(order))
      const rows = await reads.rowsRead('day', (reader) => showDay(reader, workspace, id, 0))
      assert.ok(rows <= MAXIMUM_READ, `a day reads ${rows} rows of ${MANY}`)
    }
  })

  it('reads of a list what it shows', async () => {
    for (const filter of [{}, { venue_id }, { state: ['SIGNED_OFF' as const] }]) {
      const rows = await reads.rowsRead('days', (reader) =>
        page(reader, listDays(workspace, filter), 100, undefined),
      )
      assert.ok(rows <= MAXIMUM_READ_FOR_PAGE, `a page reads ${rows} rows of ${MANY}`)
    }
  })

  it('takes a day from what is compared, with the break that each difference was', async () => {
    // Here it is run twice: to be read, and to be explained.
    await reads.owner.query(
      'alter table reconciliation_lines drop constraint reconciliation_lines_pkey',
    )
    const rows = await reads.rowsRead('taking', (reader) =>
      reader.query(insertLines({ workspace, id: venue_id }, newId())),
    )
    assert.ok(rows <= MAXIMUM_READ, `taking a day reads ${rows} rows of ${MANY}`)
  })
})
