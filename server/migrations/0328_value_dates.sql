-- The day from which a bank counts a movement, as the bank names it.
alter table deposits add column value_date text check (value_date ~ '^\d{4}-\d{2}-\d{2}$');
alter table withdrawals add column value_date text check (value_date ~ '^\d{4}-\d{2}-\d{2}$');
