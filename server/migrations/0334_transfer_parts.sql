-- What of a movement is an own transfer. The rest of a payment that makes both is accounts'. Of a deposit also what a venue
-- pays for a settlement.
alter table withdrawals add column transfer_quantity numeric(38, 18) not null default 0;
update withdrawals set transfer_quantity = quantity where own_transfer;
alter table withdrawals add constraint withdrawals_transfer_check
  check (transfer_quantity between 0 and quantity and own_transfer = (transfer_quantity > 0));

alter table deposits add column transfer_quantity numeric(38, 18) not null default 0;
update deposits set transfer_quantity = quantity where own_transfer;
alter table deposits add constraint deposits_transfer_check
  check (transfer_quantity between 0 and quantity and (own_transfer or transfer_quantity = 0));

-- Payments with and without an account have one key now. What is prepared can still be submitted.
update batch_requests set bundle_key = replace(bundle_key, '"own transfer"', '"payment"') where state = 'PREPARED';
