-- The day on which a bank is expected to execute a withdrawal, in the zone of the bank.
alter table withdrawals add column execution_date text check (execution_date ~ '^\d{4}-\d{2}-\d{2}$');
