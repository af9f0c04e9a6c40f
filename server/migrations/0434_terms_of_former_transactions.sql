-- A withdrawal is found by the transactions, too, that lost their place to the one that stands for it. A list of objects
-- gives the values of each of them.
create or replace function search_terms_of(given jsonb, fields text[]) returns table (field text, term text) language sql immutable as $$
  with named as (
    select split_part(each, ':', 1) as name, split_part(each, ':', 2) as how from unnest(fields) as each
  ), valued as (
    select n.name, n.how, v.value from named n
    cross join lateral (select given #> string_to_array(n.name, '.') as found) f
    cross join lateral (
      select given #>> string_to_array(n.name, '.') as value where jsonb_typeof(f.found) in ('string', 'number')
      union all
      select o.value from jsonb_array_elements(case when jsonb_typeof(f.found) = 'array' then f.found else '[]' end) as e (value)
        cross join lateral (
          select e.value #>> '{}' as value where jsonb_typeof(e.value) <> 'object'
          union all
          select p.value from jsonb_each_text(case when jsonb_typeof(e.value) = 'object' then e.value else '{}' end) p
        ) o
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

create trigger search_terms_of_former_made after insert on withdrawals
  for each row
  when (new.former_transactions <> '[]')
  execute function keep_search_terms('withdrawal', 'former_transactions:code');
create trigger search_terms_of_former_kept after update of former_transactions on withdrawals
  for each row
  when (old.former_transactions is distinct from new.former_transactions)
  execute function keep_search_terms('withdrawal', 'former_transactions:code');

insert into search_terms (workspace, kind, term, id, field)
  select w.workspace, 'withdrawal', t.term, w.id, t.field
  from withdrawals w
  cross join search_terms_of(to_jsonb(w), array['former_transactions:code']) t
  where w.former_transactions <> '[]'
  on conflict do nothing;
