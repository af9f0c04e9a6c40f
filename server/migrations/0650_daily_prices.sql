-- What a pair cost at the end of each day, UTC (server/src/market-data/daily-prices.ts): by venue, taken once, and as a
-- person has entered it. Only ever added to: of several that were entered the last one counts.
create table daily_prices (
  workspace uuid not null,
  id uuid not null,
  day text not null check (day ~ '^\d{4}-\d{2}-\d{2}$'),
  base_asset text not null,
  quote_asset text not null,
  -- Null: entered by a person, who says from where.
  venue_id uuid,
  price numeric(38, 18) not null check (price > 0),
  -- Null: not known, of an entered price.
  priced_at bigint,
  timing text not null check (timing in ('CLOSE', 'EARLIER', 'ENTERED')),
  source text,
  system_created_at bigint not null,
  system_created_by text,
  primary key (workspace, id),
  check ((timing = 'ENTERED') = (venue_id is null)),
  check ((venue_id is null) = (priced_at is null)),
  check ((venue_id is null) = (source is not null))
);
create unique index daily_prices_taken on daily_prices (workspace, day, base_asset, quote_asset, venue_id) where venue_id is not null;
create index daily_prices_day on daily_prices (workspace, day, id);
create index daily_prices_base on daily_prices (workspace, base_asset, id);

create trigger daily_prices_kept before update or delete or truncate on daily_prices for each statement execute function refuse_change();
