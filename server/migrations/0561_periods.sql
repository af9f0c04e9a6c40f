-- Periods of the books that a person has closed (server/src/desk/closing). Until when they are closed stands in the
-- workspace, beside the setting that follows it: null while none is.
alter table workspaces add column closed_until bigint;

create table periods (
  workspace uuid not null,
  id uuid not null,
  last_day text not null,
  -- The midnight after it, UTC.
  ends_at bigint not null,
  state text not null check (state in ('CLOSED', 'REOPENED')),
  note text,
  closed_by text not null,
  closed_at bigint not null,
  -- Where the chain of bookings stood: what is later belongs to the open period, whatever its value date.
  last_sequence bigint not null,
  batch_no bigint not null,
  chain_hash text not null,
  -- The trial balance, as the text whose SHA-256 is in the event. Never changed.
  frozen text not null,
  hash text not null,
  -- The setting `open_period_from` before, which comes back with a reopening.
  opened_from bigint,
  reopened_by text,
  reopened_at bigint,
  reason text,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check ((state = 'REOPENED') = (reopened_by is not null and reopened_at is not null and reason is not null))
);
create unique index periods_closed on periods (workspace, ends_at) where state = 'CLOSED';
create index periods_state on periods (workspace, state, id);

create trigger periods_kept before delete or truncate on periods for each statement execute function refuse_change();
create trigger periods_frozen before update on periods for each row
  when (old.state = 'REOPENED' or (old.last_day, old.ends_at, old.closed_by, old.closed_at, old.last_sequence, old.chain_hash, old.frozen, old.hash)
    is distinct from (new.last_day, new.ends_at, new.closed_by, new.closed_at, new.last_sequence, new.chain_hash, new.frozen, new.hash))
  execute function refuse_change();

-- The audit trail says what a reopening changes; a closing makes the row, which says all.
create trigger change_noted after update on periods for each row when (current_setting('kontor.changes', true) <> '') execute function note_change();

-- Bookings that were made before their value date. All others of a later period were booked in it.
create index bookings_ahead on bookings (workspace, value_date) where value_date > booked_at;
