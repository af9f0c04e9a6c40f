-- Whether the arrival of a transaction was reported before its withdrawal.
create index deposits_by_transaction on deposits (workspace, lower(transaction_hash))
  where transaction_hash is not null;
