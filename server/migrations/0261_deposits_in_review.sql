-- What came in and is kept frozen by the venue.
alter table deposits drop constraint deposits_state_check;
alter table deposits add constraint deposits_state_check check (state in ('PENDING', 'PENDING_REVIEW', 'FAILED', 'REVERSED', 'UNASSIGNED', 'PARTIALLY_ASSIGNED', 'ASSIGNED', 'SUCCESSFUL', 'REJECTED'));
