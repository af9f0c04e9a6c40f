-- A wish to cancel is kept whatever the state: it is carried out once that is possible.
alter table executions add column cancel_requested_at bigint;
alter table executions add column cancel_requested_by text;
update executions
set cancel_requested_at = system_updated_at, cancel_requested_by = system_updated_by
where state = 'CANCELING';
