-- Deposits and withdrawals by asset, quantity, wallet, and by the account that has a part of them.
create index deposits_asset on deposits (workspace, asset, id);
create index deposits_quantity on deposits (workspace, quantity, id);
create index withdrawals_asset on withdrawals (workspace, asset, id);
create index withdrawals_quantity on withdrawals (workspace, quantity, id);
drop index deposits_wallet;
create index deposits_wallet on deposits (workspace, wallet_id, id) where wallet_id is not null;
drop index withdrawals_from;
create index withdrawals_from on withdrawals (workspace, from_wallet_id, id) where from_wallet_id is not null;
create index assignments_deposits_of on assignments (workspace, account_id, deposit_id) where deposit_id is not null and rectification_id is null;
create index assignments_withdrawals_of on assignments (workspace, account_id, withdrawal_id) where withdrawal_id is not null and rectification_id is null;
