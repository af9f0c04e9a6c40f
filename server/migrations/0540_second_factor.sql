-- Second factors of users (server/src/access/factors.ts).
alter table users add column second_factor boolean not null default false;
-- When a second factor was last shown in the session; null: none.
alter table sessions add column factor_at bigint;

create table user_factors (
  workspace uuid not null,
  id uuid not null,
  user_id uuid not null,
  kind text not null check (kind in ('TOTP')),
  label text not null,
  -- Null until a first code has shown that its owner has it.
  confirmed_at bigint,
  last_used_at bigint,
  -- Wrapped by the key in the operator's file.
  secret bytea,
  wrapped_by text,
  -- A code of this step of time, or of one before, was used.
  last_step bigint,
  primary key (workspace, id)
);
create index user_factors_user on user_factors (workspace, user_id, id);

create table recovery_codes (
  workspace uuid not null,
  user_id uuid not null,
  hash bytea not null,
  used_at bigint,
  primary key (workspace, user_id, hash)
);
