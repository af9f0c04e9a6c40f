-- What a venue sends by itself, from what is no account of ours there, as fuel for network fees.
alter table deposits add column by_venue boolean not null default false;
