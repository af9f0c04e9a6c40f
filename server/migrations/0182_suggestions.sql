-- Whose a deposit may be: what came from the same source before, and what was sent there.
create index deposits_source on deposits (workspace, source_address, id) where source_address is not null;
create index withdrawals_destination on withdrawals (workspace, destination_address, id);
