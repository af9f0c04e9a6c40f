-- The security log becomes the audit trail: beside who got in and who was refused, every call that changed something,
-- every one that was refused, and reads of personal data (docs/decisions/0062-audit-trail.md). `operation` is that of the
-- API, `request_id` that of the answer, `record_id` the record that it is about.
alter table security_log add column operation text;
alter table security_log add column request_id uuid;
alter table security_log add column record_id uuid;

-- What a booking pays for each index: calls are in as few as they are looked up by.
drop index security_log_kind;
create index security_log_kind on security_log (workspace, kind, id) where kind <> 'CALLED';
drop index security_log_user;
create index security_log_user on security_log (workspace, user_id, id) where user_id is not null;
create index security_log_access on security_log (workspace, id) where kind not in ('CALLED', 'CALL_REFUSED', 'CALL_FAILED', 'READ');
create index security_log_refused on security_log (workspace, id) where kind in ('SIGN_IN_FAILED', 'REFRESH_REFUSED', 'TOKEN_REFUSED', 'PERMISSION_DENIED', 'CALL_REFUSED');
create index security_log_failed on security_log (workspace, id) where kind = 'CALL_FAILED';
create index security_log_operation on security_log (workspace, operation, id) where operation is not null;
create index security_log_record on security_log (workspace, record_id, id) where record_id is not null;

-- Entries of one commit of the lane are inserted in one statement and differ only at the end of their ids. They have one
-- place together, from `id` to `last_id`.
alter table security_log_places add column last_id uuid;
alter table security_log_places add column entries integer not null default 1;

create or replace function place_security_entries() returns trigger language plpgsql as $$
begin
  insert into security_log_places (workspace, id, last_id, entries)
  select workspace, min(id::text)::uuid, nullif(max(id::text), min(id::text))::uuid, count(*)
  from new_entries
  group by workspace, left(id::text, 30);
  return null;
end $$;

-- What an ordinary transaction of a call changed, field by field, for its entry. The service begins such a transaction by
-- setting `kontor.changes` and ends it by storing what stands there. The arguments name texts that tell of a person, and
-- secrets: of these it is only said that they changed.
create function note_change() returns trigger language plpgsql as $$
declare
  noted text := current_setting('kontor.changes');
  was jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) end;
  made jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end;
  before jsonb;
  after jsonb;
begin
  if length(noted) > 30000 then
    return null;
  end if;
  select
    jsonb_object_agg(k, case when k = any(tg_argv) and was -> k <> 'null' then '"…"' else was -> k end) filter (where was ? k),
    jsonb_object_agg(k, case when k = any(tg_argv) and made -> k <> 'null' then '"…"' else made -> k end) filter (where made ? k)
  into before, after
  from jsonb_object_keys(was || made) as k
  where was -> k is distinct from made -> k
    and k not in ('id', 'workspace', 'version', 'system_created_at', 'system_created_by', 'system_updated_at', 'system_updated_by');
  if before is not null or after is not null then
    perform set_config(
      'kontor.changes',
      noted || case when noted = ' ' then '' else ',' end || jsonb_build_object(
        'table', tg_table_name,
        'id', coalesce(made -> 'id', was -> 'id'),
        'before', coalesce(before, '{}'),
        'after', coalesce(after, '{}')
      ),
      true
    );
  end if;
  return null;
end $$;

create trigger change_noted after insert or update or delete on accounts for each row when (current_setting('kontor.changes', true) <> '') execute function note_change('label', 'foreign_id', 'frozen_reason');
create trigger change_noted after insert or update or delete on brakes for each row when (current_setting('kontor.changes', true) <> '') execute function note_change();
create trigger change_noted after insert or update or delete on breaks for each row when (current_setting('kontor.changes', true) <> '') execute function note_change();
create trigger change_noted after insert or update or delete on customers for each row when (current_setting('kontor.changes', true) <> '') execute function note_change('label', 'first_name', 'last_name', 'company_name', 'joint_name', 'foreign_id', 'investment_entity_ids', 'notification_recipients');
create trigger change_noted after insert or update or delete on erasures for each row when (current_setting('kontor.changes', true) <> '') execute function note_change();
create trigger change_noted after insert or update or delete on matchings for each row when (current_setting('kontor.changes', true) <> '') execute function note_change('destination_address', 'source_address', 'reference', 'address_key', 'reference_key');
create trigger change_noted after insert or update or delete on set_aside_items for each row when (current_setting('kontor.changes', true) <> '') execute function note_change('raw', 'reason', 'note');
create trigger change_noted after insert or update or delete on treasury_routes for each row when (current_setting('kontor.changes', true) <> '') execute function note_change('label', 'transfer', 'allow_reason');
create trigger change_noted after insert or update or delete on wallets for each row when (current_setting('kontor.changes', true) <> '') execute function note_change('label', 'reason', 'address', 'foreign_id', 'reference_text', 'configuration');
