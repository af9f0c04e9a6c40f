-- What a bank found about the payee's name, and what a person decided about the payment there.
alter table withdrawals
  add column payee_check text,
  add column payee_name text,
  add column review_decision text check (review_decision in ('RELEASE', 'WITHDRAW')),
  add column review_reason text,
  add column review_decided_by text,
  add column review_decided_at bigint,
  add check (
    (review_decision is null) = (review_reason is null)
    and (review_decision is null) = (review_decided_by is null)
    and (review_decision is null) = (review_decided_at is null)
  );
