-- What people note on records (server/src/desk/notes): comments, tags and attached files. A record is named by its kind
-- and id; ids are unique over all kinds.
create table comments (
  workspace uuid not null,
  id uuid not null,
  kind text not null,
  record_id uuid not null,
  -- Null: its author deleted it.
  text text,
  mentions uuid[] not null default '{}',
  deleted_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check ((text is null) = (deleted_at is not null))
);
create index comments_record on comments (workspace, record_id, id);

create table record_tags (
  workspace uuid not null,
  id uuid not null,
  kind text not null,
  record_id uuid not null,
  tag text not null,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index record_tags_record on record_tags (workspace, record_id, tag);
-- The records of a kind that carry a tag, newest first, and the tags that a kind has.
create index record_tags_tag on record_tags (workspace, kind, tag, record_id);
create index record_tags_kind on record_tags (workspace, kind, id);

create table attachments (
  workspace uuid not null,
  id uuid not null,
  kind text not null,
  record_id uuid not null,
  name text not null,
  media_type text not null,
  size integer not null check (size > 0),
  sha256 text not null,
  -- Null: it was deleted or erased. Compressing what mostly is compressed would only cost time.
  content bytea,
  deleted_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check (content is null or deleted_at is null)
);
alter table attachments alter column content set storage external;
create index attachments_record on attachments (workspace, record_id, id);

-- The legs of a customer's bookings are found by account; notes on bookings and quotes by their kind.
create index comments_booked on comments (workspace, kind, record_id) where kind in ('booking', 'quote');
create index attachments_booked on attachments (workspace, kind, record_id) where kind in ('booking', 'quote');
