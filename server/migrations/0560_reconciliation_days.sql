-- A day of a venue as it was last compared on that day (UTC), and who has signed it (server/src/desk/reconciliation/days).
create table reconciliation_days (
  workspace uuid not null,
  id uuid not null,
  venue_id uuid not null,
  day text not null,
  -- The midnight after it.
  ends_at bigint not null,
  state text not null check (state in ('OPEN', 'SIGNED_OFF')),
  -- Null: nothing was compared on that day.
  compared_at bigint,
  line_count bigint not null,
  differing_count bigint not null,
  signed_off_by text,
  signed_off_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check ((state = 'SIGNED_OFF') = (signed_off_at is not null))
);
create unique index reconciliation_days_venue on reconciliation_days (workspace, venue_id, day);
create index reconciliation_days_venue_id on reconciliation_days (workspace, venue_id, id);
create index reconciliation_days_state on reconciliation_days (workspace, state, id);
create index reconciliation_days_day on reconciliation_days (workspace, day, id);

-- What the venue held and the books said then. Never changed.
create table reconciliation_lines (
  workspace uuid not null,
  day_id uuid not null,
  line_no bigint not null,
  asset text not null,
  -- '': what lies in no wallet.
  wallet text not null,
  state text not null check (state in ('BALANCED', 'CHECKING', 'BREAK', 'ACCEPTED')),
  ledger numeric(38, 18) not null,
  venue numeric(38, 18) not null,
  on_the_way numeric(38, 18) not null,
  difference numeric(38, 18) not null,
  since bigint not null,
  compared_at bigint not null,
  -- The break that was open, or that was closed over the difference.
  break_id uuid,
  primary key (workspace, day_id, line_no)
);

-- Who signed a day off or reopened it. Only ever added to.
create table reconciliation_signatures (
  workspace uuid not null,
  id uuid not null,
  day_id uuid not null,
  action text not null check (action in ('SIGNED_OFF', 'REOPENED')),
  signed_by text not null,
  signed_at bigint not null,
  note text,
  primary key (workspace, id),
  check (action = 'SIGNED_OFF' or note is not null)
);
create index reconciliation_signatures_day on reconciliation_signatures (workspace, day_id, id);

-- The break that a difference became, and the one that was closed over it.
create index breaks_seen on breaks (workspace, venue_id, first_seen_at);
create index breaks_closed_over on breaks (workspace, venue_id, asset, coalesce(wallet, ''), difference, closed_at) where closed_reason = 'BY_HAND';

-- The breaks that were open on a day, however many there have been before and since.
create index breaks_open_during on breaks using gist (int8range(first_seen_at, case when closed_at >= first_seen_at then closed_at end, '[]'));

-- The audit trail says of a signature what stood there before, and after.
create trigger change_noted after update on reconciliation_days for each row when (current_setting('kontor.changes', true) <> '') execute function note_change();
