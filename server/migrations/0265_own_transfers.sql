-- From which IBANs a venue pays us; a wire from one of them may be the arrival of an own transfer.
alter table venues add column payout_ibans text[] not null default '{}';

-- The reference that a payment carries, which may be ours.
alter table deposits add column carried_external_id text;

-- Who owes it: its payment is known by that venue's IBANs, no longer by an account of ours there.
alter table expected_arrivals add column venue_id uuid;
update expected_arrivals a set venue_id = p.venue_id from settlement_parts p
  where p.workspace = a.workspace and p.id = a.id;
alter table expected_arrivals alter column venue_id set not null;
alter table expected_arrivals drop column source_address;

create index withdrawals_to_arrive on withdrawals (workspace, to_wallet_id, quantity)
  where own_transfer and arrived_at is null and state in ('PENDING', 'PENDING_REVIEW', 'UNKNOWN', 'SUCCESS');
create index deposits_nobodys on deposits (workspace, wallet_id, quantity)
  where state in ('PENDING', 'UNASSIGNED', 'REJECTED');
