-- By what the caller's system finds the withdrawal again.
alter table withdrawals add column client_ref text;
create index withdrawals_client_ref on withdrawals (workspace, client_ref, id) where client_ref is not null;
