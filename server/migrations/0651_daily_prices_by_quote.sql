-- The list of daily prices is filtered by what a price is in, too.
create index daily_prices_quote on daily_prices (workspace, quote_asset, id);
