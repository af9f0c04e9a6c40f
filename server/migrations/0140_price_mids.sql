-- The middle price of a market at the end of each 10 s (bucket: Unix time ÷ 10 s) of the last two hours, so that the risk
-- model survives a restart. Market data of a venue, which belongs to one workspace.
create table price_mids (
  venue_id uuid not null,
  base_asset text not null,
  quote_asset text not null,
  bucket bigint not null,
  mid numeric(38, 18) not null check (mid > 0),
  primary key (venue_id, base_asset, quote_asset, bucket)
);
create index price_mids_bucket on price_mids (bucket);
