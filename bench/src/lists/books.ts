/** Bookings with their legs, events and mails. */
import { FEW, id, one, record, states } from './columns.ts'
import type { Fill } from './columns.ts'

export const BOOKS_ROWS = {
  batches: {
    table: 'batches',
    share: 0.1,
    columns: {
      batch_no: 'i',
      first_sequence: '10 * i - 9',
      last_sequence: '10 * i',
      previous_hash: `'\\x00'`,
      hash: `'\\x00'`,
      committed_at: 'bench_at(10 * i)',
    },
  },
  bookings: {
    table: 'bookings',
    columns: {
      sequence: 'i',
      id: id('other'),
      event_sequence: '2 * i - 1',
      batch_no: '1 + i / 10',
      type: states('EXECUTION', ['DEPOSIT', 55], ['WITHDRAWAL', 10], ['MANUAL', 3]),
      asset: `case when i % 2 = 0 then 'EUR' else 'BTC' end`,
      value_date: 'bench_at(i)',
      booked_at: 'bench_at(i)',
      reference_type: `'execution'`,
      reference_id: id('execution', '1 + i / 4'),
      booked_by: `'trading'`,
    },
  },
  // Half of all has the first account on its other side: the one that is in everything.
  debits: {
    table: 'legs',
    columns: {
      booking_sequence: 'i',
      leg_no: '1',
      account_id: one('account'),
      type: `'DEBIT'`,
      quantity: '10',
      balance_after: '1000',
    },
  },
  credits: {
    table: 'legs',
    columns: {
      booking_sequence: 'i',
      leg_no: '2',
      account_id: `
        case when i % 2 = 0
          then ${id('account', '5000')}
          else ${id('account', `1 + (i + 7) % ${FEW}`)}
        end`,
      type: `'CREDIT'`,
      quantity: '10',
      balance_after: '1000',
    },
  },
  events: {
    table: 'events',
    columns: {
      sequence: '2 * i',
      id: id('other'),
      type: `
        case
          when i % 100 < 3 then 'withdrawal.failed'
          when i % 2 = 0 then 'deposit.assigned'
          else 'execution.filled'
        end`,
      resource_id: id('deposit', '1 + i / 3'),
      occurred_at: 'bench_at(i)',
      data: `'{"state":"SUCCESSFUL","asset":"EUR","quantity":"100"}'`,
    },
  },
  mails: {
    table: 'mails',
    columns: {
      ...record('other'),
      state: states('SENT', ['PENDING', 2], ['FAILED', 2]),
      event_sequence: 'i',
      event_type: `'deposit.assigned'`,
      resource_id: id('deposit'),
      customer_id: one('customer'),
      recipient: `'ann@example.org'`,
      subject: `'A deposit was assigned'`,
      body: `repeat('text ', 40)`,
    },
  },
} as const satisfies Record<string, Fill>
