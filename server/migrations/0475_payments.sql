-- Payments that people order: sent once their time has come and their destination is allowed.
create table payments (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('WAITING', 'SENT', 'REFUSED', 'CANCELED')),
  -- Why it was not sent, or was canceled.
  reason text,
  route_id uuid not null,
  from_wallet_id uuid not null,
  to_wallet_id uuid not null,
  asset text not null,
  quantity numeric(38, 18) not null check (quantity > 0),
  speed_level text not null check (speed_level in ('DEFAULT', 'FAST', 'SLOW')),
  account_id uuid,
  reference text,
  purpose text,
  note text,
  client_ref text,
  third_party boolean not null,
  send_at bigint not null,
  withdrawal_id uuid,
  -- The API key whose limits hold when it is sent.
  limited_by uuid,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  foreign key (workspace, route_id) references treasury_routes (workspace, id),
  foreign key (workspace, withdrawal_id) references withdrawals (workspace, id),
  check (withdrawal_id is null or state = 'SENT')
);
create index payments_state on payments (workspace, state, id);
create index payments_account on payments (workspace, account_id, id) where account_id is not null;
create index payments_client_ref on payments (workspace, client_ref, id) where client_ref is not null;
create index payments_to_wallet on payments (workspace, to_wallet_id, id);
create unique index payments_withdrawal on payments (workspace, withdrawal_id) where withdrawal_id is not null;

