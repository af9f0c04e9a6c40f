/**
 * Rows of every table that the desk reads and that grows with history, made wholesale: the first of
 * each are of today and open.
 */
import type pg from 'pg'
import type { WorkspaceId } from '../../core/ids.ts'

const DAY = 86_400_000
/** The time of the overview. */
export const NOW = 20_000 * DAY + DAY / 2
/** How many rows of each table are of today. */
const TODAY = 20

/** The id of the row with this number. */
const key = (letter: string, number = 'n') => `md5('${letter}' || (${number}))::uuid`
const today = (open: string, ended: string) =>
  `case when n <= ${TODAY} then '${open}' else '${ended}' end`
const AT = `case when n <= ${TODAY} then ${NOW}::bigint else n end`
/** Half of all executions are one customer's. */
const BUSY = 'case n % 2 when 0 then 8 else n % 500 end'

/** By table and column what is stored in row `n`. */
const ROWS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  accounts: {
    id: key('a'),
    type: "'CUSTOMER'",
    label: "'Customer ' || n",
    customer_id: key('c'),
    system_created_at: '0',
    system_updated_at: '0',
  },
  balances: {
    account_id: key('a'),
    asset: "'EUR'",
    total: '1',
    held_withdrawal: '0',
    held_trading: '0',
    floor: '0',
  },
  customers: {
    id: key('c'),
    state: "'ACTIVE'",
    account_id: key('a'),
    type: "'RETAIL'",
    label: "'Customer ' || n",
    margin: "'DEFAULT'",
    booking_schema: "'ADVANCED'",
    ignore_balance_check: 'false',
    ignore_margin: 'false',
    investment_entity_ids: "'{}'",
    notification_recipients: "'{}'",
    system_created_at: '0',
    system_updated_at: '0',
  },
  wallets: {
    id: key('w'),
    type: "'CUSTOMER'",
    asset: "'EUR'",
    address: "'IBAN' || n",
    label: "'Wallet ' || n",
    account_id: key('a'),
    customer_id: key('c'),
    access_type: "'EXTERNAL'",
    state: "'ACTIVE'",
    system_created_at: '0',
    system_updated_at: '0',
  },
  set_aside_items: {
    id: key('i'),
    state: today('OPEN', 'RESOLVED'),
    venue_id: key('v', '1'),
    kind: "'TRANSFER'",
    foreign_id: "'record ' || n",
    reason: "'not understood'",
    raw: "'{}'",
    raw_length: '2',
    system_created_at: AT,
    system_updated_at: AT,
  },
  deposits: {
    id: key('d'),
    state: today('UNASSIGNED', 'SUCCESSFUL'),
    service_id: key('s', '1'),
    venue_id: key('v', '1'),
    asset: "'EUR'",
    quantity: '1',
    assignable_quantity: '1',
    assigned_quantity: '0',
    foreign_id: "'f' || n",
    source_address: "'IBAN' || n % 7",
    reference_text: "'invoice ' || n",
    final_at: 'n',
    occurred_at: 'n',
    system_created_at: AT,
    system_updated_at: '0',
  },
  assignments: {
    id: key('g'),
    state: today('REJECTED', 'SUCCESSFUL'),
    deposit_id: key('d'),
    account_id: key('a'),
    customer_id: key('c'),
    asset: "'EUR'",
    quantity: '1',
    source: "'MANUAL'",
    system_created_at: '0',
    system_updated_at: '0',
  },
  withdrawals: {
    id: key('x'),
    state: today('UNKNOWN', 'SUCCESS'),
    origin: "'EXTERNAL'",
    service_id: key('s', '1'),
    venue_id: key('v', '1'),
    asset: "'EUR'",
    protocol: "'SEPA'",
    quantity: '1',
    fee_borne_by: "'HOUSE'",
    speed_level: "'DEFAULT'",
    destination_address: "'IBAN' || n % 7",
    own_transfer: 'false',
    external_id: "'e' || n",
    transfer: "'{}'",
    system_created_at: AT,
    system_updated_at: '0',
  },
  book_transfers: {
    id: key('k'),
    state: today('PENDING', 'DONE'),
    waits_for: "'a halt'",
    from_account_id: key('a'),
    from_customer_id: key('c'),
    to_account_id: key('a', 'n + 1'),
    to_customer_id: key('c', 'n + 1'),
    asset: "'EUR'",
    quantity: '1',
    reason: "'gift'",
    hold_id: key('h'),
    system_created_at: AT,
    system_updated_at: '0',
  },
  executions: {
    id: key('e'),
    state: today('UNKNOWN', 'DONE'),
    internal_ref: "'EX-' || n",
    route_id: key('r', '1'),
    symbol: "'BTC/EUR'",
    base_asset: "'BTC'",
    quote_asset: "'EUR'",
    side: "'BUY'",
    execution_type: "'MARKET'",
    mode: "'AMOUNT'",
    amount: '1',
    client_ref: "'Order-' || n",
    firm: 'false',
    taker_fee: '0',
    filled_amount: '1',
    system_created_at: AT,
    system_updated_at: '0',
  },
  execution_customers: {
    execution_id: key('e'),
    customer_no: '1',
    customer_id: key('c', BUSY),
    account_id: key('a', BUSY),
    booking_schema: "'SIMPLE'",
    hold_id: key('h'),
    amount: '1',
    margin: '0',
    risk: '0',
  },
  execution_orders: {
    id: key('o'),
    execution_id: key('e'),
    hop_no: '1',
    venue_id: key('v', '1'),
    service_id: key('s', '1'),
    symbol: "'BTC/EUR'",
    base_asset: "'BTC'",
    quote_asset: "'EUR'",
    side: "'BUY'",
    type: "'MARKET'",
    tif_mode: "'IOC'",
    quantity: '1',
    state: "'FILLED'",
    client_order_id: "'co' || n",
    foreign_id: "'fo' || n",
    sent_at: 'n',
    system_created_at: '0',
    system_updated_at: '0',
  },
  fills: {
    id: key('f'),
    execution_id: key('e'),
    order_id: key('o'),
    hop_no: '1',
    service_id: key('s', '1'),
    venue_id: key('v', '1'),
    symbol: "'BTC/EUR'",
    base_asset: "'BTC'",
    quote_asset: "'EUR'",
    side: "'BUY'",
    price: '1',
    quantity: '1',
    volume: '1',
    fee: '0',
    fee_asset: "'EUR'",
    liquidity: "'TAKER'",
    foreign_id: "'ff' || n",
    executed_at: 'n',
    settlement_state: "'SETTLED'",
    system_created_at: '0',
    system_updated_at: '0',
  },
  job_runs: {
    id: key('j'),
    job_id: key('t', '1'),
    state: "'SKIPPED'",
    reason: "'BALANCE_NOT_DUE'",
    explanation: "'x'",
    scheduled_at: '0',
    started_at: '0',
    finished_at: '0',
    asset: "'EUR'",
    system_created_at: '0',
    system_updated_at: '0',
  },
  events: {
    sequence: 'n * 2',
    id: 'gen_random_uuid()',
    type: "'deposit.received'",
    resource_id: key('d'),
    occurred_at: 'n',
    data: "'{}'",
  },
  bookings: {
    sequence: 'n',
    id: key('b'),
    event_sequence: 'n * 2 - 1',
    batch_no: 'n',
    type: "'DEPOSIT'",
    asset: "'EUR'",
    value_date: 'n',
    booked_at: 'n',
    reference_type: "'deposit'",
    reference_id: key('d'),
  },
}

/** Kind, term, id and field of what search finds of row `n`. */
const TERMS = [
  ["'customer'", "'customer ' || n", key('c'), "'label'"],
  ["'customer'", 'n::text', key('c'), "'label'"],
  ["'wallet'", "'wallet ' || n", key('w'), "'label'"],
  ["'wallet'", "'iban' || n", key('w'), "'address'"],
  ["'deposit'", "'invoice ' || n", key('d'), "'reference_text'"],
  ["'deposit'", "'iban' || n % 7", key('d'), "'source_address'"],
  ["'deposit'", "'=1;'", key('d'), "'quantity'"],
  ["'withdrawal'", "'e' || n", key('x'), "'external_id'"],
]

/** Adds the rows from `from` to `to` of every table that grows with history. */
export async function growRows(
  owner: pg.Client,
  workspace: WorkspaceId,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const range = [workspace, from, to]
  for (const [table, row] of Object.entries(ROWS))
    await owner.query(
      `
        insert into ${table} (workspace, ${Object.keys(row).join(', ')})
        select $1::uuid, ${Object.values(row).join(', ')}
        from generate_series($2::int, $3::int) n`,
      range,
    )
  await owner.query(
    `
      insert into legs (
        workspace, booking_sequence, leg_no, account_id, type, quantity, balance_after,
        booking_type
      )
      select $1::uuid, n, l, ${key('a', 'n % 500')},
        case l when 1 then 'DEBIT' else 'CREDIT' end, 1, 0, 'MANUAL'
      from generate_series($2::int, $3::int) n, generate_series(1, 2) l`,
    range,
  )
  const terms = `values ${TERMS.map((term) => `(${term.join(', ')})`).join(', ')}`
  await owner.query(
    `
      insert into search_terms (workspace, kind, term, id, field)
      select $1::uuid, t.kind, t.term, t.id, t.field
      from generate_series($2::int, $3::int) n
      cross join lateral (${terms}) as t (kind, term, id, field)`,
    range,
  )
  await owner.query('vacuum analyze')
}
