-- What operators watch is found without reading what went well.
create index tasks_failed on tasks (kind) where last_error is not null;
create index mails_pending on mails (system_created_at) where state = 'PENDING';
create index mails_failed on mails (system_updated_at) where state = 'FAILED';
