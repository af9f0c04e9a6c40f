-- Event types have plainer names, before anybody depends on them. The feed is written once: its
-- guard is lifted for this alone. Bookings and their chain hold no event types.
create temporary table event_names (old text primary key, new text not null) on commit drop;
insert into event_names (old, new) values
  ('brake.set', 'halt.set'),
  ('brake.released', 'halt.released'),
  ('venue.opening_reversed', 'venue.opening_balance_adjusted'),
  ('route.collection_made', 'route.collection_created'),
  ('route.allowlisted', 'route.allowlist_approved'),
  ('deposit.resumed', 'deposit.reinstated'),
  ('withdrawal.left_late', 'withdrawal.sent_after_end'),
  ('withdrawal.never_left', 'withdrawal.failed_after_success'),
  ('withdrawal.integrated', 'withdrawal.discovered'),
  ('withdrawal.charged', 'withdrawal.fee_adjusted'),
  ('withdrawal.held', 'withdrawal.review_started'),
  ('withdrawal.unobserved', 'withdrawal.outcome_unknown'),
  ('settlement.arrival_changed', 'settlement.expected_arrival_changed'),
  ('execution.unobserved', 'execution.outcome_unknown');

alter table events disable trigger events_immutable;
update events set type = n.new from event_names n where events.type = n.old;
alter table events enable trigger events_immutable;
update mails set event_type = n.new from event_names n where mails.event_type = n.old;

-- A halt was called a brake.
update job_runs set reason = 'HALTED' where reason = 'BRAKED';
update withdrawals set reason_code = 'HALTED' where reason_code = 'BRAKED';
update executions set reason_code = 'HALTED' where reason_code = 'BRAKED';
update execution_orders set reason_code = 'HALTED' where reason_code = 'BRAKED';
