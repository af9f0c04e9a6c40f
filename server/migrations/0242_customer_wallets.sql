-- The wallets that lie at one place inside a venue.
create index wallets_place on wallets (workspace, venue_id, venue_wallet, asset) where venue_wallet is not null;

-- What has left and no matching could give to anybody.
create index withdrawals_unmatched on withdrawals (workspace, id) where state = 'SUCCESS' and reason_code is not null;
