-- Money that one customer gives another on our books: nothing moves at any venue.
create table book_transfers (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('PENDING', 'DONE', 'CANCELED')),
  from_account_id uuid not null,
  from_customer_id uuid not null,
  to_account_id uuid not null,
  to_customer_id uuid not null,
  asset text not null,
  quantity numeric(38, 18) not null check (quantity > 0),
  reason text not null,
  waits_for text,
  canceled_reason text,
  hold_id uuid not null,
  completed_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check (from_account_id <> to_account_id)
);
create index book_transfers_state on book_transfers (workspace, state, id);
create index book_transfers_waiting on book_transfers (workspace, system_created_at) where state = 'PENDING' and waits_for is not null;
create index book_transfers_from on book_transfers (workspace, from_account_id, id);
create index book_transfers_to on book_transfers (workspace, to_account_id, id);

alter table bookings drop constraint bookings_type_check;
alter table bookings add constraint bookings_type_check check (type in ('OPENING', 'DEPOSIT', 'DEPOSIT_ASSIGNMENT', 'WITHDRAWAL', 'WITHDRAWAL_ASSIGNMENT', 'WITHDRAWAL_FEE',
  'TRANSFER', 'TRANSFER_FEE', 'BOOK_TRANSFER', 'EXECUTION', 'TRADING_FEE', 'SETTLEMENT', 'RECTIFICATION', 'REVERSAL', 'ROUNDING', 'MANUAL')) not valid;
