-- What the configuration needs of a venue and the venue cannot serve, each with its reason.
alter table venues add column unserved jsonb not null default '[]';
