-- Accounts of the house that a person opens and names: income, expenses and own funds.
alter table accounts add column named boolean not null default false;
alter table accounts drop constraint accounts_type_check;
alter table accounts add constraint accounts_type_check check (
  type in (
    'CUSTOMER', 'VENUE', 'TRADING', 'HOUSE', 'SUSPENSE', 'TRANSIT', 'MARGIN', 'RISK', 'FEE', 'ROUNDING',
    'INCOME', 'EXPENSE'
  )
);
alter table accounts add check (type not in ('INCOME', 'EXPENSE') or named);
alter table accounts add check (not named or type in ('HOUSE', 'INCOME', 'EXPENSE'));
drop index accounts_house;
create unique index accounts_house on accounts (workspace, type)
  where customer_id is null and venue_id is null and not named;
create unique index accounts_named on accounts (workspace, lower(label)) where named;

-- An assignment to an account of the house has no customer.
alter table assignments alter column customer_id drop not null;
