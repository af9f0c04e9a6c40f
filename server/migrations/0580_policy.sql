-- The policy of a workspace (server/src/ledger/policy): each version is a row that stays. The one in force stands in the
-- lane's row, so that whatever the lane commits is judged by it. 0: none.
create table policies (
  workspace uuid not null,
  version bigint not null check (version > 0),
  rules jsonb not null,
  otherwise text not null check (otherwise in ('ALLOW', 'DENY')),
  note text,
  made_by text not null,
  made_at bigint not null,
  primary key (workspace, version)
);
create trigger policies_immutable before update or delete or truncate on policies for each statement execute function refuse_change();
alter table lanes add column policy_version bigint not null default 0;

-- What waits for people, or did. `excluded`: who asked, in person or through a program. `request`: of a command that is
-- done once it is approved.
create table approval_requests (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('PENDING', 'APPROVED', 'REJECTED', 'EXPIRED', 'WITHDRAWN', 'EXECUTED', 'FAILED')),
  command text not null,
  operation text,
  record_id uuid,
  asset text,
  quantity numeric(38, 18),
  policy_version bigint not null check (policy_version > 0),
  rule integer not null,
  rule_name text not null,
  reason text not null,
  groups jsonb not null,
  missing integer[] not null,
  requested_by text not null,
  excluded text[] not null,
  expires_at bigint not null,
  ended_by text,
  ended_at bigint,
  note text,
  request jsonb,
  result_id uuid,
  failure text,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create index approval_requests_state on approval_requests (workspace, state, id);
create index approval_requests_command on approval_requests (workspace, command, id);
create index approval_requests_record on approval_requests (workspace, record_id, id) where record_id is not null;
create index approval_requests_requested_by on approval_requests (workspace, requested_by, id);

create table approval_decisions (
  workspace uuid not null,
  request_id uuid not null,
  user_id uuid not null,
  decision text not null check (decision in ('APPROVE', 'REJECT')),
  -- The groups that the person could count for then.
  groups integer[] not null,
  note text,
  decided_at bigint not null,
  -- A second vote of the same person is none.
  primary key (workspace, request_id, user_id),
  foreign key (workspace, request_id) references approval_requests (workspace, id)
);
create trigger approval_decisions_immutable before update or delete or truncate on approval_decisions for each statement execute function refuse_change();

-- What was asked for on a day (midnight, UTC), of whom, written by the lane with what asks for it.
create table policy_totals (
  workspace uuid not null,
  per text not null check (per in ('CUSTOMER', 'ROUTE', 'USER', 'KEY', 'WORKSPACE')),
  key text not null,
  asset text not null,
  day bigint not null,
  quantity numeric(38, 18) not null,
  primary key (workspace, per, key, asset, day)
);
create index policy_totals_day on policy_totals (day);

-- Nothing is stored that no policy was asked about. `counted`: what stands of it in policy_totals.
alter table withdrawals add column policy_version bigint;
alter table withdrawals add column approval_request_id uuid;
alter table withdrawals add column counted jsonb;
update withdrawals set policy_version = 0 where origin <> 'EXTERNAL';
alter table withdrawals add constraint withdrawals_judged check (policy_version is not null or origin = 'EXTERNAL');
alter table withdrawals drop constraint withdrawals_state_check;
alter table withdrawals add constraint withdrawals_state_check check (
  state in ('PENDING_APPROVAL', 'PENDING', 'PENDING_REVIEW', 'UNKNOWN', 'SUCCESS', 'FAILED', 'REJECTED', 'CANCELED')
);
alter table withdrawals add constraint withdrawals_waiting check (
  state <> 'PENDING_APPROVAL' or (approval_request_id is not null and submitted_at is null)
);

-- Whether something of ours has arrived at a destination before.
create index withdrawals_sent_to on withdrawals (workspace, destination_address, tag) where state = 'SUCCESS' and origin <> 'EXTERNAL';

-- Since when a destination is what it is, whoever changes it by whatever way.
alter table wallets add column address_since bigint;
update wallets set address_since = system_created_at;
alter table treasury_routes add column destination_since bigint;
update treasury_routes set destination_since = system_created_at;
create function keep_address_since() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.address is distinct from old.address then
    new.address_since := new.system_updated_at;
  end if;
  return new;
end $$;
create function keep_destination_since() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.to_wallet_id is distinct from old.to_wallet_id
    or new.transfer -> 'to' is distinct from old.transfer -> 'to' then
    new.destination_since := new.system_updated_at;
  end if;
  return new;
end $$;
create trigger address_since_kept before insert or update on wallets for each row execute function keep_address_since();
create trigger destination_since_kept before insert or update on treasury_routes for each row execute function keep_destination_since();
