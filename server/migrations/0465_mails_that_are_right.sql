-- In which language and time zone a customer reads; null: as the workspace says.
alter table customers
  add column language text check (language in ('en', 'de')),
  add column time_zone text;

-- A mail that was wrong is taken back while it waits, and corrected once it was handed over.
alter table mails
  add column assignment_id uuid,
  add column corrects uuid,
  add column waits_until bigint,
  drop constraint mails_state_check,
  add constraint mails_state_check check (state in ('PENDING', 'SENT', 'FAILED', 'CANCELED'));
drop index mails_event;
create unique index mails_event on mails (
  workspace, event_sequence, recipient, customer_id,
  coalesce(corrects, '00000000-0000-0000-0000-000000000000')
);
create index mails_resource on mails (workspace, resource_id, event_sequence);
create unique index mails_corrects on mails (workspace, corrects) where corrects is not null;
