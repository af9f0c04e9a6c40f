-- A session in the console is one whose refresh token is in a cookie that scripts cannot read. It ends when it is not
-- used for a while. Its user sees where each session was begun, and may end it.
alter table sessions add column kind text not null default 'PROGRAM' check (kind in ('PROGRAM', 'CONSOLE'));
alter table sessions add column last_used_at bigint;
alter table sessions add column address text;
alter table sessions add column agent text;
update sessions set last_used_at = created_at;
alter table sessions alter column last_used_at set not null;
alter table sessions alter column kind drop default;

create index sessions_of_user on sessions (workspace, user_id, id);
drop index sessions_user;
