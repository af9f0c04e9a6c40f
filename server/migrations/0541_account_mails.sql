-- What users are told of their account by mail (server/src/access/account-mails.ts).
create table account_mails (
  workspace uuid not null,
  id uuid not null,
  user_id uuid not null,
  kind text not null check (kind in ('INVITATION', 'FACTORS_REMOVED')),
  state text not null check (state in ('PENDING', 'SENT', 'FAILED', 'CANCELED')),
  attempts integer not null,
  reason text,
  sent_at bigint,
  -- Of an invitation: each attempt to send it has a link of its own, until one of them is used.
  token_hashes bytea[] not null,
  expires_at bigint,
  used_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index account_mails_id on account_mails (id);
create index account_mails_user on account_mails (workspace, user_id, id);
create index account_mails_age on account_mails (system_created_at);
