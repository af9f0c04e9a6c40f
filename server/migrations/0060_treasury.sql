create table wallets (
  workspace uuid not null,
  id uuid not null,
  type text not null check (type in ('VENUE', 'CUSTOMER')),
  asset text not null,
  address text not null,
  label text not null,
  service_id uuid,
  venue_id uuid,
  account_id uuid not null,
  customer_id uuid,
  access_type text not null check (access_type in ('EXTERNAL', 'INTERNAL')),
  configuration jsonb not null default '{}',
  foreign_id text,
  reference_text text,
  state text not null check (state in ('ACTIVE')),
  -- Where the wallet is inside its venue (VenueBalance.wallet); null where the venue has one pot.
  venue_wallet text,
  protocol text,
  -- Movements before this time (ms) are part of the opening balance; null: those the venue showed when it was connected.
  integrate_from bigint,
  -- Set on what the configuration file declares: its name there, and the hash of what was last applied.
  key text,
  declared_hash text,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check ((venue_id is null) = (service_id is null) and (venue_id is null) = (access_type = 'EXTERNAL')),
  check (type = 'CUSTOMER' or venue_id is not null),
  check ((customer_id is not null) = (type = 'CUSTOMER'))
);
create unique index wallets_key on wallets (workspace, key) where key is not null;
create index wallets_address on wallets (workspace, address, id);
create index wallets_venue on wallets (workspace, venue_id, id) where venue_id is not null;
create index wallets_service on wallets (workspace, service_id, id) where service_id is not null;
create index wallets_customer on wallets (workspace, customer_id, id) where customer_id is not null;
create index wallets_foreign on wallets (workspace, foreign_id, id) where foreign_id is not null;
create index wallets_reference on wallets (workspace, reference_text, id) where reference_text is not null;

-- transfer is {from: {field: text}, to: {field: text}}: the fields that the sending venue declares.
create table treasury_routes (
  workspace uuid not null,
  id uuid not null,
  label text not null,
  from_wallet_id uuid not null,
  to_wallet_id uuid not null,
  protocol text not null,
  transfer jsonb not null,
  settlement jsonb not null default '{}',
  allowlist_state text not null check (allowlist_state in ('NOT_REQUESTED', 'PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'FAILED', 'REMOVED')),
  -- Our reference of the request to the venue; null again when the destination changes, so that a late answer is not taken for the new one.
  allow_external_id uuid,
  allow_reason text,
  state text not null check (state in ('ACTIVE')),
  key text,
  declared_hash text,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  foreign key (workspace, from_wallet_id) references wallets (workspace, id),
  foreign key (workspace, to_wallet_id) references wallets (workspace, id)
);
create unique index treasury_routes_key on treasury_routes (workspace, key) where key is not null;
create index treasury_routes_from on treasury_routes (workspace, from_wallet_id, id);
create index treasury_routes_to on treasury_routes (workspace, to_wallet_id, id);
create index treasury_routes_protocol on treasury_routes (workspace, protocol, id);

-- What we told as the fee, so that a withdrawal may name it for ten minutes.
create table fee_estimates (
  workspace uuid not null,
  id uuid not null,
  route_id uuid not null,
  speed_level text not null check (speed_level in ('DEFAULT', 'FAST', 'SLOW')),
  asset text not null,
  fee numeric(38, 18) not null check (fee >= 0),
  estimated_at bigint not null,
  primary key (workspace, id)
);
create index fee_estimates_route on fee_estimates (workspace, route_id, speed_level, estimated_at);

-- What a venue held of an asset when it was connected, less what counts as deposits since `integrate_from` (so it may be
-- negative): booked as OPENING exactly once. No row: not connected yet.
create table venue_openings (
  workspace uuid not null,
  venue_id uuid not null,
  asset text not null,
  quantity numeric(38, 18) not null,
  booking_id uuid,
  opened_at bigint not null,
  primary key (workspace, venue_id, asset)
);

-- Incoming movements that are inside an opening balance: they never become deposits.
create table opening_movements (
  workspace uuid not null,
  venue_id uuid not null,
  foreign_id text not null,
  primary key (workspace, venue_id, foreign_id)
);
