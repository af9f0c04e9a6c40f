-- Quotes are marked EXPIRED in the order in which their time ends, by one task for all; before, by a task each.
create index quotes_over on quotes (expires_at) where state = 'ACTIVE';
-- Nothing has read it.
drop index quotes_customer;
delete from tasks where kind = 'expire_quote';
