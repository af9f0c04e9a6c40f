-- Deposits that go back to their sender: the withdrawal names the deposit, the deposit counts what has left and what is about to.
-- What nobody owned goes from SUSPENSE (the columns `_unassigned`), the rest from the accounts that it was assigned to.
alter table withdrawals add column returns_deposit_id uuid;
alter table withdrawals drop constraint withdrawals_origin_check;
alter table withdrawals add constraint withdrawals_origin_check check (origin in ('MANUAL', 'BATCH', 'JOB', 'SETTLEMENT', 'RETURN', 'EXTERNAL'));
create index withdrawals_returns on withdrawals (workspace, returns_deposit_id, id) where returns_deposit_id is not null;

alter table deposits
  add column returned_quantity numeric(38, 18) not null default 0,
  add column returning_quantity numeric(38, 18) not null default 0,
  add column returned_unassigned numeric(38, 18) not null default 0,
  add column returning_unassigned numeric(38, 18) not null default 0;
alter table deposits drop constraint deposits_state_check;
alter table deposits add constraint deposits_state_check check (state in ('PENDING', 'PENDING_REVIEW', 'FAILED', 'REVERSED', 'UNASSIGNED', 'PARTIALLY_ASSIGNED', 'ASSIGNED', 'SUCCESSFUL', 'REJECTED', 'RETURNED'));
-- Never more goes back than has arrived, and nothing that is also assigned.
alter table deposits add constraint deposits_returns_check check (
  least(returned_quantity - returned_unassigned, returning_quantity - returning_unassigned, returned_unassigned, returning_unassigned) >= 0
  and returned_quantity + returning_quantity <= assignable_quantity
  and (returned_unassigned + returning_unassigned = 0 or assigned_quantity + returned_unassigned + returning_unassigned <= assignable_quantity)
) not valid;
