-- Secrets of venues that were written over the API (server/src/venues/stored-secrets.ts), wrapped by a key that is not in
-- the database. `target` is the address for which each was written: it is never sent to another. Without `wrapped` it was
-- cleared, and has to be written anew.
create table venue_secrets (
  workspace uuid not null,
  venue_id uuid not null,
  name text not null,
  target text not null,
  wrapped bytea,
  wrapped_by text,
  set_at bigint not null,
  set_by text not null,
  primary key (workspace, venue_id, name),
  foreign key (workspace, venue_id) references venues (workspace, id),
  check ((wrapped is null) = (wrapped_by is null))
);
create index venue_secrets_wrapped_by on venue_secrets (wrapped_by) where wrapped_by is not null;
