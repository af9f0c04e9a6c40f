-- Who sends coins and who gets them (server/src/travel-rule). Rows are added; an erasure takes out the persons.
create table travel_rule_data (
  workspace uuid not null,
  id uuid not null,
  record_kind text not null check (record_kind in ('WITHDRAWAL')),
  record_id uuid not null,
  -- In one version of IVMS 101, as it was given; neither once it is erased.
  ivms101_2020 jsonb,
  ivms101_2023 jsonb,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check (ivms101_2020 is null or ivms101_2023 is null)
);
create index travel_rule_data_record on travel_rule_data (workspace, record_id, id);
alter table withdrawals add column travel_rule_data_id uuid;
