-- Lists of sanctions that the operator loads (server/src/screening), in their versions.
create table screening_lists (
  workspace uuid not null,
  id uuid not null,
  list text not null,
  number bigint not null check (number > 0),
  published text,
  sha256 text not null,
  files jsonb not null,
  entries bigint not null,
  terms bigint not null,
  added bigint not null,
  changed bigint not null,
  removed bigint not null,
  kept bigint not null,
  fault_count bigint not null,
  faults jsonb not null,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  unique (workspace, list, number)
);

-- An entry as the versions `since` up to `until` have it. One that says something else later is another row, so that each
-- version can be read again without storing what stays the same.
create table screening_entries (
  workspace uuid not null,
  id uuid not null,
  list text not null,
  key text not null,
  digest text not null,
  entry jsonb not null,
  since bigint not null,
  -- The first version that no longer has it; null: it counts.
  until bigint check (until > since),
  primary key (workspace, id)
);
create unique index screening_entries_current on screening_entries (workspace, list, key) where until is null;
create index screening_entries_key on screening_entries (workspace, list, key, since);

-- By what entries are found: names, addresses and codes, each in one way of writing.
create table screening_terms (
  workspace uuid not null,
  entry_id uuid not null,
  kind text not null check (kind in ('NAME', 'ADDRESS', 'BIC')),
  term text not null,
  -- As the list has it.
  listed text not null,
  primary key (workspace, entry_id, kind, term)
);
create index screening_terms_term on screening_terms (workspace, kind, term);
