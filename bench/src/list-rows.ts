/**
 * Rows for the lists, made set-wise: `n` of each table, with the states and references that a
 * desk's have, evenly over the last ninety days. `bench_id(kind, i)` is the id of the i-th row of a
 * kind, in the order of time as all ids are.
 */
import pg from 'pg'

/**
 * SQL by column, in terms of `i` from 1 to the number of rows; what is not named is null or has its
 * default.
 */
type Columns = Readonly<Record<string, string>>
type Fill = { table: string; columns: Columns; share?: number }

const KIND = {
  customer: 1,
  account: 2,
  venue: 3,
  service: 4,
  wallet: 5,
  deposit: 6,
  withdrawal: 7,
  route: 8,
  job: 9,
  execution: 10,
  settlement: 11,
  quote: 12,
  price_route: 13,
  fill: 14,
  other: 15,
} as const
type Kind = keyof typeof KIND

const SPAN_MILLISECONDS = 90 * 86_400_000
/**
 * So many of each kind are named by all others: also of ten thousand rows, those that name one fill
 * more than a page, as those of a rare state do behind the middle.
 */
const FEW = 37
const id = (kind: Kind, number = 'i') => `bench_id(${KIND[kind]}, ${number})`
const one = (kind: Kind) => id(kind, `1 + i % ${FEW}`)
const record = (kind: Kind): Columns => ({
  id: id(kind),
  system_created_at: 'bench_at(i)',
  system_created_by: `'bench'`,
  system_updated_at: 'bench_at(i)',
  system_updated_by: `'bench'`,
})
/** One state in so many hundredths, the rest the first one. */
const states = (usual: string, ...rare: [state: string, hundredths: number][]) => {
  let below = 0
  const cases = rare.map(
    ([state, hundredths]) => `when i % 100 < ${(below += hundredths)} then '${state}'`,
  )
  return `case ${cases.join(' ')} else '${usual}' end`
}

const QUOTE_SIDE = `'${JSON.stringify({
  price: '60000',
  amount: '1',
  volume: '60000',
  available_amount: '1',
  available_volume: '60000',
  complete: true,
  vwap: '60000',
  fee: '60',
  risk: '0',
  margin: '300',
})}'::jsonb`

export const FILLS = {
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
  deposits: {
    table: 'deposits',
    columns: {
      ...record('deposit'),
      state: states('SUCCESSFUL', ['PENDING', 2], ['UNASSIGNED', 2], ['REJECTED', 2]),
      service_id: id('service', '1'),
      venue_id: id('venue', '1'),
      wallet_id: id('wallet', '10'),
      asset: `'EUR'`,
      protocol: `'SEPA'`,
      quantity: '100 + i % 1000',
      assignable_quantity: '100 + i % 1000',
      assigned_quantity: '100 + i % 1000',
      foreign_id: `'D' || i`,
      source_address: `'DE02500105170137075030'`,
      reference_text: `'R' || i`,
      occurred_at: 'bench_at(i)',
      final_at: 'bench_at(i)',
    },
  },
  deposit_assignments: {
    table: 'assignments',
    columns: {
      ...record('other'),
      state: states('SUCCESSFUL', ['PENDING', 2], ['REJECTED', 2]),
      deposit_id: id('deposit'),
      account_id: one('account'),
      customer_id: one('customer'),
      asset: `'EUR'`,
      quantity: '100 + i % 1000',
      source: `'MATCHING'`,
      booked_at: 'bench_at(i)',
    },
  },
  deposit_rectifications: {
    table: 'rectifications',
    columns: {
      ...record('other'),
      state: `'BOOKED'`,
      reason: `'WRONG_ACCOUNT'`,
      deposit_id: id('deposit'),
      origin_ids: `array[${id('other')}]`,
      target_ids: `array[${id('other')}]`,
    },
  },
  withdrawals: {
    table: 'withdrawals',
    columns: {
      ...record('withdrawal'),
      state: states('SUCCESS', ['PENDING', 2], ['FAILED', 2], ['REJECTED', 2]),
      origin: `'MANUAL'`,
      route_id: id('route', '1'),
      from_wallet_id: id('wallet', '10'),
      to_wallet_id: id('wallet', '11'),
      service_id: id('service', '1'),
      venue_id: id('venue', '1'),
      asset: `'BTC'`,
      protocol: `'BTC'`,
      quantity: '1 + i % 1000',
      fee: '0.00002',
      fee_asset: `'BTC'`,
      fee_borne_by: `'HOUSE'`,
      speed_level: `'DEFAULT'`,
      destination_address: `'bc1q' || i`,
      account_id: one('account'),
      own_transfer: 'false',
      external_id: `'W' || i`,
      foreign_id: `'V' || i`,
      transaction_hash: `md5(i::text)`,
      transfer: `'{"from":{},"to":{}}'`,
      submitted_at: 'bench_at(i)',
      completed_at: `case when i % 100 >= 1 then bench_at(i) end`,
    },
  },
  withdrawal_assignments: {
    table: 'assignments',
    columns: {
      ...record('other'),
      state: states('SUCCESSFUL', ['PENDING', 2], ['REJECTED', 2]),
      withdrawal_id: id('withdrawal'),
      account_id: one('account'),
      customer_id: one('customer'),
      asset: `'BTC'`,
      quantity: '1 + i % 1000',
      source: `'ROUTE'`,
      booked_at: 'bench_at(i)',
    },
  },
  withdrawal_rectifications: {
    table: 'rectifications',
    columns: {
      ...record('other'),
      state: `'BOOKED'`,
      reason: `'WRONG_ACCOUNT'`,
      withdrawal_id: id('withdrawal'),
      origin_ids: `array[${id('other')}]`,
      target_ids: `array[${id('other')}]`,
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
  quotes: {
    table: 'quotes',
    columns: {
      ...record('quote'),
      state: states('EXPIRED', ['ACTIVE', 2], ['ACCEPTED', 20]),
      route_id: id('price_route', '1'),
      symbol: `'BTC/EUR'`,
      customer_id: one('customer'),
      firm: 'true',
      request_asset: `'BTC'`,
      request_quantity: '1',
      risk_duration_ms: '30000',
      margin: '0.005',
      risk: '0.0001',
      risk_source: `'OBSERVED'`,
      taker_fee: '0.001',
      created_at: 'bench_at(i)',
      expires_at: `case when i % 100 < 2 then 9000000000000 else bench_at(i) end`,
      buy: QUOTE_SIDE,
      sell: QUOTE_SIDE,
    },
  },
  executions: {
    table: 'executions',
    columns: {
      ...record('execution'),
      state: states('DONE', ['PROCESSING', 2], ['CANCELED', 2], ['FAILED', 2]),
      internal_ref: `'EX' || i`,
      route_id: id('price_route', '1'),
      symbol: `'BTC/EUR'`,
      base_asset: `'BTC'`,
      quote_asset: `'EUR'`,
      side: `'BUY'`,
      execution_type: `'MARKET'`,
      mode: `'AMOUNT'`,
      amount: '1',
      firm: 'false',
      taker_fee: '0.001',
      client_ref: `'ref' || i`,
      completed_at: 'bench_at(i)',
    },
  },
  execution_customers: {
    table: 'execution_customers',
    columns: {
      execution_id: id('execution'),
      customer_no: '1',
      customer_id: one('customer'),
      account_id: one('account'),
      booking_schema: `'ADVANCED'`,
      hold_id: id('other'),
      amount: '1',
      margin: '0.005',
      risk: '0',
    },
  },
  orders: {
    table: 'execution_orders',
    columns: {
      ...record('other'),
      execution_id: id('execution'),
      hop_no: '1',
      venue_id: id('venue', '1'),
      service_id: id('service', '1'),
      symbol: `'BTC/EUR'`,
      base_asset: `'BTC'`,
      quote_asset: `'EUR'`,
      side: `'BUY'`,
      type: `'MARKET'`,
      tif_mode: `'IOC'`,
      quantity: '1',
      state: `'FILLED'`,
      client_order_id: `'O' || i`,
    },
  },
  fills: {
    table: 'fills',
    columns: {
      ...record('fill'),
      execution_id: id('execution'),
      order_id: id('other'),
      hop_no: '1',
      service_id: id('service', '1 + i % 2'),
      venue_id: id('venue', '1 + i % 2'),
      symbol: `'BTC/EUR'`,
      base_asset: `'BTC'`,
      quote_asset: `'EUR'`,
      side: `'BUY'`,
      price: '60000',
      quantity: '1',
      volume: '60000',
      fee: '60',
      fee_asset: `'EUR'`,
      liquidity: `'TAKER'`,
      foreign_id: `'T' || i`,
      executed_at: 'bench_at(i)',
      settlement_state: `
        case
          when i % 100 < 2 then 'UNSETTLED'
          when i % 100 < 4 then 'IN_SETTLEMENT'
          else 'SETTLED'
        end`,
      settlement_id: `case when i % 100 between 2 and 3 then ${id('settlement', '1')} end`,
    },
  },
  settlements: {
    table: 'settlements',
    columns: {
      ...record('settlement'),
      state: states('SETTLED', ['PREPARING', 2], ['CANCELED', 2]),
      timerange_from: 'bench_at(0)',
      timerange_to: `bench_at(bench_rows() + 1)`,
      nets: `'${JSON.stringify([
        {
          venue_id: '01900000-0000-7000-8000-000000000001',
          asset: 'EUR',
          quantity: '100',
          direction: 'OUT',
        },
      ])}'`,
    },
  },
  price_routes: {
    table: 'price_stream_routes',
    columns: {
      ...record('price_route'),
      key: `'route' || i`,
      label: `'Route ' || i`,
      symbol: `'BTC/EUR'`,
      base_asset: `'BTC'`,
      quote_asset: `'EUR'`,
      hops: `'[]'`,
      risk_quantile: '0.99',
      active: 'false',
      min_amount: '0.0001',
      max_amount: '10',
      amount_step: '0.00000001',
      price_step: '0.01',
    },
  },
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

export type Filled = keyof typeof FILLS

/** A connection on which rows are made without the checks of keys between tables. */
export async function openRows(
  url: string,
  n: number,
): Promise<{ db: pg.Client; workspace: string; idAt(kind: Kind, i: number): Promise<string> }> {
  const db = new pg.Client({ connectionString: url })
  await db.connect()
  const {
    rows: [first],
  } = await db.query<{ id: string }>('select id from workspaces order by id limit 1')
  if (first === undefined) throw new Error('the database has no workspace')
  await db.query(
    `
      set session_replication_role = replica;
      set synchronous_commit = off;
      set maintenance_work_mem = '256MB'`,
  )
  const begun = Date.now() - SPAN_MILLISECONDS
  await db.query(
    `
      create
        or replace function bench_at(i bigint) returns bigint language sql immutable as 'select
          ${begun} + i * ${SPAN_MILLISECONDS} / ${n}'`,
  )
  await db.query(
    `
      create or replace function bench_rows() returns bigint language sql immutable
      as 'select ${n}::bigint'`,
  )
  await db.query(`
    create or replace function bench_id(kind integer, i bigint) returns uuid
    language sql immutable as $$
      select (
        lpad(to_hex(${begun} + i * ${SPAN_MILLISECONDS} / ${n}), 12, '0') || '7' ||
        lpad(to_hex(kind), 3, '0') || '8' || lpad(to_hex(i), 15, '0')
      )::uuid
    $$`)
  return {
    db,
    workspace: first.id,
    idAt: async (kind, i) =>
      (await db.query<{ id: string }>('select bench_id($1, $2) as id', [KIND[kind], i])).rows[0]
        ?.id ?? '',
  }
}

export async function fill(
  db: pg.Client,
  workspace: string,
  { table, columns, share = 1 }: Fill,
  n: number,
): Promise<void> {
  const names = Object.keys(columns)
  await db.query(
    `
      insert into ${table} (workspace, ${names.join(', ')})
      select $1, ${Object.values(columns).join(', ')}
      from generate_series(1, $2::bigint) as i`,
    [workspace, Math.ceil(n * share)],
  )
  await db.query(`vacuum analyze ${table}`)
}

export const empty = (db: pg.Client, table: string) => db.query(`truncate ${table} cascade`)
