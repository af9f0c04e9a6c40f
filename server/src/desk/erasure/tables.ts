/**
 * Every table of the database: how long its rows are kept, what of customers stands where, and what
 * an erasure leaves of it. A column of text that is in no category fails a test, so does a table
 * that is missing. docs/generated/tables.md is written from here.
 */
import { CLOSING_TABLES } from './closing-tables.ts'
import { POLICY_TABLES } from './policy-tables.ts'
import { SCREENING_TABLES } from './screening-tables.ts'
import { SIGN_IN_TABLES } from './sign-in-tables.ts'

/**
 * How a column loses its text.
 * - `word`: a word stands there instead.
 * - `none`, `list`: nothing stands there, or an empty list.
 * - `texts`: in JSON, a word for each text.
 * - `payments`: in JSON, a word for the texts that payments carry.
 * - `digest`: a digest stays, as which the chain of hashes holds it.
 * - `row`: the row goes.
 * - `outside`, `outside_texts`: a word, where the wallet is not at one of our venues.
 * - `passing`: it goes by itself, with the row.
 */
export type Way = 'passing' | 'row' | 'digest' | SetWay
type SetWay = 'word' | 'none' | 'list' | 'texts' | 'payments' | 'outside' | 'outside_texts'

type TableFacts = {
  kept: string
  /** Texts of customers, and how an erasure takes them out. */
  customers?: Readonly<Record<string, Way>>
  /** Texts about those who work with Kontor. */
  staff?: readonly string[]
  /** Texts that name no customer: words of ours, codes, figures, what a venue calls things. */
  plain?: readonly string[]
}

const FOR_GOOD = 'for good'
const CURRENT = 'the last state only'

/** Names nobody, in whatever table. */
export const PLAIN_EVERYWHERE: ReadonlySet<string> = new Set([
  'asset',
  'base_asset',
  'cause',
  'direction',
  'fee_asset',
  'kind',
  'protocol',
  'quote_asset',
  'reason_code',
  'side',
  'state',
  'symbol',
  'type',
  'value_date',
])

/** Users and parts of the service, by their id or name. */
export const STAFF_EVERYWHERE = /^system_(created|updated)_by$|_by$/

export const TABLES: Readonly<Record<string, TableFacts>> = {
  access_epoch: { kept: CURRENT },
  accounts: {
    kept: FOR_GOOD,
    customers: { label: 'word', foreign_id: 'none', frozen_reason: 'word' },
  },
  aggregators: { kept: CURRENT, plain: ['config', 'error'] },
  api_key_secrets: {
    kept: 'until 90 days after it ended',
    staff: ['last_used_address'],
    plain: ['hash', 'hint'],
  },
  api_key_spending: { kept: '90 days' },
  api_keys: {
    kept: 'for good; revoked ones are marked',
    plain: ['label', 'permissions', 'networks', 'limits'],
  },
  attachments: {
    kept: 'for good; deleted ones lose their content',
    customers: { name: 'word', sha256: 'word', content: 'none' },
    plain: ['media_type'],
  },
  assets: { kept: FOR_GOOD, plain: ['code', 'label'] },
  assignments: { kept: FOR_GOOD, plain: ['source'] },
  balance_marks: { kept: FOR_GOOD },
  balances: { kept: CURRENT },
  batch_requests: { kept: FOR_GOOD, customers: { request: 'payments', bundle_key: 'word' } },
  batches: { kept: FOR_GOOD, plain: ['hash', 'previous_hash'] },
  book_marks: { kept: FOR_GOOD },
  book_transfers: {
    kept: FOR_GOOD,
    customers: { reason: 'word', waits_for: 'word', canceled_reason: 'word' },
  },
  bookings: {
    kept: FOR_GOOD,
    customers: { description: 'digest' },
    plain: ['reference_type', 'description_salt', 'description_digest'],
  },
  ...CLOSING_TABLES,
  ...POLICY_TABLES,
  ...SCREENING_TABLES,
  ...SIGN_IN_TABLES,
  brakes: { kept: FOR_GOOD, plain: ['action', 'reason', 'release_reason'] },
  breaks: { kept: FOR_GOOD, plain: ['explanation', 'closed_reason', 'note', 'wallet'] },
  comments: {
    kept: 'for good; deleted ones lose their text',
    customers: { text: 'word' },
    staff: ['mentions'],
  },
  credential_nonces: { kept: CURRENT, plain: ['credential'] },
  customers: {
    kept: 'for good; deleted ones are marked',
    customers: {
      label: 'word',
      first_name: 'word',
      last_name: 'word',
      company_name: 'word',
      joint_name: 'word',
      foreign_id: 'none',
      investment_entity_ids: 'list',
      notification_recipients: 'list',
    },
    plain: ['booking_schema', 'language', 'margin', 'time_zone'],
  },
  daily_prices: { kept: FOR_GOOD, plain: ['day', 'source', 'timing'] },
  deposits: {
    kept: FOR_GOOD,
    customers: {
      source_address: 'word',
      tag: 'word',
      reference_text: 'word',
      reason: 'word',
      counterparty: 'texts',
    },
    plain: [
      'carried_external_id',
      'destination_address',
      'foreign_id',
      'related_external_id',
      'transaction_hash',
      'venue_wallet',
    ],
  },
  erasures: { kept: FOR_GOOD, plain: ['reason'] },
  event_batches: { kept: FOR_GOOD, plain: ['hash', 'previous_hash'] },
  events: { kept: FOR_GOOD, customers: { data: 'digest' } },
  execution_customers: { kept: FOR_GOOD, plain: ['booking_schema'] },
  execution_orders: {
    kept: FOR_GOOD,
    customers: { evidence: 'word', contradiction: 'word' },
    plain: ['client_order_id', 'foreign_id', 'reason', 'sent_over', 'tif_mode'],
  },
  executions: {
    kept: FOR_GOOD,
    customers: { client_ref: 'word' },
    plain: [
      'best_execution',
      'execution_type',
      'hops',
      'internal_ref',
      'mode',
      'reason',
      'stop_order_condition',
      'tif_mode',
    ],
  },
  expected_arrivals: { kept: FOR_GOOD },
  fee_estimates: {
    kept: 'until the next estimate, and while it may be used',
    plain: ['speed_level'],
  },
  fills: { kept: FOR_GOOD, plain: ['foreign_id', 'liquidity', 'settlement_state'] },
  head_deliveries: { kept: FOR_GOOD, staff: ['recipient'], plain: ['reason', 'target'] },
  heads: { kept: FOR_GOOD, plain: ['day', 'hash', 'signature', 'signed'] },
  history: { kept: CURRENT, plain: ['earlier', 'set_back_reason', 'work_server'] },
  holds: { kept: FOR_GOOD, plain: ['cause_type'] },
  idempotency_keys: {
    kept: '24 hours',
    customers: { reply: 'passing' },
    plain: ['key', 'request_hash'],
  },
  incoming_cursors: { kept: CURRENT, plain: ['cursor'] },
  job_runs: { kept: FOR_GOOD, plain: ['explanation', 'reason'] },
  job_schedules: { kept: CURRENT },
  job_turns: { kept: CURRENT },
  lane_writers: { kept: 'a day after its last booking' },
  lanes: { kept: CURRENT, plain: ['last_hash'] },
  legs: { kept: FOR_GOOD, plain: ['booking_type'] },
  login_networks: { kept: '90 days', staff: ['email', 'network'] },
  login_throttles: { kept: '2 hours', staff: ['subject'] },
  mail_cursors: { kept: CURRENT },
  mails: {
    kept: FOR_GOOD,
    customers: { recipient: 'row', subject: 'row', body: 'row', reason: 'row' },
    plain: ['event_type'],
  },
  news_marks: { kept: CURRENT, plain: ['list'] },
  notification_cursors: { kept: CURRENT },
  notification_mails: { kept: '90 days', staff: ['reason'] },
  notification_preferences: { kept: CURRENT, plain: ['language', 'time_zone', 'ways'] },
  notifications: { kept: '90 days', plain: ['event_type', 'record_kind'] },
  matchings: {
    kept: 'for good; deleted ones are marked',
    customers: {
      destination_address: 'word',
      source_address: 'word',
      reference: 'word',
      address_key: 'word',
      reference_key: 'word',
    },
  },
  opening_movements: { kept: FOR_GOOD, plain: ['amounts', 'foreign_id'] },
  outgoing_cursors: { kept: CURRENT, plain: ['cursor'] },
  payments: {
    kept: FOR_GOOD,
    customers: {
      reason: 'word',
      reference: 'word',
      purpose: 'word',
      note: 'word',
      client_ref: 'word',
    },
    plain: ['speed_level', 'destination_digest'],
  },
  position_marks: { kept: FOR_GOOD },
  position_readings: { kept: CURRENT },
  position_snapshots: { kept: 'each change of what a venue holds', plain: ['wallets'] },
  positions: { kept: 'the last comparison', plain: ['wallet', 'wallets'] },
  price_mids: { kept: 'two hours' },
  price_stream_routes: { kept: FOR_GOOD, plain: ['hops', 'key', 'label', 'margin'] },
  proof_nodes: { kept: FOR_GOOD, plain: ['hash', 'nonce'] },
  proof_trees: { kept: FOR_GOOD, plain: ['held', 'root'] },
  proofs: { kept: FOR_GOOD, plain: ['books_hash', 'salt'] },
  quotes: {
    kept: '24 to 31 hours after its end: then its partition is dropped',
    plain: ['buy', 'execution_type', 'request_asset', 'request_side', 'risk_source', 'sell'],
  },
  record_tags: { kept: 'until it is taken off', customers: { tag: 'row' } },
  rectifications: {
    kept: FOR_GOOD,
    customers: { note: 'word' },
    plain: ['origin_ids', 'reason', 'target_ids'],
  },
  resealed_batches: { kept: FOR_GOOD, plain: ['hash'] },
  schema_migrations: { kept: FOR_GOOD, plain: ['hash', 'name', 'release'] },
  search_terms: { kept: 'as the record that it finds', plain: ['field', 'term'] },
  security_log: {
    kept: FOR_GOOD,
    staff: ['actor', 'address', 'agent', 'details', 'email'],
    plain: ['operation'],
  },
  security_log_batches: { kept: FOR_GOOD, plain: ['hash', 'previous_hash'] },
  security_log_places: { kept: FOR_GOOD },
  services: { kept: FOR_GOOD },
  account_mails: { kept: '90 days', staff: ['reason'], plain: ['token_hashes'] },
  recovery_codes: { kept: CURRENT, plain: ['hash'] },
  passkey_challenges: { kept: '5 minutes', plain: ['challenge'] },
  user_factors: {
    kept: CURRENT,
    staff: ['label'],
    plain: ['credential_id', 'public_key', 'secret', 'transports'],
  },
  set_aside_items: {
    kept: FOR_GOOD,
    customers: { raw: 'word', reason: 'word', note: 'word' },
    plain: ['foreign_id'],
  },
  set_aside_likenesses: { kept: FOR_GOOD, customers: { names: 'list' }, plain: ['day'] },
  settlement_fills: { kept: FOR_GOOD },
  settlement_parts: { kept: FOR_GOOD, plain: ['note', 'reason'] },
  settlements: { kept: FOR_GOOD, plain: ['corrections', 'nets', 'reason'] },
  signing_keys: {
    kept: 'until 90 days after the next one signs',
    plain: ['private_key', 'public_key', 'wrapped_key'],
  },
  supplies: { kept: CURRENT, plain: ['coin'] },
  taken_quotes: {
    kept: FOR_GOOD,
    plain: ['buy', 'execution_type', 'request_asset', 'request_side', 'risk_source', 'sell'],
  },
  tasks: { kept: 'until it is done', customers: { last_error: 'passing' } },
  trade_cursors: { kept: CURRENT, plain: ['cursor'] },
  transfer_jobs: { kept: FOR_GOOD, plain: ['condition_type', 'conditions', 'speed_level'] },
  treasury_routes: {
    kept: FOR_GOOD,
    customers: { label: 'word', transfer: 'texts', allow_reason: 'word' },
    plain: ['allowlist_state', 'declared_hash', 'key', 'settlement'],
  },
  trial_marks: { kept: FOR_GOOD, plain: ['account_type'] },
  users: {
    kept: 'for good; disabled ones are marked',
    staff: ['email', 'name', 'password_hash', 'roles'],
  },
  venue_balances: { kept: CURRENT, plain: ['wallet'] },
  venue_lease: { kept: CURRENT, plain: ['process'] },
  venue_openings: { kept: FOR_GOOD },
  venue_questions: {
    kept: 'seconds',
    customers: { question: 'passing', asked: 'passing', answer: 'passing' },
  },
  venue_snapshots: { kept: CURRENT, plain: ['protocols'] },
  declaration_changes: {
    kept: FOR_GOOD,
    plain: ['after', 'before', 'hand', 'kept_against', 'key'],
  },
  declarations: { kept: CURRENT, plain: ['file', 'hand', 'key', 'value'] },
  brand_logos: { kept: FOR_GOOD, plain: ['content', 'name'] },
  venue_secrets: { kept: CURRENT, plain: ['name', 'target', 'wrapped'] },
  setting_changes: { kept: FOR_GOOD, plain: ['after', 'before', 'hand', 'kept_against', 'key'] },
  settings_in_file: { kept: CURRENT, plain: ['key', 'value'] },
  venues: {
    kept: FOR_GOOD,
    plain: [
      'capabilities',
      'config',
      'fault',
      'key',
      'label',
      'payout_ibans',
      'settlement',
      'unserved',
    ],
  },
  views: { kept: 'until it is deleted', staff: ['name', 'query'], plain: ['list'] },
  wallet_positions: { kept: CURRENT, plain: ['wallet'] },
  wallets: {
    kept: FOR_GOOD,
    customers: {
      label: 'word',
      reason: 'word',
      address: 'outside',
      foreign_id: 'outside',
      reference_text: 'outside',
      configuration: 'outside_texts',
    },
    plain: ['access_type', 'declared_hash', 'key', 'venue_wallet'],
  },
  webhook_attempts: {
    kept: 'as the delivery that it is of',
    customers: {
      request_headers: 'passing',
      response_headers: 'passing',
      response_body: 'passing',
    },
    plain: ['reason', 'url'],
  },
  webhook_deliveries: { kept: '30 days after its end', plain: ['event_type', 'reason'] },
  webhook_progress: { kept: CURRENT },
  webhook_redeliveries: { kept: 'until it is done' },
  webhooks: {
    kept: 'for good; deleted ones are marked',
    plain: [
      'former_wrapped_secret',
      'label',
      'pause_cause',
      'pause_reason',
      'types',
      'url',
      'wrapped_secret',
    ],
  },
  withdrawal_charges: { kept: FOR_GOOD, plain: ['foreign_id'] },
  withdrawal_batches: { kept: FOR_GOOD, plain: ['sums'] },
  withdrawals: {
    kept: FOR_GOOD,
    customers: {
      destination_address: 'word',
      recipient_name: 'word',
      payee_name: 'word',
      tag: 'word',
      reference_text: 'word',
      note: 'word',
      client_ref: 'word',
      purpose: 'word',
      reason: 'word',
      evidence: 'word',
      review_reason: 'word',
      transfer: 'texts',
      stakes: 'payments',
    },
    plain: [
      'counted',
      'execution_date',
      'external_id',
      'foreign_id',
      'former_transactions',
      'origin',
      'payee_check',
      'review_decision',
      'sent_over',
      'source_wallet',
      'speed_level',
      'sub_state',
      'transaction_hash',
    ],
  },
  workspaces: { kept: FOR_GOOD, plain: ['name', 'settings'] },
}
