-- Money that left after its withdrawal had ended here is a withdrawal of its own, which names that one; both carry the venue's reference.
alter table withdrawals
  add column related_withdrawal_id uuid,
  add check (related_withdrawal_id is null or origin = 'EXTERNAL');
drop index withdrawals_foreign_id;
create unique index withdrawals_foreign_id on withdrawals (workspace, venue_id, foreign_id, output) where foreign_id is not null and related_withdrawal_id is null;
create unique index withdrawals_late on withdrawals (workspace, related_withdrawal_id, foreign_id) where related_withdrawal_id is not null;
