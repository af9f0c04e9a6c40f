-- Deposits are screened, too (decision 76).
alter table screenings
  drop constraint screenings_record_kind_check,
  add constraint screenings_record_kind_check check (record_kind in ('WITHDRAWAL', 'DEPOSIT'));
alter table screening_cases
  drop constraint screening_cases_record_kind_check,
  add constraint screening_cases_record_kind_check check (record_kind in ('WITHDRAWAL', 'DEPOSIT'));
