-- Who got in, who was refused, and who changed users, roles, passwords and configuration
-- (server/src/access/security-log). Rows are inserted and read, and nothing else. What nobody's workspace can be named
-- for belongs to the installation (workspace 0).
create table security_log (
  workspace uuid not null,
  id uuid not null,
  kind text not null,
  occurred_at bigint not null,
  user_id uuid,
  email text,
  actor text,
  session_id uuid,
  address text,
  agent text,
  count bigint not null check (count > 0),
  details jsonb not null,
  primary key (workspace, id)
);
create index security_log_kind on security_log (workspace, kind, id);
create index security_log_user on security_log (workspace, user_id, id);
create index security_log_actor on security_log (workspace, actor, id);

create trigger security_log_immutable before update or delete or truncate on security_log for each statement execute function refuse_change();

do $$
begin
  if exists (select from pg_roles where rolname = 'kontor') then
    revoke update, delete, truncate on security_log from kontor;
  end if;
end $$;
