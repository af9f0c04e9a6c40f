-- What every account held, and what all accounts of a type held together, after a booking: written every so many bookings, so
-- that a balance of any past moment is a mark and the few bookings after it. Derived from the legs; totals in the normal sign.
create table book_marks (
  workspace uuid not null,
  sequence bigint not null,
  marked_at bigint not null,
  primary key (workspace, sequence)
);

-- Only accounts that moved since the mark before have one.
create table balance_marks (
  workspace uuid not null,
  account_id uuid not null,
  asset text not null,
  sequence bigint not null,
  total numeric(38, 18) not null,
  primary key (workspace, account_id, asset, sequence)
);

create table trial_marks (
  workspace uuid not null,
  sequence bigint not null,
  asset text not null,
  account_type text not null,
  total numeric(38, 18) not null,
  primary key (workspace, sequence, asset, account_type)
);
