-- Whether anything has moved through a wallet: then it keeps its customer.
create index deposits_wallet on deposits (workspace, wallet_id) where wallet_id is not null;
create index withdrawals_from on withdrawals (workspace, from_wallet_id) where from_wallet_id is not null;
