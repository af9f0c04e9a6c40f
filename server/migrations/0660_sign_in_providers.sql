-- Single sign-on (server/src/access/providers, decision 73). Who a provider speaks of is its issuer and subject; an
-- e-mail address names nobody by itself.
create table sign_in_providers (
  workspace uuid not null,
  id uuid not null,
  label text not null,
  issuer text not null,
  client_id text not null,
  client_authentication text not null check (client_authentication in ('BASIC', 'POST')),
  scopes text[] not null,
  roles_claim text not null,
  role_mapping jsonb not null,
  listed boolean not null,
  creates_users boolean not null,
  links_by_email boolean not null,
  proves_second_factor boolean not null,
  state text not null check (state in ('ACTIVE', 'REMOVED')),
  -- Wrapped by the key in the operator's file. Null: removed, or of a key that is lost.
  wrapped_secret bytea,
  wrapped_by text,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check ((wrapped_secret is null) = (wrapped_by is null))
);
create index sign_in_providers_state on sign_in_providers (workspace, state, id);
create index sign_in_providers_id on sign_in_providers (id);

create table user_identities (
  workspace uuid not null,
  id uuid not null,
  user_id uuid not null,
  issuer text not null,
  subject text not null,
  linked text not null check (linked in ('CREATED', 'EMAIL', 'BY_HAND')),
  last_login_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index user_identities_subject on user_identities (workspace, issuer, subject);
create index user_identities_user on user_identities (workspace, user_id, id);

-- A sign-in that a browser has begun; deleted when it ends. The browser alone has the secret.
create table begun_sign_ins (
  secret_hash bytea primary key,
  workspace uuid not null,
  provider_id uuid not null,
  -- In which a dangerous command is confirmed; null at a sign-in.
  session_id uuid,
  expires_at bigint not null
);
create index begun_sign_ins_end on begun_sign_ins (expires_at);

-- What the provider calls the session, where it does (`sid`).
alter table sessions add column provider_id uuid;
alter table sessions add column provider_session text;
create index sessions_provider on sessions (workspace, provider_id, user_id) where provider_id is not null;
