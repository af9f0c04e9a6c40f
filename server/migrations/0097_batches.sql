-- What the preparing of a batch answered, one row per withdrawal it would make: submitted once, unchanged, while it is live.
create table batch_requests (
  workspace uuid not null,
  id uuid not null,
  prepare_id uuid not null,
  state text not null check (state in ('PREPARED', 'SUBMITTED')),
  expires_at bigint not null,
  -- As it was answered.
  request jsonb not null,
  -- What makes payments go together, with the destination, as it was then.
  bundle_key text not null,
  withdrawal_id uuid,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check (withdrawal_id is null or state = 'SUBMITTED'),
  foreign key (workspace, withdrawal_id) references withdrawals (workspace, id)
);

-- The payments that one withdrawal of a batch makes together; null for every other withdrawal.
alter table withdrawals add column stakes jsonb;
