-- Every trade of an account is a fill: also one whose order was placed outside (then it has no execution, order and hop),
-- and one that the venue took back (busted).
alter table fills alter column execution_id drop not null;
alter table fills alter column order_id drop not null;
alter table fills alter column hop_no drop not null;
alter table fills add column busted boolean not null default false;
alter table fills add constraint fills_outside check ((execution_id is null) = (order_id is null) and (order_id is null) = (hop_no is null));

-- A trade is told once, by whichever way it is seen first. Both sides of a trade with oneself may have one id.
drop index fills_trade;
create unique index fills_trade on fills (workspace, venue_id, foreign_id, base_asset, quote_asset, side);
create index fills_order on fills (workspace, order_id, id) where order_id is not null;
create index fills_service on fills (workspace, service_id, id);
