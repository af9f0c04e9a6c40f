-- How far the trades of each trading service were read.
create table trade_cursors (
  workspace uuid not null,
  service_id uuid not null,
  cursor text,
  system_updated_at bigint not null,
  primary key (workspace, service_id)
);
