-- Who told the outcome of a withdrawal that the venue would not tell, and by what evidence.
alter table withdrawals
  add column resolved_by text,
  add column resolved_at bigint,
  add column evidence text,
  add check ((resolved_by is null) = (resolved_at is null) and (resolved_by is null) = (evidence is null));
-- What has not ended, for the list of stuck ones: few rows, however many ended.
create index withdrawals_live on withdrawals (workspace, id) where state in ('PENDING', 'PENDING_REVIEW', 'UNKNOWN');
