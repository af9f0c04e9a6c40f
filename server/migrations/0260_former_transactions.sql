-- The transactions of a venue that lost their place to the one that stands for the withdrawal, oldest first.
alter table withdrawals
  add column former_transactions jsonb not null default '[]';
create index withdrawals_former on withdrawals using gin (former_transactions jsonb_path_ops) where former_transactions <> '[]';
