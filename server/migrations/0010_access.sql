-- A workspace is a tenant; its own id is also its `workspace`.
create table workspaces (
  id uuid primary key,
  name text not null unique,
  settings jsonb not null default '{}',
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1
);

-- email is stored in lower case and unique over all workspaces: login names no workspace.
-- access_epoch is the number of the last change that must end cached permissions.
create table users (
  workspace uuid not null,
  id uuid not null,
  email text not null,
  name text,
  password_hash text not null,
  roles text[] not null,
  state text not null check (state in ('ACTIVE', 'DISABLED')),
  must_change_password boolean not null,
  last_login_at bigint,
  access_epoch bigint not null default 0,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index users_email on users (email);
-- Read by every process about once a second, over all workspaces.
create index users_access_epoch on users (access_epoch);

-- One row. Its lock orders the changes, so that a reader who saw number n has seen every number below.
create table access_epoch (
  only_row boolean primary key default true check (only_row),
  epoch bigint not null
);
insert into access_epoch (epoch) values (0);

-- Found by the id in the token, before a workspace is known.
create table sessions (
  id uuid primary key,
  workspace uuid not null,
  user_id uuid not null,
  refresh_hash bytea not null,
  created_at bigint not null,
  expires_at bigint not null,
  revoked_at bigint
);
create index sessions_user on sessions (workspace, user_id);
create index sessions_expires on sessions (expires_at);

-- Failed logins by e-mail, whether a user has it or not: an answer never tells which.
create table login_failures (
  email text primary key,
  failures integer not null,
  failed_at bigint not null,
  blocked_until bigint not null
);
create index login_failures_failed on login_failures (failed_at);

-- Ed25519 keys of the tokens, PEM. Every process signs with the newest and verifies with all, so they live here and not
-- in a folder of one machine: who reads this table can make tokens. Backups of the database need the same care.
create table signing_keys (
  id uuid primary key,
  private_key text not null,
  public_key text not null,
  created_at bigint not null
);
