-- What staff are told (server/src/desk/notifications). One of a comment stands by itself; of what waits for somebody,
-- each user has at most one of a kind that is not read, which counts.
create table notifications (
  workspace uuid not null,
  id uuid not null,
  user_id uuid not null,
  kind text not null,
  -- The last one, where it counts several.
  record_kind text not null,
  record_id uuid not null,
  event_type text not null,
  event_sequence bigint not null,
  count integer not null check (count > 0),
  -- Of a comment: it, and who wrote it.
  comment_id uuid,
  author_id uuid,
  read_at bigint,
  -- It waits to be mailed; then the mail in which it stands.
  to_mail boolean not null,
  mail_id uuid,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create index notifications_user on notifications (workspace, user_id, id);
create index notifications_unread on notifications (workspace, user_id, id) where read_at is null;
create unique index notifications_counting on notifications (workspace, user_id, kind)
  where read_at is null and comment_id is null;
create unique index notifications_comment on notifications (workspace, user_id, comment_id) where comment_id is not null;
create index notifications_to_mail on notifications (workspace, user_id) where to_mail;
create index notifications_mailed on notifications (workspace, mail_id) where mail_id is not null;
create index notifications_age on notifications (system_created_at);

-- Mails with notifications. Their words are made when they are handed over, by who the user is then.
create table notification_mails (
  workspace uuid not null,
  id uuid not null,
  user_id uuid not null,
  state text not null check (state in ('PENDING', 'SENT', 'FAILED', 'CANCELED')),
  attempts integer not null,
  reason text,
  sent_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index notification_mails_pending on notification_mails (workspace, user_id) where state = 'PENDING';
create index notification_mails_user on notification_mails (workspace, user_id, id);
create index notification_mails_age on notification_mails (system_created_at);

create table notification_preferences (
  workspace uuid not null,
  user_id uuid not null,
  -- Kind → how; a kind that is missing is as by default.
  ways jsonb not null,
  -- Of mails; null: as the workspace has it.
  language text,
  time_zone text,
  primary key (workspace, user_id)
);

-- How far the events of a workspace have been read for it. Nobody is told of what happened before there was this.
create table notification_cursors (
  workspace uuid primary key,
  sequence bigint not null
);
insert into notification_cursors (workspace, sequence)
select workspace, event_sequence
from lanes;
