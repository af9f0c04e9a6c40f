-- A key that is there counts, and ends by being deleted. When that is, the database's clock says: domain time is what
-- a process takes it for, and one whose clock was wrong ended keys early. Those of today are kept for another day.
alter table idempotency_keys drop column created_at;
alter table idempotency_keys add column stored_at timestamptz not null default now();
create index idempotency_keys_stored on idempotency_keys (stored_at);
