-- Records of a venue that could not be understood, or not be booked: each waits for a person, and the others go on.
create table set_aside_items (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('OPEN', 'RESOLVED', 'DISMISSED')),
  venue_id uuid not null,
  kind text not null check (kind in ('TRANSFER', 'TRADE')),
  foreign_id text not null,
  -- Null: the record does not say, or it is a trade.
  direction text check (direction in ('IN', 'OUT')),
  reason text not null,
  -- As the venue gave it, escaped where the database takes it not, and cut when it is very long.
  raw text not null,
  -- How long the record is as the venue gave it.
  raw_length integer not null,
  occurred_at bigint,
  retried_at bigint,
  retried_by text,
  closed_at bigint,
  closed_by text,
  note text,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check (state <> 'DISMISSED' or note is not null)
);
-- The same record read again opens no second item.
create unique index set_aside_items_record on set_aside_items (workspace, venue_id, kind, foreign_id, direction) nulls not distinct;
create index set_aside_items_state on set_aside_items (workspace, state, id);
create index set_aside_items_venue on set_aside_items (workspace, venue_id, id);

create trigger search_terms_made after insert on set_aside_items for each row execute function keep_search_terms('set_aside_item', 'foreign_id:code');
