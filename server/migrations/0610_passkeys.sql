-- Passkeys as second factors (server/src/access/passkeys.ts).
alter table user_factors drop constraint user_factors_kind_check;
alter table user_factors add constraint user_factors_kind_check check (kind in ('TOTP', 'PASSKEY'));
alter table user_factors add column credential_id text;
-- As COSE has it.
alter table user_factors add column public_key bytea;
-- How often the authenticator has signed, where it counts.
alter table user_factors add column counter bigint;
alter table user_factors add column transports text[] not null default '{}';
alter table user_factors add constraint user_factors_passkey check (
  (kind = 'PASSKEY' and confirmed_at is not null)
  = (credential_id is not null and public_key is not null and counter is not null)
);
-- A passkey is one person's, over all workspaces.
create unique index user_factors_credential on user_factors (credential_id);

-- What an authenticator must sign; each is deleted when it is used.
create table passkey_challenges (
  workspace uuid not null,
  user_id uuid not null,
  challenge bytea not null,
  -- Of the passkey that is being set up; null: to show one.
  factor_id uuid,
  -- In which it was asked for; null at a login.
  session_id uuid,
  expires_at bigint not null,
  primary key (workspace, user_id, challenge)
);
create index passkey_challenges_end on passkey_challenges (expires_at);
