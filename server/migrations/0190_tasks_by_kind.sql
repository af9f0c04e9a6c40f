-- Due work is claimed kind by kind: a backlog of one kind is not read through to find another.
create index tasks_kind_due on tasks (kind, due_at);
drop index tasks_due;
