-- When the venue of a stop last said for certain that it had no order of it (server/src/trading/executions/in-doubt.ts).
alter table executions add column looked_up_at bigint;
