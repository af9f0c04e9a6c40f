-- How a workspace shows itself (server/src/access/brand.ts). Logos are kept by their content: `name` is the SHA-256 of the
-- file and its ending. A setting, its history and its events only name one. Rows are inserted and read, and nothing else.
create table brand_logos (
  workspace uuid not null,
  name text not null,
  content bytea not null,
  primary key (workspace, name)
);
alter table brand_logos alter column content set storage external;
create trigger brand_logos_immutable before update or delete or truncate on brand_logos for each statement execute function refuse_change();
do $$
begin
  if exists (select from pg_roles where rolname = 'kontor') then
    revoke update, delete, truncate on brand_logos from kontor;
  end if;
end $$;

-- The name in mails is that of the brand. What was decided of it stays decided; its history stays under the old key.
update workspaces
set settings = (settings - 'mail_bank_name') ||
  case
    when settings ->> 'mail_bank_name' is null then '{}'::jsonb
    else jsonb_build_object('brand', jsonb_build_object('name', settings -> 'mail_bank_name'))
  end
where settings ? 'mail_bank_name';
update settings_in_file
set key = 'brand',
  value = case
    when value is null or value = 'null'::jsonb then '{}'::jsonb
    else jsonb_build_object('name', value)
  end
where key = 'mail_bank_name';
