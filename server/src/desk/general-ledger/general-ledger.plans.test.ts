/** What the general ledger reads grows with what is asked for, not with the history. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { systemClock } from '../../core/clock.ts'
import { page } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import { openPlannedReads } from '../../store/planned-reads.testing.ts'
import type { PlannedReads } from '../../store/planned-reads.testing.ts'
import { datevFile } from './datev-file.ts'
import { datevBatch } from './datev.ts'
import { generalLedger } from './general-ledger.ts'

const workspace = newId<WorkspaceId>()

describe('plans of the general ledger', () => {
  let reads: PlannedReads
  before(async () => {
    reads = await openPlannedReads()
    const { owner } = reads
    await owner.query(
      `insert into workspaces (id, name, settings, system_created_at, system_updated_at)
       values ($1, 'ours', $2, 0, 0)`,
      [
        workspace,
        JSON.stringify({
          general_ledger: {
            accounts: [{ type: 'CUSTOMER', number: '1700' }],
            datev: { consultant: 1001, client: 1, account_length: 4, fiscal_year_start: '01-01' },
          },
        }),
      ],
    )
    await owner.query(
      `insert into assets (workspace, code, label, kind, scale)
       values ($1, 'EUR', 'EUR', 'FIAT', 2)`,
      [workspace],
    )
    await owner.query(
      `insert into accounts (
         workspace, id, type, label, customer_id, system_created_at, system_updated_at
       )
       select $1, md5(n::text)::uuid, 'CUSTOMER', 'x', gen_random_uuid(), 0, 0
       from generate_series(0, 99) n`,
      [workspace],
    )
    await owner.query(
      `insert into lanes (
         workspace, booking_sequence, event_sequence, batch_no, last_hash, committed_at
       )
       values ($1, 0, 0, 0, '', 0)`,
      [workspace],
    )
  })
  after(() => reads.close())

  /** One a second. */
  async function book(from: number, to: number): Promise<void> {
    await reads.owner.query(
      `with booked as (
         insert into bookings (
           workspace, sequence, id, event_sequence, batch_no, type, asset, value_date, booked_at
         )
         select $1, n, gen_random_uuid(), n, n, 'MANUAL', 'EUR', n * 1000, n * 1000
         from generate_series($2::int, $3) n
       )
       insert into legs (
         workspace, booking_sequence, leg_no, account_id, type, quantity, balance_after,
         booking_type
       )
       select $1, n, leg, md5(((n + leg) % 100)::text)::uuid,
         case leg when 1 then 'DEBIT' else 'CREDIT' end, 1, 0, 'MANUAL'
       from generate_series($2::int, $3) n, generate_series(1, 2) leg`,
      [workspace, from, to],
    )
    await reads.owner.query(
      `insert into batches (
         workspace, batch_no, first_sequence, last_sequence, previous_hash, hash, committed_at
       )
       select $1, n, n, n, '', '', n * 1000
       from generate_series($2::int, $3) n`,
      [workspace, from, to],
    )
    await reads.owner.query('update lanes set booking_sequence = $1, batch_no = $1', [to])
    await reads.owner.query('vacuum analyze')
  }

  const books = (reader: Reader) => ({ reader, clock: systemClock, workspace })
  const period = { from: 500_000, to: 600_000 }
  const rowsOfPage = () =>
    reads.rowsRead('page', async (reader) =>
      page(reader, await generalLedger(books(reader), period), 20, undefined),
    )
  const rowsOfFile = () =>
    reads.rowsRead('file', async (reader) => {
      const batch = await datevBatch(books(reader), { asset: 'EUR', ...period })
      for await (const piece of datevFile(books(reader), batch, 0).pieces) assert.ok(piece.length)
      assert.equal(batch.data.bookings, 100)
    })

  it('reads as much for a page and for a file, however much was booked', async () => {
    await book(1, 2_000)
    const [listed, filed] = [await rowsOfPage(), await rowsOfFile()]
    await book(2_001, 20_000)
    assert.ok((await rowsOfPage()) <= listed + 20, `${await rowsOfPage()} after ${listed}`)
    assert.ok((await rowsOfFile()) <= filed + 20, `${await rowsOfFile()} after ${filed}`)
  })
})
