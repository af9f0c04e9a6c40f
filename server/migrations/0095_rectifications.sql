-- What was assigned wrongly, and what was booked instead: of a deposit or of a withdrawal, never changed afterwards.
create table rectifications (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('BOOKED')),
  deposit_id uuid,
  withdrawal_id uuid,
  reason text not null check (reason in ('WRONG_ACCOUNT', 'WRONG_QUANTITY', 'DUPLICATE', 'MATCHING_ERROR', 'CUSTOMER_REQUEST', 'COMPLIANCE', 'FRAUD', 'RETURNED', 'TECHNICAL_ERROR', 'OTHER')),
  note text,
  -- Assignments; each origin also names its rectification.
  origin_ids uuid[] not null,
  target_ids uuid[] not null,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check ((deposit_id is null) <> (withdrawal_id is null)),
  check (reason <> 'OTHER' or note is not null)
);
create index rectifications_deposit on rectifications (workspace, deposit_id, id) where deposit_id is not null;
create index rectifications_withdrawal on rectifications (workspace, withdrawal_id, id) where withdrawal_id is not null;
