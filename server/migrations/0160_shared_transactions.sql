-- Withdrawals that one transaction of the venue pays have our reference in common and, once it is known, the venue's: each is an output of it.
alter table withdrawals
  add column output integer not null default 0 check (output >= 0),
  add column outputs integer not null default 1,
  add check (output < outputs);
drop index withdrawals_external_id;
create unique index withdrawals_external_id on withdrawals (workspace, venue_id, external_id, output);
drop index withdrawals_foreign_id;
create unique index withdrawals_foreign_id on withdrawals (workspace, venue_id, foreign_id, output) where foreign_id is not null;
