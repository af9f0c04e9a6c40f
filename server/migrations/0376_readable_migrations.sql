-- Commands look whether they know the schema before they work on it.
do $$
begin
  if exists (select from pg_roles where rolname = 'kontor') and to_regclass('schema_migrations') is not null then
    grant select on schema_migrations to kontor;
  end if;
end $$;
