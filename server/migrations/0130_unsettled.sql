-- What a customer has bought at a venue that settles after the trade: his, tradable, and not to be withdrawn yet. Kept like a
-- hold, one per credit, released as the trades settle; the balance row carries the sum.
alter table balances add column unsettled numeric(38, 18) not null default 0;
alter table balances add constraint balances_unsettled check (unsettled >= 0);
alter table holds drop constraint holds_kind_check;
alter table holds add constraint holds_kind_check check (kind in ('WITHDRAWAL', 'TRADING', 'UNSETTLED'));
