-- Changes of settings (server/src/access/setting-changes). A value itself stands in workspaces.settings, or in the options
-- of its venue. Rows are inserted and read, and nothing else.
create table setting_changes (
  workspace uuid not null,
  id uuid not null,
  key text not null,
  of_version bigint not null check (of_version > 1),
  before jsonb,
  after jsonb,
  kept_against jsonb,
  changed_at bigint not null,
  changed_by text not null,
  hand text not null check (hand in ('USER', 'API_KEY', 'FILE')),
  primary key (workspace, id)
);
create unique index setting_changes_version on setting_changes (workspace, key, of_version);
create index setting_changes_key on setting_changes (workspace, key, id);

create trigger setting_changes_immutable before update or delete or truncate on setting_changes for each statement execute function refuse_change();

-- What the configuration file said of a setting when it was applied last. `named`: it said so at its last application.
-- `differs_since`: since when the record holds another value. `kept`: somebody decided that the record stays.
create table settings_in_file (
  workspace uuid not null,
  key text not null,
  value jsonb,
  named boolean not null,
  kept boolean not null,
  differs_since bigint,
  primary key (workspace, key)
);

do $$
begin
  if exists (select from pg_roles where rolname = 'kontor') then
    revoke update, delete, truncate on setting_changes from kontor;
  end if;
end $$;
