/** Who there is: users, customers with their accounts, venues. */
import { id, record, states } from './columns.ts'
import type { Fill } from './columns.ts'

export const PARTIES_ROWS = {
  users: {
    table: 'users',
    columns: {
      ...record('other'),
      email: `'bench' || i || '@example.org'`,
      password_hash: `'none'`,
      roles: `'{READER}'`,
      state: states('ACTIVE', ['DISABLED', 2]),
      must_change_password: 'false',
    },
  },
  customers: {
    table: 'customers',
    columns: {
      ...record('customer'),
      state: states('ACTIVE', ['DELETED', 2]),
      account_id: id('account'),
      type: `'RETAIL'`,
      label: `'Customer ' || i`,
      margin: `'DEFAULT'`,
      booking_schema: `'ADVANCED'`,
      ignore_balance_check: 'false',
      ignore_margin: 'false',
      first_name: `'Ann'`,
      last_name: `'Example ' || i`,
      foreign_id: `'C' || i`,
      investment_entity_ids: `'{}'`,
      notification_recipients: `'{ann@example.org}'`,
    },
  },
  accounts: {
    table: 'accounts',
    columns: {
      ...record('account'),
      type: `'CUSTOMER'`,
      label: `'Customer ' || i`,
      customer_id: id('customer'),
    },
  },
  venues: {
    table: 'venues',
    columns: {
      ...record('venue'),
      key: `'venue' || i`,
      label: `'Venue ' || i`,
      kind: `'EXCHANGE'`,
      settlement: `'POST_TRADE'`,
      state: `'DISABLED'`,
      config: `'{}'`,
    },
  },
  services: {
    table: 'services',
    columns: { ...record('service'), venue_id: id('venue'), type: `'TOMS'`, state: `'STOPPED'` },
  },
} as const satisfies Record<string, Fill>
