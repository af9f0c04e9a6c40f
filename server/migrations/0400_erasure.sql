-- Personal data leaves, and the books stay (server/src/desk/erasure). What never changes may only lose its texts: the
-- triggers below let that through and nothing else.
alter table customers add column erased_at bigint;

-- One row for each time that a customer's data was erased. A task works it off slice by slice.
create table erasures (
  workspace uuid not null,
  id uuid not null,
  state text not null check (state in ('RUNNING', 'DONE')),
  customer_id uuid not null,
  reason text not null,
  completed_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check ((state = 'DONE') = (completed_at is not null))
);
create index erasures_customer on erasures (workspace, customer_id, id);
create unique index erasures_running on erasures (workspace, customer_id) where state = 'RUNNING';

-- What is erased is found by its customer.
create index matchings_resource on matchings (workspace, resource_id, id);
create index withdrawals_to on withdrawals (workspace, to_wallet_id, id) where to_wallet_id is not null;
create index batch_requests_withdrawal on batch_requests (workspace, withdrawal_id) where withdrawal_id is not null;

-- A word stands where a text of a customer was.
create function without_any_text(given jsonb) returns jsonb language plpgsql immutable as $$
begin
  if jsonb_typeof(given) = 'object' then
    return (select coalesce(jsonb_object_agg(f.key, without_any_text(f.value)), '{}') from jsonb_each(given) f);
  elsif jsonb_typeof(given) = 'array' then
    return (
      select coalesce(jsonb_agg(without_any_text(e.value) order by e.ordinality), '[]')
      from jsonb_array_elements(given) with ordinality e
    );
  elsif jsonb_typeof(given) = 'string' then
    return '"erased"';
  end if;
  return given;
end $$;

-- Only what has one of these names loses its texts, wherever it stands.
create function without_texts(given jsonb, names text[]) returns jsonb language plpgsql immutable as $$
begin
  if jsonb_typeof(given) = 'object' then
    return (
      select coalesce(
        jsonb_object_agg(f.key, case when f.key = any(names) then without_any_text(f.value) else without_texts(f.value, names) end), '{}'
      )
      from jsonb_each(given) f
    );
  elsif jsonb_typeof(given) = 'array' then
    return (
      select coalesce(jsonb_agg(without_texts(e.value, names) order by e.ordinality), '[]')
      from jsonb_array_elements(given) with ordinality e
    );
  end if;
  return given;
end $$;

-- The fields of an event that may be texts of a customer. The id in a foreign system is a customer's; of a movement it
-- is the venue's own.
create function event_texts(type text) returns text[] language sql immutable as $$
  select array[
    'label', 'before', 'first_name', 'last_name', 'company_name', 'joint_name', 'investment_entity_ids',
    'notification_recipients', 'address', 'destination_address', 'source_address', 'details', 'reference', 'reference_text',
    'tag', 'counterparty', 'recipient_name', 'payee_name', 'note', 'purpose', 'reason', 'review_reason', 'canceled_reason',
    'evidence', 'contradiction', 'transfer', 'configuration', 'matching_configurations', 'client_ref'
  ] || case when split_part(type, '.', 1) in ('customer', 'account') then array['foreign_id'] else '{}' end
$$;

-- An erased field leaves a digest, as which the chain of events holds it.
create function erase_event() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'data' <> to_jsonb(old) - 'data' or exists (
    select
    from jsonb_each(old.data) o
    full join jsonb_each(new.data) n on n.key = o.key
    where n.value is distinct from o.value
      and (
        n.key is null
        or o.key is null
        or o.key <> all(event_texts(old.type))
        or n.value #>> '{}' !~ '^erased sha256:[0-9a-f]{64}$'
      )
  ) then
    raise exception 'rows of % are never changed or deleted', tg_table_name;
  end if;
  return new;
end $$;

drop trigger events_immutable on events;
create trigger events_immutable before update on events for each row execute function erase_event();
create trigger events_kept before delete or truncate on events for each statement execute function refuse_change();

-- The chain holds a digest of a booking's description and of random bytes (the salt). When the text goes, the salt goes
-- with it and the digest stays: the chain still verifies, and nobody finds the text again by trying. A booking without a
-- salt is of before: the chain holds its text itself, so its batch is sealed again when the text goes.
alter table bookings add column description_salt bytea;
alter table bookings add column description_digest bytea;

create function erase_description() returns trigger language plpgsql as $$
begin
  if new.description is not null or old.description is null or to_jsonb(new) - 'description' <> to_jsonb(old) - 'description' then
    raise exception 'rows of % are never changed or deleted', tg_table_name;
  end if;
  new.description_digest := sha256(coalesce(old.description_salt, uuid_send(gen_random_uuid())) || convert_to(old.description, 'UTF8'));
  new.description_salt := null;
  delete from search_terms s
    using search_terms_of(to_jsonb(old), array['description:text']) o
    where s.workspace = old.workspace
      and s.kind = 'booking'
      and s.term = o.term
      and s.id = old.id;
  return new;
end $$;

drop trigger bookings_immutable on bookings;
create trigger bookings_immutable before update on bookings for each row execute function erase_description();
create trigger bookings_kept before delete or truncate on bookings for each statement execute function refuse_change();

-- The hash that a batch of before has without the texts that were erased from it, the last one. The batch's own hash
-- stays where it is, and the next batch follows it.
create table resealed_batches (
  workspace uuid not null,
  batch_no bigint not null,
  id uuid not null,
  hash bytea not null,
  resealed_at bigint not null,
  primary key (workspace, batch_no, id)
);
create trigger resealed_batches_immutable before update or delete or truncate on resealed_batches
  for each statement execute function refuse_change();

do $$
begin
  if exists (select from pg_roles where rolname = 'kontor') then
    grant update (data) on events to kontor;
    grant update (description) on bookings to kontor;
    revoke update, delete, truncate on resealed_batches from kontor;
  end if;
end $$;
