-- The wallet through which a matching was made (matching_configurations): replaced as a whole by an edit of the wallet.
alter table matchings add column wallet_id uuid;
create index matchings_wallet on matchings (workspace, wallet_id, id) where wallet_id is not null and state = 'ACTIVE';
