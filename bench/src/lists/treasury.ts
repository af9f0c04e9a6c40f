/** Wallets, routes, matchings and transfer jobs. */
import { FEW, id, one, record, states } from './columns.ts'
import type { Fill } from './columns.ts'

export const TREASURY_ROWS = {
  wallets: {
    table: 'wallets',
    columns: {
      ...record('wallet'),
      type: `case when i % 10 = 0 then 'VENUE' else 'CUSTOMER' end`,
      asset: `'BTC'`,
      address: `'bc1q' || i`,
      label: `'Wallet ' || i`,
      account_id: one('account'),
      access_type: `case when i % 10 = 0 then 'INTERNAL' else 'EXTERNAL' end`,
      customer_id: `case when i % 10 <> 0 then ${one('customer')} end`,
      venue_id: `case when i % 10 = 0 then ${id('venue', '1 + i % 3')} end`,
      service_id: `case when i % 10 = 0 then ${id('service', '1 + i % 3')} end`,
      reference_text: `'R' || i`,
      foreign_id: `'F' || i`,
      state: `'ACTIVE'`,
    },
  },
  routes: {
    table: 'treasury_routes',
    columns: {
      ...record('route'),
      label: `'Route ' || i`,
      from_wallet_id: id('wallet', `10 * (1 + i % ${FEW})`),
      to_wallet_id: id('wallet'),
      protocol: `case when i % 2 = 0 then 'BTC' else 'ETH' end`,
      transfer: `'{"from":{},"to":{}}'`,
      allowlist_state: states('APPROVED', ['PENDING_APPROVAL', 2], ['REJECTED', 2]),
      state: `'ACTIVE'`,
    },
  },
  matchings: {
    table: 'matchings',
    columns: {
      ...record('other'),
      state: states('ACTIVE', ['DELETED', 5]),
      resource_id: one('account'),
      type: `'DESTINATION_WITH_REFERENCE'`,
      asset: `'EUR'`,
      is_withdrawal_matching: 'false',
      destination_address: `'DE02120300000000202051'`,
      reference: `'R' || i`,
      address_key: `'DE02120300000000202051'`,
      reference_key: `'r' || i`,
    },
  },
  jobs: {
    table: 'transfer_jobs',
    columns: {
      ...record('job'),
      state: `case when i <= 1000 then 'ACTIVE' else 'INACTIVE' end`,
      route_id: id('route', '1 + i % 1000'),
      condition_type: `'SWEEPING'`,
      interval: '60',
      speed_level: `'DEFAULT'`,
      min_quantity: '0',
      conditions: `'[{"target":"1"}]'`,
    },
  },
  schedules: {
    table: 'job_schedules',
    columns: {
      id: id('job'),
      state: `case when i <= 1000 then 'ACTIVE' else 'INACTIVE' end`,
      next_run_at: `case when i <= 1000 then bench_at(i) end`,
      system_updated_at: 'bench_at(i)',
    },
  },
  runs: {
    table: 'job_runs',
    columns: {
      ...record('other'),
      job_id: one('job'),
      state: `'SKIPPED'`,
      reason: `'BALANCE_NOT_DUE'`,
      explanation: `'the source has less than its target'`,
      scheduled_at: 'bench_at(i)',
      started_at: 'bench_at(i)',
      finished_at: 'bench_at(i)',
      asset: `'BTC'`,
    },
  },
} as const satisfies Record<string, Fill>
