-- Money that leaves a venue without being asked for here becomes a withdrawal of origin EXTERNAL; the place it left may be no wallet of ours.
alter table withdrawals alter column from_wallet_id drop not null;
alter table withdrawals add check (from_wallet_id is not null or origin = 'EXTERNAL');
-- What the venue took for its service: booked to FEE, nobody's to assign.
alter table withdrawals add column venue_charge boolean not null default false;

-- How far each venue's outgoing movements have been read.
create table outgoing_cursors (
  workspace uuid not null,
  venue_id uuid not null,
  cursor text,
  system_updated_at bigint not null,
  primary key (workspace, venue_id)
);

-- What a venue charged for one of our withdrawals by an entry of its own; booked with the end of the withdrawal, or when it comes later.
create table withdrawal_charges (
  workspace uuid not null,
  venue_id uuid not null,
  foreign_id text not null,
  withdrawal_id uuid not null,
  asset text not null,
  quantity numeric(38, 18) not null check (quantity > 0),
  booked_at bigint,
  system_created_at bigint not null,
  primary key (workspace, venue_id, foreign_id)
);
create index withdrawal_charges_withdrawal on withdrawal_charges (workspace, withdrawal_id);
