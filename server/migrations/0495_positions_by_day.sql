-- What each account of the house and of its venues held at the end of each quarter of an hour in which it moved: so that
-- its balance at any midnight, which is the end of a quarter in every time zone, is one row. Derived from the legs, in the
-- normal sign; written beside the bookings (ledger/reports/position-marks.ts).
create table position_marks (
  workspace uuid not null,
  account_id uuid not null,
  asset text not null,
  -- Unix time ÷ 15 min.
  quarter bigint not null,
  total numeric(38, 18) not null,
  primary key (workspace, account_id, asset, quarter)
);

-- The last booking that the marks contain.
create table position_readings (
  workspace uuid primary key,
  sequence bigint not null
) with (fillfactor = 50);

-- Breaks of a range of days: those that are open, and those that were closed since it began.
create index breaks_closed on breaks (workspace, closed_at) where closed_at is not null;
