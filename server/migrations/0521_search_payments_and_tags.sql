-- A payment is found by what it says, and by its payee: over the wallet and the route that say who that is.
create trigger search_terms_made after insert on payments
  for each row
  execute function keep_search_terms('payment', 'reference:text', 'purpose:text', 'note:text', 'client_ref:code', 'quantity:amount');
create trigger search_terms_kept after update of reference, purpose, note, client_ref, quantity on payments
  for each row
  execute function keep_search_terms('payment', 'reference:text', 'purpose:text', 'note:text', 'client_ref:code', 'quantity:amount');
insert into search_terms (workspace, kind, term, id, field)
  select p.workspace, 'payment', t.term, p.id, t.field
  from payments p
  cross join search_terms_of(to_jsonb(p), array['reference:text', 'purpose:text', 'note:text', 'client_ref:code', 'quantity:amount']) t
  on conflict do nothing;
create index payments_route on payments (workspace, route_id, id);

-- A treasury route is found by the name that its venue is told of the payee.
create trigger search_terms_of_payee_made after insert on treasury_routes
  for each row
  execute function keep_search_terms('route', 'transfer.to.name:text');
create trigger search_terms_of_payee_kept after update of transfer on treasury_routes
  for each row
  when (old.transfer -> 'to' -> 'name' is distinct from new.transfer -> 'to' -> 'name')
  execute function keep_search_terms('route', 'transfer.to.name:text');
insert into search_terms (workspace, kind, term, id, field)
  select r.workspace, 'route', t.term, r.id, t.field
  from treasury_routes r
  cross join search_terms_of(to_jsonb(r), array['transfer.to.name:text']) t
  on conflict do nothing;

-- A record is found by its tags. One is added and taken off, never changed.
create function keep_tag_terms() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from search_terms
      where workspace = old.workspace and kind = old.kind and term = search_code(old.tag) and id = old.record_id and field = 'record_tag';
  else
    insert into search_terms (workspace, kind, term, id, field)
      values (new.workspace, new.kind, search_code(new.tag), new.record_id, 'record_tag')
      on conflict do nothing;
  end if;
  return null;
end $$;
create trigger search_terms_made after insert on record_tags for each row execute function keep_tag_terms();
create trigger search_terms_gone after delete on record_tags for each row execute function keep_tag_terms();
insert into search_terms (workspace, kind, term, id, field)
  select workspace, kind, search_code(tag), record_id, 'record_tag'
  from record_tags
  on conflict do nothing;
