-- A customer is never removed: DELETE moves it to DELETED, since bookings name its account.
create table customers (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('ACTIVE', 'DELETED')),
  account_id uuid not null,
  type text not null check (type in ('RETAIL', 'INSTITUTION', 'JOINT')),
  label text not null,
  margin text not null,
  booking_schema text not null check (booking_schema in ('ADVANCED', 'SIMPLE')),
  ignore_balance_check boolean not null,
  ignore_margin boolean not null,
  first_name text,
  last_name text,
  company_name text,
  joint_name text,
  foreign_id text,
  investment_entity_ids text[] not null,
  notification_recipients text[] not null,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index customers_foreign_id on customers (workspace, foreign_id) where foreign_id is not null;
create unique index customers_account on customers (workspace, account_id);
