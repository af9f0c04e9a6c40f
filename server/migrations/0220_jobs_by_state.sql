-- The few that are active among all that ever were.
create index transfer_jobs_state on transfer_jobs (workspace, state, id);
