-- Assets a workspace deals in; scale is the number of fraction digits that requests and customers' legs may carry.
create table assets (
  workspace uuid not null,
  code text not null,
  label text not null,
  kind text not null check (kind in ('FIAT', 'CRYPTO')),
  scale smallint not null check (scale between 0 and 18),
  circulating_supply numeric(38, 0),
  primary key (workspace, code)
);

create table accounts (
  workspace uuid not null,
  id uuid not null,
  type text not null check (type in ('CUSTOMER', 'VENUE', 'TRADING', 'HOUSE', 'SUSPENSE', 'TRANSIT', 'MARGIN', 'RISK', 'FEE', 'ROUNDING')),
  label text not null,
  customer_id uuid,
  venue_id uuid,
  foreign_id text,
  -- The customer's ignore_balance_check: debits are not bounded.
  overdraft boolean not null default false,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check ((customer_id is not null) = (type = 'CUSTOMER')),
  check ((venue_id is not null) = (type in ('VENUE', 'TRADING')))
);
create unique index accounts_house on accounts (workspace, type) where customer_id is null and venue_id is null;
create unique index accounts_venue on accounts (workspace, venue_id, type) where venue_id is not null;
create unique index accounts_customer on accounts (workspace, customer_id) where customer_id is not null;

-- total is in the account's normal sign. floor null: unbounded. A fact that goes below lowers the floor.
create table balances (
  workspace uuid not null,
  account_id uuid not null,
  asset text not null,
  total numeric(38, 18) not null,
  held_withdrawal numeric(38, 18) not null,
  held_trading numeric(38, 18) not null,
  floor numeric(38, 18),
  primary key (workspace, account_id, asset),
  check (held_withdrawal >= 0 and held_trading >= 0),
  check (floor is null or total - held_withdrawal - held_trading >= floor)
) with (fillfactor = 50);

create table lanes (
  workspace uuid primary key,
  booking_sequence bigint not null,
  event_sequence bigint not null,
  batch_no bigint not null,
  last_hash bytea not null,
  committed_at bigint not null
) with (fillfactor = 50);

-- The last transaction of each process that writes the lane, with or without bookings: tells a writer whose connection
-- died at COMMIT whether it had committed, also when others have committed since.
create table lane_writers (
  workspace uuid not null,
  writer uuid not null,
  last_commit_id uuid not null,
  committed_at bigint not null,
  primary key (workspace, writer)
) with (fillfactor = 50);

create table batches (
  workspace uuid not null,
  batch_no bigint not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  previous_hash bytea not null,
  hash bytea not null,
  committed_at bigint not null,
  primary key (workspace, batch_no)
);
create index batches_committed on batches (workspace, committed_at, batch_no);

create table bookings (
  workspace uuid not null,
  sequence bigint not null,
  id uuid not null,
  event_sequence bigint not null,
  batch_no bigint not null,
  type text not null check (type in ('OPENING', 'DEPOSIT', 'DEPOSIT_ASSIGNMENT', 'WITHDRAWAL', 'WITHDRAWAL_ASSIGNMENT', 'WITHDRAWAL_FEE',
    'TRANSFER', 'TRANSFER_FEE', 'EXECUTION', 'TRADING_FEE', 'SETTLEMENT', 'RECTIFICATION', 'REVERSAL', 'ROUNDING', 'MANUAL')),
  asset text not null,
  value_date bigint not null,
  booked_at bigint not null,
  reference_type text,
  reference_id uuid,
  description text,
  reverses_id uuid,
  booked_by text,
  primary key (workspace, sequence)
);
create unique index bookings_id on bookings (workspace, id);
create index bookings_type on bookings (workspace, type, sequence);
create index bookings_reference on bookings (workspace, reference_id, sequence) where reference_id is not null;

create table legs (
  workspace uuid not null,
  booking_sequence bigint not null,
  leg_no smallint not null,
  account_id uuid not null,
  type text not null check (type in ('DEBIT', 'CREDIT')),
  quantity numeric(38, 18) not null check (quantity > 0),
  balance_after numeric(38, 18) not null,
  primary key (workspace, booking_sequence, leg_no)
);
create index legs_account on legs (workspace, account_id, booking_sequence);

create table holds (
  workspace uuid not null,
  id uuid not null,
  kind text not null check (kind in ('WITHDRAWAL', 'TRADING')),
  account_id uuid not null,
  asset text not null,
  quantity numeric(38, 18) not null check (quantity > 0),
  captured numeric(38, 18) not null default 0 check (captured >= 0),
  released numeric(38, 18) not null default 0 check (released >= 0),
  state text not null check (state in ('OPEN', 'ENDED')),
  cause_type text not null,
  cause_id uuid not null,
  expires_at bigint,
  created_at bigint not null,
  primary key (workspace, id),
  check (case state when 'OPEN' then captured + released < quantity else captured + released = quantity end)
) with (fillfactor = 70);
create index holds_cause on holds (workspace, cause_id);
create index holds_open on holds (workspace, account_id, asset) where state = 'OPEN';
-- Found across workspaces by the worker that releases what expired.
create index holds_expiring on holds (expires_at) where state = 'OPEN' and expires_at is not null;

create table events (
  workspace uuid not null,
  sequence bigint not null,
  id uuid not null,
  type text not null,
  resource_id uuid not null,
  occurred_at bigint not null,
  data jsonb not null,
  primary key (workspace, sequence)
);
create index events_resource on events (workspace, resource_id, sequence);

-- Double entry, enforced where nobody can forget it: the legs of one statement balance per booking.
create function legs_balance() returns trigger language plpgsql as $$
begin
  if exists (
    select from new_legs group by workspace, booking_sequence
    having sum(case type when 'DEBIT' then quantity else -quantity end) <> 0 or count(*) < 2
  ) then
    raise exception 'the legs of a booking do not balance' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger legs_balance after insert on legs referencing new table as new_legs for each statement execute function legs_balance();

create trigger bookings_immutable before update or delete or truncate on bookings for each statement execute function refuse_change();
create trigger legs_immutable before update or delete or truncate on legs for each statement execute function refuse_change();
create trigger batches_immutable before update or delete or truncate on batches for each statement execute function refuse_change();
create trigger events_immutable before update or delete or truncate on events for each statement execute function refuse_change();

do $$
begin
  if exists (select from pg_roles where rolname = 'kontor') then
    revoke update, delete, truncate on bookings, legs, batches, events from kontor;
  end if;
end $$;
