-- Since when workers have been at work with this database without a break, in domain time; when one last said so, in the
-- database's; and with which server. A process that only answers requests learns from it that the database was not set
-- back (server/src/store/history.ts).
alter table history add column work_since bigint;
alter table history add column worked_at timestamptz;
alter table history add column work_server text;
