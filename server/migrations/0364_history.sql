-- By what the service notices that the database was set back (server/src/store/history.ts). The operator's folder keeps
-- the same id and counter. `earlier` are the ids before each time that it was noticed.
create table history (
  only_one boolean primary key default true check (only_one),
  id uuid not null default gen_random_uuid(),
  counter bigint not null default 0,
  earlier uuid[] not null default '{}',
  set_back_at bigint,
  set_back_reason text
);
insert into history default values;

-- When the venue last said for certain that it had nothing of it.
alter table withdrawals add column looked_up_at bigint;
alter table execution_orders add column looked_up_at bigint;
