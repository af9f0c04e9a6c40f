-- A batch of payments is a record of its own: somebody who did not prepare it can find it, submit it, and give it up.
create table withdrawal_batches (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('PREPARED', 'SUBMITTED', 'GIVEN_UP', 'EXPIRED')),
  expires_at bigint not null,
  transactions integer not null check (transactions > 0),
  payments integer not null,
  -- How many of its transactions.
  submitted integer not null check (submitted <= transactions),
  sums jsonb not null,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create index withdrawal_batches_state on withdrawal_batches (workspace, state, id);
create index batch_requests_of on batch_requests (workspace, prepare_id, id);

alter table batch_requests drop constraint batch_requests_state_check;
alter table batch_requests add constraint batch_requests_state_check
  check (state in ('PREPARED', 'SUBMITTED', 'GIVEN_UP', 'EXPIRED'));

insert into withdrawal_batches
select workspace, prepare_id, case when bool_and(state = 'SUBMITTED') then 'SUBMITTED' else 'PREPARED' end,
  max(expires_at), count(*), sum(jsonb_array_length(request -> 'stakes')), count(*) filter (where state = 'SUBMITTED'),
  (
    select jsonb_agg(jsonb_build_object('asset', asset, 'quantity', trim_scale(quantity)::text) order by asset)
    from (
      select request ->> 'asset' as asset, sum((request ->> 'quantity')::numeric) as quantity
      from batch_requests r
      where r.workspace = b.workspace and r.prepare_id = b.prepare_id
      group by request ->> 'asset'
    ) as of_assets
  ),
  min(system_created_at), min(system_created_by), max(system_updated_at), max(system_updated_by)
from batch_requests b
group by workspace, prepare_id;

-- What was not submitted expires.
insert into tasks (workspace, kind, subject_id, due_at)
select workspace, 'expire_batch', id, expires_at
from withdrawal_batches
where state = 'PREPARED';
