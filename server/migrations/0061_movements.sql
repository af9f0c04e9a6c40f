-- address_key is the address in the one spelling that comparison uses; reference_key is lower case.
create table matchings (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('ACTIVE', 'DELETED')),
  resource_id uuid not null,
  type text not null check (type in ('DESTINATION_WITH_REFERENCE', 'DESTINATION_WITHOUT_REFERENCE', 'SOURCE_WITH_REFERENCE', 'SOURCE_WITHOUT_REFERENCE')),
  asset text not null,
  is_withdrawal_matching boolean not null,
  destination_address text,
  source_address text,
  reference text,
  address_key text not null,
  reference_key text,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index matchings_distinct on matchings (workspace, asset, is_withdrawal_matching, address_key, type, reference_key) nulls not distinct where state = 'ACTIVE';
create index matchings_account on matchings (workspace, resource_id, id) where state = 'ACTIVE';

create table withdrawals (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('PENDING', 'PENDING_REVIEW', 'UNKNOWN', 'SUCCESS', 'FAILED', 'REJECTED', 'CANCELED')),
  sub_state text,
  reason_code text,
  reason text,
  origin text not null check (origin in ('MANUAL', 'BATCH', 'JOB', 'SETTLEMENT', 'EXTERNAL')),
  route_id uuid,
  from_wallet_id uuid not null,
  to_wallet_id uuid,
  service_id uuid not null,
  venue_id uuid not null,
  asset text not null,
  protocol text not null,
  quantity numeric(38, 18) not null check (quantity > 0),
  fee numeric(38, 18),
  fee_asset text,
  fee_estimate numeric(38, 18),
  fee_borne_by text not null check (fee_borne_by in ('HOUSE', 'CUSTOMER')),
  speed_level text not null check (speed_level in ('DEFAULT', 'FAST', 'SLOW', 'CUSTOM')),
  destination_address text not null,
  tag text,
  reference_text text,
  note text,
  account_id uuid,
  -- Both wallets are ours and no account is named: the money stays with us, on TRANSIT while on the way.
  own_transfer boolean not null,
  external_id text not null,
  foreign_id text,
  transaction_hash text,
  confirmations integer,
  -- transfer.from and transfer.to of the route and the recipient, as they were when the withdrawal was made.
  source_wallet text,
  transfer jsonb not null,
  recipient_name text,
  -- Committed before the venue is called: from then on the request may have left.
  submitted_at bigint,
  completed_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check (foreign_id is null or submitted_at is not null)
);
create unique index withdrawals_external_id on withdrawals (workspace, venue_id, external_id);
create unique index withdrawals_foreign_id on withdrawals (workspace, venue_id, foreign_id) where foreign_id is not null;
create index withdrawals_state on withdrawals (workspace, state, id);
create index withdrawals_hash on withdrawals (workspace, transaction_hash) where transaction_hash is not null;
create index withdrawals_submitted on withdrawals (workspace, venue_id, submitted_at) where submitted_at is not null;
-- Own transfers that may still arrive at a wallet.
create index withdrawals_arriving on withdrawals (workspace, to_wallet_id, asset) where own_transfer;

create table deposits (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('PENDING', 'FAILED', 'REVERSED', 'UNASSIGNED', 'PARTIALLY_ASSIGNED', 'ASSIGNED', 'SUCCESSFUL', 'REJECTED')),
  reason_code text,
  reason text,
  service_id uuid not null,
  venue_id uuid not null,
  wallet_id uuid,
  asset text not null,
  protocol text,
  quantity numeric(38, 18) not null check (quantity > 0),
  -- quantity without what is finer than the asset's scale: what accounts can be assigned.
  assignable_quantity numeric(38, 18) not null,
  assigned_quantity numeric(38, 18) not null,
  foreign_id text not null,
  transaction_hash text,
  output_index integer,
  source_address text,
  destination_address text,
  tag text,
  reference_text text,
  counterparty jsonb,
  confirmations integer,
  required_confirmations integer,
  related_withdrawal_id uuid,
  related_external_id text,
  -- Final at the venue, and waiting to be matched and booked.
  final_at bigint,
  -- Arrival of an own transfer: it needs no assignment.
  own_transfer boolean not null default false,
  occurred_at bigint not null,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index deposits_foreign_id on deposits (workspace, service_id, foreign_id);
create index deposits_foreign on deposits (workspace, foreign_id, id);
create index deposits_state on deposits (workspace, state, id);
create index deposits_created on deposits (workspace, system_created_at, id);
create index deposits_related on deposits (workspace, related_withdrawal_id) where related_withdrawal_id is not null;

-- Of a deposit or of a withdrawal; state is the decision, shown as status.
create table assignments (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('PENDING', 'REJECTED', 'SUCCESSFUL')),
  deposit_id uuid,
  withdrawal_id uuid,
  account_id uuid not null,
  customer_id uuid not null,
  asset text not null,
  quantity numeric(38, 18) not null check (quantity > 0),
  source text not null check (source in ('MATCHING', 'ROUTE', 'MANUAL', 'RECTIFICATION')),
  matching_id uuid,
  rectification_id uuid,
  decided_by text,
  decided_at bigint,
  booked_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check ((deposit_id is null) <> (withdrawal_id is null))
);
create index assignments_deposit on assignments (workspace, deposit_id, id) where deposit_id is not null;
create index assignments_withdrawal on assignments (workspace, withdrawal_id, id) where withdrawal_id is not null;
create index assignments_account on assignments (workspace, account_id, id);

-- How far each venue's incoming movements have been read.
create table incoming_cursors (
  workspace uuid not null,
  venue_id uuid not null,
  cursor text,
  system_updated_at bigint not null,
  primary key (workspace, venue_id)
);
