-- The transactions of a period, by when they were made.
create index fills_executed on fills (workspace, executed_at);
