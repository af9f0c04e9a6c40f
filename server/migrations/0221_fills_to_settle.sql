-- The page of a settlement's fills, and of those that it may take, by their key.
drop index fills_settlement;
create index fills_settlement on fills (workspace, settlement_id, id) where settlement_id is not null;
create index fills_open on fills (workspace, venue_id, id) where settlement_state <> 'SETTLED';
