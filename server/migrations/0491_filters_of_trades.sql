-- Executions and fills by either asset and by quantity, payments by asset and quantity.
create index executions_base_asset on executions (workspace, base_asset, id);
create index executions_quote_asset on executions (workspace, quote_asset, id);
create index executions_amount on executions (workspace, amount, id);
create index fills_base_asset on fills (workspace, service_id, base_asset, id);
create index fills_quote_asset on fills (workspace, service_id, quote_asset, id);
create index fills_quantity on fills (workspace, service_id, quantity, id);
create index payments_asset on payments (workspace, asset, id);
create index payments_quantity on payments (workspace, quantity, id);
