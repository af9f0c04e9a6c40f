-- All execution types and modes, cancellation, several customers, routes over several hops.
alter table executions drop constraint executions_execution_type_check;
alter table executions add constraint executions_execution_type_check check (execution_type in ('MARKET', 'LIMIT', 'STOP_MARKET'));
alter table executions drop constraint executions_mode_check;
alter table executions add constraint executions_mode_check check (mode in ('AMOUNT', 'VOLUME'));
alter table executions add column volume numeric(38, 18) check (volume > 0);
-- LIMIT: what the customers pay or get per unit with everything inside. STOP_MARKET: the trigger.
alter table executions add column price numeric(38, 18) check (price > 0);
alter table executions add column tif_mode text check (tif_mode in ('GTC', 'GTD', 'IOC', 'FOK'));
alter table executions add column stop_order_condition text check (stop_order_condition in ('STOP_LOSS', 'TAKE_PROFIT'));
alter table executions add column expires_at bigint;
alter table executions add column triggered_at bigint;
alter table executions add column best_execution jsonb;
-- The route's hops when it was accepted, and the worst price of the route that what is blocked covers.
alter table executions add column hops jsonb not null default '[]';
alter table executions add column guard_price numeric(38, 18);
update executions e set hops = r.hops from price_stream_routes r where r.workspace = e.workspace and r.id = e.route_id;
alter table executions add constraint executions_mode_volume check ((mode = 'VOLUME') = (volume is not null));
alter table executions add constraint executions_type_price check ((execution_type = 'MARKET') = (price is null));
alter table executions add constraint executions_type_tif check ((execution_type = 'MARKET') = (tif_mode is null));
alter table executions add constraint executions_type_stop check ((execution_type = 'STOP_MARKET') = (stop_order_condition is not null));
alter table executions add constraint executions_tif_expires check ((tif_mode is not distinct from 'GTD') = (expires_at is not null));
create index executions_waiting on executions (workspace, route_id, id) where state = 'WAITING_FOR_TRIGGER';

alter table execution_customers add column volume numeric(38, 18);

alter table execution_orders drop constraint execution_orders_tif_mode_check;
alter table execution_orders add constraint execution_orders_tif_mode_check check (tif_mode in ('GTC', 'GTD', 'IOC', 'FOK'));
alter table execution_orders add column expires_at bigint;
-- Set before the venue is asked to cancel: it may have been asked.
alter table execution_orders add column cancel_sent_at bigint;
