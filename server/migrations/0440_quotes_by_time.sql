-- Quotes are kept in partitions by the time in their ids, and dropped a partition at a time. One that somebody took is
-- copied into a table of its own by the commit that takes it.
create table taken_quotes (like quotes including defaults including constraints);
alter table taken_quotes add primary key (workspace, id);
alter table taken_quotes add foreign key (workspace, route_id) references price_stream_routes (workspace, id);
alter table taken_quotes add check (state = 'ACCEPTED');

do $$
declare
  of_columns text;
begin
  select string_agg(attname, ', ' order by attnum)
  into of_columns
  from pg_attribute
  where attrelid = 'quotes'::regclass and attnum > 0 and not attisdropped;
  execute format('insert into taken_quotes (%1$s) select %1$s from quotes where state = ''ACCEPTED''', of_columns);
end $$;
alter table executions drop constraint executions_workspace_quote_id_fkey;
alter table executions add foreign key (workspace, quote_id) references taken_quotes (workspace, id);
delete from quotes where state = 'ACCEPTED';

-- What is there becomes the first partition, without being copied. Partitions refer to nothing: dropping one would lock
-- the table that it refers to. Routes are never deleted.
alter table quotes drop constraint quotes_workspace_route_id_fkey;
drop index quotes_ended;
alter table quotes rename to quotes_first;
alter table quotes_first rename constraint quotes_pkey to quotes_first_pkey;
alter index quotes_active rename to quotes_first_active;
alter index quotes_over rename to quotes_first_over;
create table quotes (like quotes_first including defaults including constraints) partition by range (id);
alter table quotes add primary key (workspace, id);
create index quotes_active on quotes (workspace, id) where state = 'ACTIVE';
create index quotes_over on quotes (expires_at) where state = 'ACTIVE';

-- A taken quote's row among the others has no execution_id. It is there so that nobody takes it again.
create view all_quotes as
  select * from quotes where state <> 'ACCEPTED'
  union all
  select * from taken_quotes;

-- The first of the ids that carry this time (ms), and the time that an id carries.
create function first_id_at(at bigint) returns uuid language sql immutable as $$
  select rpad(lpad(to_hex(at), 12, '0'), 32, '0')::uuid
$$;
create function time_of_id(id uuid) returns bigint language sql immutable as $$
  select ('x0000' || left(replace(id::text, '-', ''), 12))::bit(64)::bigint
$$;

-- until: the end, which is no part of it.
create function quote_partitions() returns table (name text, since bigint, until bigint)
language sql stable set search_path = public, pg_temp as $$
  select relname::text,
    coalesce(time_of_id(substring(bound from 'FROM \(''([0-9a-f-]{36})''\)')::uuid), 0),
    coalesce(time_of_id(substring(bound from 'TO \(''([0-9a-f-]{36})''\)')::uuid), 9223372036854775807)
  from (
    select c.relname, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'quotes'::regclass
  ) as parts
$$;

-- Fills what has no partition between two times with partitions that end at multiples of a length. Answers how many it
-- made. It may be called by several at once, and holds up nobody who reads or writes: a table is attached under a lock
-- that goes with theirs. The service owns no tables, so the owner's rights do it.
create function make_quote_partitions(since bigint, up_to bigint, length bigint) returns integer
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '5s' as $$
declare
  hour constant bigint := 3600000;
  place bigint := since - since % hour;
  ends bigint;
  made integer := 0;
  part text;
begin
  if length < hour or length % hour <> 0 then
    raise exception 'a partition is whole hours long, not % ms', length;
  end if;
  perform pg_advisory_xact_lock(4711000003);
  while place < up_to loop
    select max(p.until) into ends
    from quote_partitions() p
    where p.since <= place and p.until > place;
    if ends is null then
      select least(place - place % length + length, min(p.since)) into ends
      from quote_partitions() p
      where p.since > place;
      part := to_char(to_timestamp(place / 1000) at time zone 'UTC', '"quotes_"YYYYMMDD"t"HH24');
      execute format('create table %I (like quotes including all) with (fillfactor = 80)', part);
      execute format(
        'alter table quotes attach partition %I for values from (%L) to (%L)',
        part, first_id_at(place), first_id_at(ends)
      );
      made := made + 1;
    end if;
    place := ends;
  end loop;
  return made;
end $$;

-- Drops the oldest partition that ends by this time, and answers its name: null where there is none. Quotes wait for
-- the lock for a moment at most; when it is not to be had, the caller comes again (55P03).
create function drop_quote_partition(up_to bigint) returns text
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '50ms' as $$
declare
  part text;
  open boolean;
begin
  perform pg_advisory_xact_lock(4711000003);
  for part in
    select p.name from quote_partitions() p where p.until <= up_to order by p.until
  loop
    execute format('select exists (select from %I where state = ''ACTIVE'')', part) into open;
    continue when open;
    lock table only quotes in access exclusive mode;
    execute format('lock table %I in access exclusive mode nowait', part);
    execute format('select exists (select from %I where state = ''ACTIVE'')', part) into open;
    if not open then
      execute format('drop table %I', part);
      return part;
    end if;
  end loop;
  return null;
end $$;

revoke execute on function make_quote_partitions, drop_quote_partition from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'kontor') then
    grant execute on function make_quote_partitions, drop_quote_partition to kontor;
  end if;
end $$;

-- Quotes whose clock was ahead wait beside, and get partitions of their own.
do $$
declare
  bound bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint;
begin
  bound := bound - bound % 3600000 + 3600000;
  create temp table quotes_ahead on commit drop as
    select * from quotes_first where id >= first_id_at(bound);
  delete from quotes_first where id >= first_id_at(bound);
  execute format(
    'alter table quotes attach partition quotes_first for values from (minvalue) to (%L)', first_id_at(bound)
  );
  perform make_quote_partitions(day, day + 1, 86400000)
  from (select distinct time_of_id(id) / 86400000 * 86400000 as day from quotes_ahead) as days;
  insert into quotes select * from quotes_ahead;
  drop table quotes_ahead;
end $$;
