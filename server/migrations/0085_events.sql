-- A booking is its own event: the feed reads bookings in the order of events.
create unique index bookings_event_sequence on bookings (workspace, event_sequence);
create index events_type on events (workspace, type, sequence);

-- How far the workspace's events have been turned into mails. What was told before mail existed is not mailed.
create table mail_cursors (
  workspace uuid primary key,
  sequence bigint not null
) with (fillfactor = 50);
insert into mail_cursors (workspace, sequence) select workspace, event_sequence from lanes;

-- One mail per event and recipient, stored before it is sent.
create table mails (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('PENDING', 'SENT', 'FAILED')),
  event_sequence bigint not null,
  event_type text not null,
  resource_id uuid not null,
  customer_id uuid not null,
  recipient text not null,
  subject text not null,
  body text not null,
  attempts integer not null default 0,
  reason text,
  sent_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index mails_event on mails (workspace, event_sequence, recipient, customer_id);
create index mails_customer on mails (workspace, customer_id, id);
create index mails_state on mails (workspace, state, id);
