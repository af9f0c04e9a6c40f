-- Customers of one name are told from each other by the end of their id. Search finds it.
create index customers_short_id on customers (workspace, right(id::text, 6));
