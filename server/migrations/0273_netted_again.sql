-- Lines that took busted fills out of the nets of a settlement that was initiated:
-- [{fill_id, venue_id, asset, quantity, direction, corrected_at, corrected_by}].
alter table settlements add column corrections jsonb not null default '[]';

-- Of a busted fill: since when the nets of its settlement leave it out.
alter table fills add column corrected_at bigint;
-- What was busted before the transfers began is in no net. What was busted in a settlement that has ended was booked by hand.
update fills f
set corrected_at = f.system_updated_at
from settlements s
where s.workspace = f.workspace
  and s.id = f.settlement_id
  and f.busted
  and (
    s.state = 'SETTLED'
    or f.system_updated_at <= (
      select min(p.initiated_at)
      from settlement_parts p
      where p.workspace = s.workspace
        and p.settlement_id = s.id
    )
  );
create index fills_uncorrected on fills (workspace, settlement_id) where busted and settlement_id is not null and corrected_at is null;
