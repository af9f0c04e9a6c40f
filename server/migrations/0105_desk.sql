-- What a person has halted; null venue_id or asset: all of them. Released ones stay as the record of who did what.
create table brakes (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('SET', 'RELEASED')),
  action text not null check (action in ('WITHDRAWALS', 'TRADING')),
  venue_id uuid,
  asset text,
  reason text not null,
  set_by text not null,
  set_at bigint not null,
  released_by text,
  released_at bigint,
  release_reason text,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check ((state = 'RELEASED') = (released_at is not null))
);
create unique index brakes_set on brakes (workspace, action, venue_id, asset) nulls not distinct where state = 'SET';
create index brakes_state on brakes (workspace, state, id);

-- A frozen account gives nothing by a command; what happens at a venue is booked all the same.
alter table accounts add column frozen boolean not null default false;
alter table accounts add column frozen_reason text;

-- What the last comparison of a venue's asset with the books found. One row each, however long it goes on.
create table positions (
  workspace uuid not null,
  venue_id uuid not null,
  asset text not null,
  ledger numeric(38, 18) not null,
  venue numeric(38, 18) not null,
  on_the_way numeric(38, 18) not null,
  difference numeric(38, 18) not null,
  -- [{wallet, total}] inside the venue, where it tells them apart.
  wallets jsonb not null,
  -- Since when just this difference is seen.
  since bigint not null,
  compared_at bigint not null,
  -- The difference that somebody closed a break over: it opens none again.
  accepted numeric(38, 18) not null default 0,
  primary key (workspace, venue_id, asset)
) with (fillfactor = 70);

-- What each venue held, stored when it had changed.
create table position_snapshots (
  workspace uuid not null,
  venue_id uuid not null,
  asset text not null,
  taken_at bigint not null,
  total numeric(38, 18) not null,
  wallets jsonb not null,
  primary key (workspace, venue_id, asset, taken_at)
);

create table breaks (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('OPEN', 'CLOSED')),
  venue_id uuid not null,
  asset text not null,
  ledger numeric(38, 18) not null,
  venue numeric(38, 18) not null,
  on_the_way numeric(38, 18) not null,
  difference numeric(38, 18) not null,
  cause text not null check (cause in ('OPENING', 'TIMING', 'FEE', 'UNMATCHED', 'UNKNOWN')),
  explanation text not null,
  cause_resource_id uuid,
  first_seen_at bigint not null,
  last_seen_at bigint not null,
  closed_at bigint,
  closed_by text,
  closed_reason text check (closed_reason in ('RESOLVED', 'BY_HAND')),
  note text,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check ((state = 'CLOSED') = (closed_at is not null) and (state = 'CLOSED') = (closed_reason is not null)),
  check (closed_reason is distinct from 'BY_HAND' or note is not null)
);
create unique index breaks_open on breaks (workspace, venue_id, asset) where state = 'OPEN';
create index breaks_state on breaks (workspace, state, id);
create index breaks_venue on breaks (workspace, venue_id, id);
create index breaks_asset on breaks (workspace, asset, id);

-- Orders whose fills may not be in the books yet.
create index execution_orders_live on execution_orders (workspace, venue_id) where state in ('PENDING_NEW', 'NEW', 'PARTIALLY_FILLED', 'PENDING_CANCEL', 'UNKNOWN');
