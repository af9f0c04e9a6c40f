-- The words that bookings are found by, for all bookings of a statement at once: row by row they took most of the time that
-- it takes to book.
create function keep_booking_terms() returns trigger language plpgsql as $$
begin
  insert into search_terms (workspace, kind, term, id, field)
    select b.workspace, 'booking', left(array_to_string(w.words[n:], ' '), 100), b.id, 'description'
    from new_bookings b
    cross join lateral (select string_to_array(search_text(b.description), ' ') as words offset 0) w
    cross join lateral generate_series(1, least(cardinality(w.words), 12)) n
    where b.type = 'MANUAL' and b.description is not null
    on conflict do nothing;
  return null;
end $$;

drop trigger search_terms_made on bookings;
create trigger search_terms_made after insert on bookings
  referencing new table as new_bookings for each statement execute function keep_booking_terms();
