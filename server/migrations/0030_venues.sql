-- Venues come from the configuration file, found again by `key`. config holds the adapter's options and where its secrets
-- lie (a file or an environment variable), never a secret.
create table venues (
  workspace uuid not null,
  id uuid not null,
  key text not null,
  label text not null,
  kind text not null check (kind in ('EXCHANGE', 'CUSTODY_VAULT', 'MANAGED_WALLET', 'BANK')),
  settlement text not null check (settlement in ('PREFUNDED', 'POST_TRADE')),
  -- CONNECTING until what the venue already holds is in the books; DISABLED when the configuration no longer names it.
  state text not null check (state in ('CONNECTING', 'CONNECTED', 'UNREACHABLE', 'DISABLED')),
  config jsonb not null,
  capabilities text[] not null default '{}',
  connected_at bigint,
  last_seen_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index venues_key on venues (workspace, key);

create table services (
  workspace uuid not null,
  id uuid not null,
  venue_id uuid not null,
  type text not null check (type in ('TOMS', 'WOMS', 'PRICE_STREAM')),
  state text not null check (state in ('RUNNING', 'DEGRADED', 'STOPPED')),
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  foreign key (workspace, venue_id) references venues (workspace, id)
);
create unique index services_venue on services (workspace, venue_id, type);

-- The last snapshot: what each venue said it holds. wallet and protocol are '' where the venue has none; an unknown
-- figure is null.
create table venue_balances (
  workspace uuid not null,
  venue_id uuid not null,
  wallet text not null,
  asset text not null,
  protocol text not null,
  free numeric(38, 18),
  used numeric(38, 18),
  total numeric(38, 18),
  primary key (workspace, venue_id, wallet, asset, protocol)
);

-- When the snapshot was taken, and what the venue deals in as it last said.
create table venue_snapshots (
  workspace uuid not null,
  venue_id uuid not null,
  balances_at bigint,
  protocols_at bigint,
  protocols jsonb,
  primary key (workspace, venue_id)
);
