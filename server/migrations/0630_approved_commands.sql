-- What waits beside withdrawals (server/src/approvals/commands.ts). `execution`: Kontor does it once it is approved, or
-- who asked sends it again, as it has secrets that are not kept. `request_hash`: by which the same request is known.
alter table approval_requests add column execution text check (execution in ('BY_KONTOR', 'BY_REQUESTER'));
alter table approval_requests add column request_hash bytea;
alter table approval_requests add constraint approval_requests_commands check (
  (operation is null) = (execution is null) and (operation is null) = (request_hash is null)
);
-- Who asks twice for the same has asked once.
create unique index approval_requests_open on approval_requests (workspace, requested_by, request_hash)
  where state in ('PENDING', 'APPROVED') and request_hash is not null;
