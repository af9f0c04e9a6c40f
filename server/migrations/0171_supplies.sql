-- Which aggregator a workspace asks for circulating supplies; of the key only where it lies.
create table aggregators (
  workspace uuid not null primary key,
  config jsonb not null,
  -- In a row, since its last answer.
  failures integer not null default 0 check (failures >= 0),
  error text
);

-- What it told last, in whole coins and fractions of them; nulls until then.
create table supplies (
  workspace uuid not null,
  asset text not null,
  coin text not null,
  circulating_supply numeric(38, 18) check (circulating_supply > 0),
  told_at bigint,
  primary key (workspace, asset),
  check ((circulating_supply is null) = (told_at is null))
);
