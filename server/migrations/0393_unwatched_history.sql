-- When a worker without a folder was last started: until then the database may have been set back, and nobody would have
-- noticed (server/src/store/history.ts).
alter table history add column unwatched_until bigint;
