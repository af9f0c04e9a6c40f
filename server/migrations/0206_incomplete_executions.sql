-- What the overview names: executions whose later hop was not traded for all.
create index executions_incomplete on executions (workspace, completed_at) where reason_code = 'HOP_INCOMPLETE';
