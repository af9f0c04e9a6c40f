-- Saved views of lists in the console (server/src/views): filters, columns and sort under a name. A view is its user's,
-- until the user shares it with the workspace.
create table views (
  workspace uuid not null,
  id uuid not null,
  user_id uuid not null,
  list text not null,
  name text not null,
  query text not null,
  shared boolean not null,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index views_name on views (workspace, user_id, list, name);
create index views_list on views (workspace, list, id);
