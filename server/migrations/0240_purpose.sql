-- What a payment is for, in words that the payee can read.
alter table withdrawals add column purpose text check (char_length(purpose) between 1 and 140);
