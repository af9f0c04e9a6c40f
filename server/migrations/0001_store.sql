-- The service's own role owns nothing: it cannot alter a table, and what is immutable it may only insert and read.
-- On an operator's server the owner may lack the right to create roles; the immutability triggers hold there too.
do $$
begin
  if not exists (select from pg_roles where rolname = 'kontor') then
    create role kontor nologin;
  end if;
exception when insufficient_privilege or duplicate_object or unique_violation then
  null;
end $$;

do $$
begin
  if current_user <> 'kontor' and exists (select from pg_roles where rolname = 'kontor') then
    execute format('grant kontor to %I', current_user);
  end if;
exception when insufficient_privilege then
  null;
end $$;

do $$
begin
  if exists (select from pg_roles where rolname = 'kontor') then
    grant usage on schema public to kontor;
    alter default privileges in schema public grant select, insert, update, delete on tables to kontor;
    alter default privileges in schema public grant usage on sequences to kontor;
  end if;
end $$;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed or deleted', tg_table_name;
end $$;

-- Due work: one row per thing that must be looked at again. due_at is domain time (ms), leases are database time.
-- Found across workspaces by the workers: the index leads with due_at, not with the workspace.
create table tasks (
  workspace uuid not null,
  kind text not null,
  subject_id uuid not null,
  due_at bigint not null,
  attempts integer not null default 0,
  fence bigint not null default 0,
  leased_until timestamptz,
  -- the earliest due_at asked for while leased: a reason to run once more
  put_at bigint,
  last_error text,
  primary key (workspace, kind, subject_id)
) with (fillfactor = 70);
create index tasks_due on tasks (due_at);

-- Replays of requests that carried an Idempotency-Key. reply is null while the first runs, or when reply_id names the
-- booking that is the reply.
create table idempotency_keys (
  workspace uuid not null,
  key text not null,
  request_hash bytea not null,
  state text not null check (state in ('RUNNING', 'DONE')),
  reply jsonb,
  reply_id uuid,
  created_at bigint not null,
  primary key (workspace, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);
