-- What the overview counts: only what is open, and what is of today.
create index assignments_pending on assignments (workspace, id) where state = 'PENDING';
create index withdrawals_created on withdrawals (workspace, system_created_at);
create index treasury_routes_refused on treasury_routes (workspace, id) where allowlist_state in ('REJECTED', 'FAILED');
create index wallets_failed on wallets (workspace, id) where state = 'FAILED';

-- Who told an event: the user or the worker whose change it is. Null on those told before.
alter table events add column told_by text;
