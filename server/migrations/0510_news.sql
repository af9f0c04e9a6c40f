-- How far a person has seen a list (server/src/desk/news): the sequence of the last event that they know of. What is new
-- is read from the events after it.
create table news_marks (
  workspace uuid not null,
  user_id uuid not null,
  list text not null,
  sequence bigint not null,
  seen_at bigint not null,
  primary key (workspace, user_id, list)
);
