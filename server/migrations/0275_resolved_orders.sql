-- What became of an order whose outcome the venue did not report, as a person entered it, and by what evidence.
alter table execution_orders add column resolved_at bigint;
alter table execution_orders add column resolved_by text;
alter table execution_orders add column evidence text;
-- Since when the venue's own report agrees with it; or what it reports instead, until a person has dealt with it.
alter table execution_orders add column confirmed_at bigint;
alter table execution_orders add column contradiction text;
create index execution_orders_contradicted on execution_orders (workspace, execution_id) where contradiction is not null;
-- A trade that a person entered.
alter table fills add column entered_by text;
