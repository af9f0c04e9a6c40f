-- Our reference of the allow-list collection that the venue makes for this route, kept while the collection is the route's:
-- with it and no collection in transfer.from it is still being made. Null: the caller named it, or the venue has none.
alter table treasury_routes add column collection_external_id uuid;
