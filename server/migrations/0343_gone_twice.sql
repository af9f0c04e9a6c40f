-- Deposits that the venue took back after something of them had gone to their sender, or while it
-- was about to. There are few.
create index deposits_gone_twice on deposits (workspace, id)
where state = 'REVERSED' and (returned_quantity > 0 or returning_quantity > 0);
