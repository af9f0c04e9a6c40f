-- What has left and is not wholly assigned to accounts: it waits on SUSPENSE for an owner.
alter table withdrawals add column unassigned boolean not null default false;

update withdrawals w
set unassigned = true
where w.state = 'SUCCESS'
  and not w.own_transfer
  and not w.venue_charge
  and (
    select coalesce(sum(a.quantity), 0)
    from assignments a
    where a.workspace = w.workspace
      and a.withdrawal_id = w.id
      and a.state = 'SUCCESSFUL'
      and a.rectification_id is null
  ) < (
    select trunc(w.quantity, s.scale)
    from assets s
    where s.workspace = w.workspace
      and s.code = w.asset
  );

drop index withdrawals_unmatched;
create index withdrawals_unassigned on withdrawals (workspace, id) where unassigned;
