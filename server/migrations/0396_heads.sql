-- Signed heads: where the chains of a workspace end on a day (server/src/heads). `signed` is the text that was signed,
-- `hash` its SHA-256, which the next head names. One a day, and one after the other.
create table heads (
  workspace uuid not null,
  number bigint not null,
  day text not null,
  made_at bigint not null,
  signed text not null,
  signature text not null,
  hash text not null,
  primary key (workspace, number)
);
create unique index heads_day on heads (workspace, day);

create trigger heads_immutable before update or delete or truncate on heads for each statement execute function refuse_change();

-- Where each head goes: into the folder (FILE), and to each address (MAIL).
create table head_deliveries (
  workspace uuid not null,
  number bigint not null,
  target text not null check (target in ('FILE', 'MAIL')),
  recipient text not null,
  id uuid not null,
  made_at bigint not null,
  delivered_at bigint,
  attempts integer not null default 0,
  reason text,
  primary key (workspace, number, target, recipient)
);
create index head_deliveries_waiting on head_deliveries (target, made_at) where delivered_at is null;

do $$
begin
  if exists (select from pg_roles where rolname = 'kontor') then
    revoke update, delete, truncate on heads from kontor;
  end if;
end $$;
