-- Whether it may go to the wallet of a customer who does not pay. Before, nobody asked.
alter table withdrawals add column third_party boolean not null default false;

-- Wallets by the address that a movement names, however either side spells it.
create index wallets_spelling on wallets (workspace, lower(regexp_replace(address, '\s', '', 'g')), id);
