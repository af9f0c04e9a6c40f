-- What is frozen at its venue is nobody's too.
drop index deposits_nobodys;
create index deposits_nobodys on deposits (workspace, wallet_id, quantity)
  where state in ('PENDING', 'PENDING_REVIEW', 'UNASSIGNED', 'REJECTED');
