-- How programs get in (server/src/access/api-keys.ts). `limits` is {assets, routes}: the most of each asset for one
-- transaction and for one day, amounts as text, and the routes; null means any. access_epoch as in users.
create table api_keys (
  workspace uuid not null,
  id uuid not null,
  label text not null,
  state text not null check (state in ('ACTIVE', 'REVOKED')),
  permissions text[] not null,
  networks text[] not null,
  limits jsonb not null,
  expires_at bigint not null,
  access_epoch bigint not null default 0,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index api_keys_label on api_keys (workspace, label) where state = 'ACTIVE';
-- Read by every process about once a second, over all workspaces.
create index api_keys_access_epoch on api_keys (access_epoch);

-- What a program sends, as its hash: 40 random characters cannot be guessed, so a plain hash will do. Found by it before
-- a workspace is known. During a rotation a key has two.
create table api_key_secrets (
  id uuid primary key,
  workspace uuid not null,
  key_id uuid not null,
  hash bytea not null,
  hint text not null,
  created_at bigint not null,
  -- Null: with the key.
  expires_at bigint,
  last_used_at bigint,
  last_used_address text,
  foreign key (workspace, key_id) references api_keys (workspace, id)
);
create unique index api_key_secrets_hash on api_key_secrets (hash);
create index api_key_secrets_key on api_key_secrets (workspace, key_id, id);

-- What each key has moved on a day (midnight, UTC), written by the lane with what moved it.
create table api_key_spending (
  workspace uuid not null,
  key_id uuid not null,
  day bigint not null,
  asset text not null,
  quantity numeric(38, 18) not null,
  primary key (workspace, key_id, day, asset)
);
create index api_key_spending_day on api_key_spending (day);
