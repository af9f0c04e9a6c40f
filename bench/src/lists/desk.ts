/** Breaks and halts. */
import { id, record, states } from './columns.ts'
import type { Fill } from './columns.ts'

export const DESK_ROWS = {
  breaks: {
    table: 'breaks',
    columns: {
      ...record('other'),
      state: `'CLOSED'`,
      venue_id: id('venue', '1 + i % 3'),
      asset: `case when i % 2 = 0 then 'EUR' else 'BTC' end`,
      ledger: '1',
      venue: '2',
      on_the_way: '0',
      difference: '1',
      cause: states('TIMING', ['FEE', 10], ['UNMATCHED', 5]),
      explanation: `'one more'`,
      first_seen_at: 'bench_at(i)',
      last_seen_at: 'bench_at(i)',
      closed_at: 'bench_at(i)',
      closed_reason: `'RESOLVED'`,
    },
  },
  halts: {
    table: 'brakes',
    columns: {
      ...record('other'),
      state: `'RELEASED'`,
      action: `'WITHDRAWALS'`,
      reason: `'a look'`,
      set_by: `'bench'`,
      set_at: 'bench_at(i)',
      released_at: 'bench_at(i)',
      released_by: `'bench'`,
    },
  },
} as const satisfies Record<string, Fill>
