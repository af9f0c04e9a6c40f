-- What movements were screened with, and what was found (server/src/screening). Texts of customers are erased, rows stay.
create table screenings (
  workspace uuid not null,
  id uuid not null,
  record_kind text not null check (record_kind in ('WITHDRAWAL')),
  record_id uuid not null,
  outcome text not null check (outcome in ('CLEAR', 'HIT')),
  subject jsonb not null,
  -- With which lists, each in its version.
  basis jsonb not null,
  matches jsonb not null,
  case_id uuid,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create index screenings_record on screenings (workspace, record_id, id);
create index screenings_case on screenings (workspace, case_id, id) where case_id is not null;

-- A hit that a person decides about. Kept as long as the books.
create table screening_cases (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('OPEN', 'CLEARED', 'REFUSED')),
  record_kind text not null check (record_kind in ('WITHDRAWAL')),
  record_id uuid not null,
  asset text not null,
  quantity numeric(38, 18) not null,
  subject jsonb not null,
  matches jsonb not null,
  decided_by text,
  decided_at bigint,
  reason text,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index screening_cases_open on screening_cases (workspace, record_id) where state = 'OPEN';
create index screening_cases_record on screening_cases (workspace, record_id, id);
create index screening_cases_state on screening_cases (workspace, state, id);
create function refuse_case_removal() returns trigger language plpgsql as $$
begin
  raise exception 'cases of screening are never deleted';
end $$;
create trigger screening_cases_kept before delete or truncate on screening_cases for each statement execute function refuse_case_removal();
