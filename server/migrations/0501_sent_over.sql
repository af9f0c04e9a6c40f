-- The connection of its venue over which it was sent (server/src/venues/connections.ts): what is
-- looked up over another one is not absent there. Null where that is not known.
alter table withdrawals add column sent_over text;
alter table execution_orders add column sent_over text;
