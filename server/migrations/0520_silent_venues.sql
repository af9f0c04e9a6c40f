-- Since when a venue does not answer, as was told (server/src/desk/silence); null: it was told of nothing.
alter table venues add column silent_since bigint;
