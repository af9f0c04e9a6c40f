-- A wallet that the venue makes is CREATING until the venue answered, and has no address until then.
alter table wallets drop constraint wallets_state_check;
alter table wallets add constraint wallets_state_check check (state in ('CREATING', 'ACTIVE', 'FAILED'));
alter table wallets add constraint wallets_address_check check (address <> '' or configuration @> '{"create_external_wallet": true}');
-- Committed before the venue is asked: from then on the wallet may exist there, under our wallet's id as reference.
alter table wallets add column creation_requested_at bigint;
-- Why it could not be created.
alter table wallets add column reason text;
-- One address made by a venue belongs to one wallet.
create unique index wallets_created on wallets (workspace, venue_id, asset, address, coalesce(reference_text, '')) where creation_requested_at is not null and address <> '';
