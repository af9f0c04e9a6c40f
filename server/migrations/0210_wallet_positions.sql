-- What the books say of each wallet inside a venue, written with every booking that a movement makes there: so that a venue
-- that tells its wallets apart is compared wallet by wallet. What was booked at the venue and names no wallet is in none.
create table wallet_positions (
  workspace uuid not null,
  venue_id uuid not null,
  asset text not null,
  -- Where inside the venue, as its balances name it.
  wallet text not null,
  total numeric(38, 18) not null,
  primary key (workspace, venue_id, asset, wallet)
) with (fillfactor = 50);

-- Since when the books know the wallets of this asset; null: opened before they did, until venue and books are next seen equal.
alter table venue_openings add column placed_at bigint;

-- Where inside its venue a deposit arrived.
alter table deposits add column venue_wallet text;
update deposits d set venue_wallet = w.venue_wallet from wallets w where w.workspace = d.workspace and w.id = d.wallet_id and w.venue_wallet is not null;

-- One line per wallet, and '' for what lies in none; `wallets` stands on that one alone.
alter table positions add column wallet text not null default '';
alter table positions drop constraint positions_pkey;
alter table positions add primary key (workspace, venue_id, asset, wallet);

alter table breaks add column wallet text;
drop index breaks_open;
create unique index breaks_open on breaks (workspace, venue_id, asset, wallet) nulls not distinct where state = 'OPEN';
