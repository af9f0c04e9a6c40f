import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { page } from '../http/index.ts'
import { openPlannedReads } from '../store/planned-reads.testing.ts'
import { eventsAfter } from './events.ts'

const MANY = 3000

test('a page of events reads no more of each kind than it has', async () => {
  const { owner, rowsRead, close } = await openPlannedReads()
  const workspace = newId<WorkspaceId>()
  try {
    await owner.query(
      `
        insert into events (workspace, sequence, id, type, resource_id, occurred_at, data)
        select $1, n, gen_random_uuid(), case n % 2 when 0 then 'deposit.assigned' else 'x' end,
          gen_random_uuid(), 0, '{}'
        from generate_series(1, $2::int) n`,
      [workspace, MANY],
    )
    await owner.query(
      `
        insert into bookings (
          workspace, sequence, id, event_sequence, batch_no, type, asset, value_date, booked_at
        )
        select $1, n, gen_random_uuid(), $2::int + n, n, 'MANUAL', 'EUR', 0, n
        from generate_series(1, $2::int) n`,
      [workspace, MANY],
    )
    await owner.query('vacuum analyze events, bookings')
    for (const filter of [
      { after: 5 },
      { after: 5, type: ['deposit.assigned', 'booking.created'] as const },
      { resource_id: newId() },
      { newest_first: true },
      { newest_first: true, type: ['deposit.assigned', 'booking.created'] as const },
    ]) {
      const name = JSON.stringify(filter)
      const rows = await rowsRead(name, (reader) =>
        page(reader, eventsAfter(reader, workspace, filter), 10, undefined),
      )
      // Of events and of bookings, and the bookings once more as what they carry.
      assert.ok(rows <= 40, `${name} read ${rows} rows`)
    }
  } finally {
    await close()
  }
})
