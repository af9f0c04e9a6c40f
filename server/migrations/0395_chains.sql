-- Chains of hashes over events and over the security log, made in batches after the rows (server/src/store/chains.ts).
create table event_batches (
  workspace uuid not null,
  batch_no bigint not null,
  last_sequence bigint not null,
  entries integer not null,
  previous_hash text not null,
  hash text not null,
  made_at bigint not null,
  primary key (workspace, batch_no)
);

create table security_log_batches (
  workspace uuid not null,
  batch_no bigint not null,
  last_sequence bigint not null,
  entries integer not null,
  previous_hash text not null,
  hash text not null,
  made_at bigint not null,
  primary key (workspace, batch_no)
);

-- The place of each entry of the security log in its chain. Entries have no order of their own: one may be written hours
-- after what it tells of. A place without a sequence waits for the next batch.
create table security_log_places (
  workspace uuid not null,
  id uuid not null,
  sequence bigint,
  primary key (workspace, id)
);
create unique index security_log_places_sequence on security_log_places (workspace, sequence) where sequence is not null;
create index security_log_places_waiting on security_log_places (workspace, id) where sequence is null;

insert into security_log_places (workspace, id) select workspace, id from security_log;

create function place_security_entries() returns trigger language plpgsql as $$
begin
  insert into security_log_places (workspace, id) select workspace, id from new_entries;
  return null;
end $$;
create trigger security_log_placed after insert on security_log referencing new table as new_entries for each statement execute function place_security_entries();

create trigger event_batches_immutable before update or delete or truncate on event_batches for each statement execute function refuse_change();
create trigger security_log_batches_immutable before update or delete or truncate on security_log_batches for each statement execute function refuse_change();
create trigger security_log_places_kept before delete or truncate on security_log_places for each statement execute function refuse_change();
create trigger security_log_places_final before update on security_log_places for each row when (old.sequence is not null) execute function refuse_change();

do $$
begin
  if exists (select from pg_roles where rolname = 'kontor') then
    revoke update, delete, truncate on event_batches, security_log_batches from kontor;
    revoke delete, truncate on security_log_places from kontor;
  end if;
end $$;
