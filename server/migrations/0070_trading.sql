-- Price-stream routes come from the configuration file, found again by `key`.
-- hops: [{hop_no, venue_id, service_id, base_asset, quote_asset}]; margin: {category: factor}.
create table price_stream_routes (
  workspace uuid not null,
  id uuid not null,
  key text not null,
  label text not null,
  symbol text not null,
  base_asset text not null,
  quote_asset text not null,
  hops jsonb not null,
  margin jsonb not null default '{}',
  risk_quantile numeric(38, 18) not null check (risk_quantile > 0 and risk_quantile < 1),
  active boolean not null,
  min_amount numeric(38, 18) not null check (min_amount > 0),
  max_amount numeric(38, 18) not null check (max_amount >= min_amount),
  amount_step numeric(38, 18) not null check (amount_step > 0),
  price_step numeric(38, 18) not null check (price_step > 0),
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index price_stream_routes_key on price_stream_routes (workspace, key);

-- buy and sell: what a side costs or brings, decimals as text. taker_fee is the venue's at the time.
create table quotes (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('ACTIVE', 'ACCEPTED', 'EXPIRED', 'CANCELED')),
  route_id uuid not null,
  symbol text not null,
  customer_id uuid not null,
  firm boolean not null,
  request_asset text not null,
  request_quantity numeric(38, 18) not null check (request_quantity > 0),
  request_side text check (request_side in ('BUY', 'SELL')),
  execution_type text check (execution_type in ('MARKET', 'LIMIT', 'STOP_MARKET')),
  risk_duration_ms integer not null,
  margin numeric(38, 18) not null check (margin >= 0),
  risk numeric(38, 18) not null check (risk >= 0),
  risk_source text not null check (risk_source in ('NONE', 'OBSERVED', 'CONFIGURED')),
  taker_fee numeric(38, 18) not null,
  created_at bigint not null,
  expires_at bigint not null,
  buy jsonb not null,
  sell jsonb not null,
  execution_id uuid,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  foreign key (workspace, route_id) references price_stream_routes (workspace, id),
  check (execution_id is null or state = 'ACCEPTED')
) with (fillfactor = 80);
create index quotes_active on quotes (workspace, id) where state = 'ACTIVE';
create index quotes_customer on quotes (workspace, customer_id, id) where state = 'ACTIVE';

-- filled_volume is what the venue traded, in the quote asset; what each customer paid or got stands with the customer.
create table executions (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('WAITING_FOR_TRIGGER', 'PROCESSING', 'CANCELING', 'UNKNOWN', 'DONE', 'CANCELED', 'EXPIRED', 'FAILED', 'REJECTED')),
  reason_code text,
  reason text,
  internal_ref text not null,
  route_id uuid not null,
  symbol text not null,
  base_asset text not null,
  quote_asset text not null,
  side text not null check (side in ('BUY', 'SELL')),
  execution_type text not null check (execution_type in ('MARKET')),
  mode text not null check (mode in ('AMOUNT')),
  amount numeric(38, 18) not null check (amount > 0),
  risk numeric(38, 18),
  margin numeric(38, 18),
  quote_id uuid,
  client_ref text,
  filled_amount numeric(38, 18) not null default 0,
  filled_volume numeric(38, 18) not null default 0,
  average_price numeric(38, 18),
  customer_price numeric(38, 18),
  fee numeric(38, 18) not null default 0,
  slippage numeric(38, 18),
  completed_at bigint,
  -- How it is priced: a firm quote's own parts, else the venue's taker fee and what the top of the book was.
  firm boolean not null,
  taker_fee numeric(38, 18) not null,
  top_price numeric(38, 18),
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  foreign key (workspace, route_id) references price_stream_routes (workspace, id),
  foreign key (workspace, quote_id) references quotes (workspace, id),
  check (not firm or quote_id is not null)
) with (fillfactor = 70);
create unique index executions_quote on executions (workspace, quote_id) where quote_id is not null;
create index executions_state on executions (workspace, state, id);
create index executions_client_ref on executions (workspace, client_ref, id) where client_ref is not null;
create index executions_created on executions (workspace, system_created_at);

-- Whom an execution is for. amount: his share in the base asset; filled_volume: what he paid or got, in the quote asset.
create table execution_customers (
  workspace uuid not null,
  execution_id uuid not null,
  customer_no smallint not null,
  customer_id uuid not null,
  account_id uuid not null,
  booking_schema text not null check (booking_schema in ('ADVANCED', 'SIMPLE')),
  hold_id uuid not null,
  quantity_absolute numeric(38, 18),
  amount numeric(38, 18) not null check (amount > 0),
  filled_amount numeric(38, 18) not null default 0,
  filled_volume numeric(38, 18) not null default 0,
  margin numeric(38, 18) not null,
  risk numeric(38, 18) not null,
  primary key (workspace, execution_id, customer_no),
  foreign key (workspace, execution_id) references executions (workspace, id)
) with (fillfactor = 70);
create index execution_customers_customer on execution_customers (workspace, customer_id, execution_id);

-- sent_at null: nothing has left. Set, before the venue is called: it may have left.
create table execution_orders (
  workspace uuid not null,
  id uuid not null,
  execution_id uuid not null,
  hop_no smallint not null,
  venue_id uuid not null,
  service_id uuid not null,
  symbol text not null,
  base_asset text not null,
  quote_asset text not null,
  side text not null check (side in ('BUY', 'SELL')),
  type text not null check (type in ('MARKET', 'LIMIT')),
  tif_mode text not null check (tif_mode in ('GTC', 'IOC')),
  price numeric(38, 18),
  quantity numeric(38, 18) not null check (quantity > 0),
  volume numeric(38, 18) not null default 0,
  filled_quantity numeric(38, 18) not null default 0,
  average_price numeric(38, 18),
  state text not null check (state in ('PENDING_NEW', 'NEW', 'PARTIALLY_FILLED', 'FILLED', 'PENDING_CANCEL', 'CANCELED', 'REJECTED', 'EXPIRED', 'UNKNOWN')),
  reason_code text,
  reason text,
  client_order_id text not null,
  foreign_id text,
  sent_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  foreign key (workspace, execution_id) references executions (workspace, id),
  check ((type = 'LIMIT') = (price is not null))
) with (fillfactor = 70);
create index execution_orders_execution on execution_orders (workspace, execution_id, id);
create unique index execution_orders_client on execution_orders (workspace, venue_id, client_order_id);

create table fills (
  workspace uuid not null,
  id uuid not null,
  execution_id uuid not null,
  order_id uuid not null,
  hop_no smallint not null,
  service_id uuid not null,
  venue_id uuid not null,
  symbol text not null,
  base_asset text not null,
  quote_asset text not null,
  side text not null check (side in ('BUY', 'SELL')),
  price numeric(38, 18) not null check (price > 0),
  quantity numeric(38, 18) not null check (quantity > 0),
  volume numeric(38, 18) not null,
  fee numeric(38, 18) not null,
  fee_asset text not null,
  liquidity text not null check (liquidity in ('MAKER', 'TAKER', 'UNKNOWN')),
  foreign_id text not null,
  executed_at bigint not null,
  settlement_state text not null check (settlement_state in ('UNSETTLED', 'SETTLED')),
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  foreign key (workspace, order_id) references execution_orders (workspace, id)
);
create unique index fills_trade on fills (workspace, venue_id, order_id, foreign_id);
create index fills_execution on fills (workspace, execution_id, id);
