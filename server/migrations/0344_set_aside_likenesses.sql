-- What is known of a record that was set aside and whose id is none that its venue gave it: by
-- this a later record of the same money finds what a user has decided.
create table set_aside_likenesses (
  workspace uuid not null,
  item_id uuid not null,
  venue_id uuid not null,
  day text not null,
  quantity numeric(38, 18),
  -- The venue's reference of the entry, and ours, where it names them.
  names text[] not null,
  primary key (workspace, item_id),
  foreign key (workspace, item_id) references set_aside_items (workspace, id)
);
create index set_aside_likenesses_day on set_aside_likenesses (workspace, venue_id, day);
