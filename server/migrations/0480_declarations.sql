-- What is declared of venues, assets and price routes (server/src/configuration), whoever said it. `value` counts; null
-- when it is no longer declared. `file` is what the configuration file said of it last, and `in_file` whether it named it
-- when it was applied last. `differs_since`: since when both say different things. `kept`: somebody decided that the
-- record stays.
create table declarations (
  workspace uuid not null,
  key text not null,
  kind text not null check (kind in ('VENUE', 'ASSET', 'PRICE_ROUTE')),
  value jsonb,
  of_version bigint not null check (of_version > 0),
  changed_at bigint not null,
  changed_by text not null,
  hand text not null check (hand in ('USER', 'API_KEY', 'FILE')),
  file jsonb,
  in_file boolean not null,
  kept boolean not null,
  differs_since bigint,
  primary key (workspace, key)
);

-- Every change of them. Rows are inserted and read, and nothing else.
create table declaration_changes (
  workspace uuid not null,
  id uuid not null,
  key text not null,
  of_version bigint not null check (of_version > 0),
  before jsonb,
  after jsonb,
  kept_against jsonb,
  changed_at bigint not null,
  changed_by text not null,
  hand text not null check (hand in ('USER', 'API_KEY', 'FILE')),
  primary key (workspace, id)
);
create unique index declaration_changes_version on declaration_changes (workspace, key, of_version);
create index declaration_changes_key on declaration_changes (workspace, key, id);

create trigger declaration_changes_immutable before update or delete or truncate on declaration_changes for each statement execute function refuse_change();

do $$
begin
  if exists (select from pg_roles where rolname = 'kontor') then
    revoke update, delete, truncate on declaration_changes from kontor;
  end if;
end $$;
