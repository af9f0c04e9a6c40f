-- Trades at venues that are paid after the trade. A settlement claims fills and nets them per venue and asset.
create table settlements (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('PREPARING', 'READY', 'TRANSFERRING', 'PARTIALLY_SETTLED', 'SETTLED', 'FAILED', 'CANCELED')),
  timerange_from bigint not null,
  timerange_to bigint not null,
  -- [{venue_id, asset, quantity, direction}] of the fills it holds, recomputed in the change that takes some in or out.
  nets jsonb not null,
  reason text,
  completed_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check (timerange_from < timerange_to)
);
create index settlements_state on settlements (workspace, state, id);

-- Which fill it holds or once held. `live`: it does; at most one at a time, whoever asks first.
create table settlement_fills (
  workspace uuid not null,
  settlement_id uuid not null,
  fill_id uuid not null,
  live boolean not null,
  primary key (workspace, settlement_id, fill_id),
  foreign key (workspace, settlement_id) references settlements (workspace, id)
);
create unique index settlement_fills_live on settlement_fills (workspace, fill_id) where live;

-- How a net is paid: OUTGOING by a withdrawal of ours, INCOMING by the venue's payment to one of our wallets.
create table settlement_parts (
  workspace uuid not null,
  id uuid not null,
  settlement_id uuid not null,
  part_no smallint not null,
  state text not null check (state in ('OPEN', 'INITIATED', 'SUCCESS', 'FAILED', 'CONFIRMED_MANUALLY')),
  venue_id uuid not null,
  asset text not null,
  quantity numeric(38, 18) not null check (quantity > 0),
  direction text not null check (direction in ('OUTGOING', 'INCOMING')),
  route_id uuid,
  withdrawal_id uuid,
  deposit_id uuid,
  reason text,
  note text,
  confirmed_by text,
  initiated_at bigint,
  completed_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  foreign key (workspace, settlement_id) references settlements (workspace, id)
);
create index settlement_parts_settlement on settlement_parts (workspace, settlement_id, part_no);

alter table fills add column settlement_id uuid;
alter table fills drop constraint fills_settlement_state_check;
alter table fills add constraint fills_settlement_state_check check (settlement_state in ('UNSETTLED', 'IN_SETTLEMENT', 'SETTLED'));
create index fills_unsettled on fills (workspace, executed_at) where settlement_state = 'UNSETTLED';
create index fills_settlement on fills (workspace, settlement_id) where settlement_id is not null;

alter table withdrawals add column settlement_id uuid;
alter table deposits add column settlement_id uuid;

-- What somebody outside is to pay into a wallet of ours: its arrival belongs to the counter account and needs no assignment.
create table expected_arrivals (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('EXPECTED', 'ARRIVED', 'DROPPED')),
  wallet_id uuid not null,
  asset text not null,
  quantity numeric(38, 18) not null check (quantity > 0),
  -- The account that a bank's payment comes from, where it is known.
  source_address text,
  counter_account_id uuid not null,
  settlement_id uuid not null,
  deposit_id uuid,
  expected_since bigint not null,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create index expected_arrivals_wallet on expected_arrivals (workspace, wallet_id, asset) where state = 'EXPECTED';
create index expected_arrivals_account on expected_arrivals (workspace, counter_account_id) where state = 'EXPECTED';
create index expected_arrivals_deposit on expected_arrivals (workspace, deposit_id) where deposit_id is not null;
