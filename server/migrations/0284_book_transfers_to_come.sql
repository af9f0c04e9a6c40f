-- What a customer is about to get: while there is something, the customer is not deleted.
create index book_transfers_to_come on book_transfers (workspace, to_account_id) where state = 'PENDING';
