-- What search finds records by: one row for each thing that a record is known by, in one index. A text is kept once from each
-- of its words on, so that any run of its words is a prefix; a code (address, hash, reference of a venue, e-mail) without blanks
-- in small letters; an amount as `=1.5;`. Tables that grow with every trade have indexes of their own instead.
create table search_terms (
  workspace uuid not null,
  kind text not null,
  term text collate "C" not null,
  id uuid not null,
  field text not null
);
create unique index search_terms_term on search_terms (workspace, kind, term, id desc, field);

create function search_text(given text) returns text language sql immutable strict parallel safe as $$
  select array_to_string(array_remove(regexp_split_to_array(lower(given), '[^[:alnum:]]+'), ''), ' ')
$$;

create function search_code(given text) returns text language sql immutable strict parallel safe as $$
  select regexp_replace(regexp_replace(lower(given), '\s+', '', 'g'), '^0x', '')
$$;

-- `fields`: name:how, where name may lead into an object (counterparty.name) and how is text, code or amount.
create function search_terms_of(given jsonb, fields text[]) returns table (field text, term text) language sql immutable as $$
  with named as (
    select split_part(each, ':', 1) as name, split_part(each, ':', 2) as how from unnest(fields) as each
  ), valued as (
    select n.name, n.how, v.value from named n
    cross join lateral (select given #> string_to_array(n.name, '.') as found) f
    cross join lateral (
      select given #>> string_to_array(n.name, '.') as value where jsonb_typeof(f.found) in ('string', 'number')
      union all
      select e.value from jsonb_array_elements_text(case when jsonb_typeof(f.found) = 'array' then f.found else '[]' end) as e (value)
    ) v
  )
  select distinct name, left(t.term, 100) from valued
  cross join lateral (
    select search_code(value) as term where how = 'code'
    union all
    select '=' || trim_scale(value::numeric)::text || ';' where how = 'amount'
    union all
    select array_to_string(w.words[n:], ' ') from (select string_to_array(search_text(value), ' ') as words) w
      cross join lateral generate_series(1, least(cardinality(w.words), 12)) n where how = 'text'
  ) t
  where t.term <> ''
$$;

-- Arguments: the kind, then the fields.
create function keep_search_terms() returns trigger language plpgsql as $$
declare
  fields text[] := tg_argv[1:];
begin
  if tg_op = 'UPDATE' then
    delete from search_terms s using search_terms_of(to_jsonb(old), fields) o
      where s.workspace = old.workspace and s.kind = tg_argv[0] and s.term = o.term and s.id = old.id and s.field = o.field;
  end if;
  insert into search_terms (workspace, kind, term, id, field)
    select new.workspace, tg_argv[0], n.term, new.id, n.field from search_terms_of(to_jsonb(new), fields) n
    on conflict do nothing;
  return null;
end $$;

-- Names a table for search: its triggers, and the terms of the rows that are there.
create procedure find_by(of_table text, of_kind text, fields text[], of_rows text default 'true') language plpgsql as $$
declare
  columns text := (select string_agg(distinct split_part(split_part(each, ':', 1), '.', 1), ', ') from unnest(fields) as each);
  arguments text := (select string_agg(quote_literal(each), ', ') from unnest(of_kind || fields) as each);
begin
  execute format('create trigger search_terms_made after insert on %I for each row when (%s) execute function keep_search_terms(%s)', of_table, of_rows, arguments);
  if of_table <> 'bookings' then
    execute format('create trigger search_terms_kept after update of %s on %I for each row when (%s) execute function keep_search_terms(%s)', columns, of_table, of_rows, arguments);
  end if;
  execute format('insert into search_terms (workspace, kind, term, id, field) select new.workspace, %L, t.term, new.id, t.field from %I as new cross join search_terms_of(to_jsonb(new), %L) t where %s on conflict do nothing', of_kind, of_table, fields, of_rows);
end $$;

call find_by('customers', 'customer', array['label:text', 'first_name:text', 'last_name:text', 'company_name:text', 'joint_name:text', 'foreign_id:code', 'notification_recipients:code', 'notification_recipients:text']);
call find_by('accounts', 'account', array['label:text', 'foreign_id:code'], 'new.customer_id is null');
call find_by('deposits', 'deposit', array['transaction_hash:code', 'foreign_id:code', 'source_address:code', 'destination_address:code', 'tag:code', 'reference_text:text', 'counterparty.name:text', 'quantity:amount']);
call find_by('withdrawals', 'withdrawal', array['transaction_hash:code', 'foreign_id:code', 'external_id:code', 'destination_address:code', 'tag:code', 'reference_text:text', 'note:text', 'recipient_name:text', 'quantity:amount']);
call find_by('wallets', 'wallet', array['label:text', 'address:code', 'foreign_id:code', 'reference_text:text']);
call find_by('treasury_routes', 'route', array['label:text']);
call find_by('matchings', 'matching', array['destination_address:code', 'source_address:code', 'reference:text']);
call find_by('price_stream_routes', 'price_route', array['label:text', 'symbol:code']);
call find_by('venues', 'venue', array['label:text', 'key:code']);
call find_by('users', 'user', array['email:code', 'email:text', 'name:text']);
-- Only what people book has a description worth searching.
call find_by('bookings', 'booking', array['description:text'], 'new.type = ''MANUAL'' and new.description is not null');
drop procedure find_by;

create index executions_found_by_ref on executions (workspace, (lower(client_ref) collate "C"), id) where client_ref is not null;
create index executions_found_by_internal_ref on executions (workspace, internal_ref);
create index executions_found_by_amount on executions (workspace, amount, id);
create index execution_orders_found_by_foreign_id on execution_orders (workspace, foreign_id) where foreign_id is not null;
