create table transfer_jobs (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('ACTIVE', 'INACTIVE')),
  route_id uuid not null,
  condition_type text not null check (condition_type in ('SWEEPING', 'PROVISION', 'CONDITIONAL')),
  -- Minutes.
  interval integer not null check (interval in (15, 30, 60, 240, 720, 1440)),
  speed_level text not null check (speed_level in ('DEFAULT', 'FAST', 'SLOW', 'CUSTOM')),
  fee numeric(38, 18),
  min_quantity numeric(38, 18),
  quantity numeric(38, 18),
  -- [{target}] or [{balance_side, predicate, quantity}]: amounts as text.
  conditions jsonb not null,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  foreign key (workspace, route_id) references treasury_routes (workspace, id),
  check ((speed_level = 'CUSTOM') = (fee is not null)),
  check ((condition_type = 'CONDITIONAL') = (quantity is not null) and (condition_type = 'CONDITIONAL') = (min_quantity is null))
);
create index transfer_jobs_route on transfer_jobs (workspace, route_id, id);

-- When a job runs next. Apart from the job, so that a run does not outdate the version a person is editing; a run and an
-- edit, or two runs of one tick, meet at its version.
create table job_schedules (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('ACTIVE', 'INACTIVE')),
  next_run_at bigint,
  last_run_id uuid,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  foreign key (workspace, id) references transfer_jobs (workspace, id),
  check ((state = 'ACTIVE') = (next_run_at is not null))
);

-- One row for each place that jobs move money out of or into (its first wallet): a run that measured before another one's
-- transfer was stored meets it here and measures again.
create table job_turns (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('OPEN')),
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);

create table job_runs (
  workspace uuid not null,
  id uuid not null,
  job_id uuid not null,
  state text not null check (state in ('TRANSFERRED', 'SKIPPED', 'FAILED')),
  reason text,
  explanation text not null,
  scheduled_at bigint not null,
  started_at bigint not null,
  finished_at bigint not null,
  asset text not null,
  balance_from numeric(38, 18),
  balance_to numeric(38, 18),
  in_flight numeric(38, 18),
  reserved numeric(38, 18),
  fee_estimate numeric(38, 18),
  fee_asset text,
  quantity numeric(38, 18),
  withdrawal_id uuid,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  foreign key (workspace, job_id) references transfer_jobs (workspace, id),
  check ((state = 'TRANSFERRED') = (withdrawal_id is not null) and (state = 'TRANSFERRED') = (reason is null))
);
create index job_runs_job on job_runs (workspace, job_id, id);

alter table withdrawals
  add column job_id uuid,
  add column job_run_id uuid,
  -- When the arrival of an own transfer was booked: before that its quantity is on the way.
  add column arrived_at bigint;
update withdrawals w set arrived_at = d.system_updated_at from deposits d
  where d.workspace = w.workspace and d.related_withdrawal_id = w.id and d.own_transfer and d.state = 'SUCCESSFUL';
create index withdrawals_job on withdrawals (workspace, job_id, id) where job_id is not null;
create index withdrawals_on_the_way on withdrawals (workspace, to_wallet_id, arrived_at) where own_transfer;
create index withdrawals_completed on withdrawals (workspace, venue_id, completed_at) where completed_at is not null;
