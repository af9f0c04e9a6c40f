-- Webhooks (server/src/webhooks): where events are delivered to. The secret that signs is wrapped by a key that is not in
-- the database. During a rotation the former one signs too.
create table webhooks (
  workspace uuid not null,
  id uuid not null,
  label text not null,
  url text not null,
  types text[] not null,
  ordered boolean not null,
  state text not null check (state in ('ACTIVE', 'PAUSED', 'DELETED')),
  owner_id uuid not null,
  pause_cause text check (pause_cause in ('BY_HAND', 'FAILING', 'GONE', 'OWNER', 'SECRET')),
  pause_reason text,
  paused_at bigint,
  wrapped_secret bytea,
  wrapped_by text,
  former_wrapped_secret bytea,
  former_wrapped_by text,
  former_until bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id),
  check ((state = 'DELETED') = (wrapped_secret is null)),
  check ((state = 'PAUSED') = (pause_cause is not null))
);
create index webhooks_state on webhooks (workspace, state, id);
create index webhooks_active on webhooks (workspace, id) where state = 'ACTIVE';
create index webhooks_paused on webhooks (workspace, pause_cause, paused_at) where state = 'PAUSED';

-- How far the events of the workspace have been read for a webhook, and how its receiver is doing.
create table webhook_progress (
  workspace uuid not null,
  webhook_id uuid not null,
  sequence bigint not null,
  failing_since bigint,
  failures integer not null default 0,
  not_before bigint not null default 0,
  primary key (workspace, webhook_id)
);

-- One event for one webhook. `message_id` is the id of the event, and what receivers tell repeats by. `step` is the place
-- in the ladder of attempts; `attempts` counts all, so it also numbers who may record an outcome.
create table webhook_deliveries (
  workspace uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  message_id uuid not null,
  event_sequence bigint,
  event_type text not null,
  resource_id uuid not null,
  state text not null check (state in ('PENDING', 'DELIVERED', 'FAILED', 'CANCELED')),
  attempts bigint not null default 0,
  step bigint not null default 0,
  due_at bigint not null,
  status bigint,
  reason text,
  delivered_at bigint,
  system_created_at bigint not null,
  system_created_by text,
  system_updated_at bigint not null,
  system_updated_by text,
  version integer not null default 1,
  primary key (workspace, id)
);
create unique index webhook_deliveries_message on webhook_deliveries (workspace, webhook_id, message_id);
create index webhook_deliveries_webhook on webhook_deliveries (workspace, webhook_id, id);
create index webhook_deliveries_state on webhook_deliveries (workspace, state, id);
create index webhook_deliveries_webhook_state on webhook_deliveries (workspace, webhook_id, state, id);
create index webhook_deliveries_type on webhook_deliveries (workspace, event_type, id);
create index webhook_deliveries_due on webhook_deliveries (workspace, webhook_id, due_at) where state = 'PENDING';
create index webhook_deliveries_order on webhook_deliveries (workspace, webhook_id, resource_id, event_sequence)
  where state = 'PENDING';
create index webhook_deliveries_failed on webhook_deliveries (workspace, webhook_id, event_sequence) where state = 'FAILED';
create index webhook_deliveries_ended on webhook_deliveries (system_updated_at) where state <> 'PENDING';
create index webhook_deliveries_given_up on webhook_deliveries (system_updated_at) where state = 'FAILED';
create index webhook_deliveries_waiting on webhook_deliveries (system_created_at) where state = 'PENDING';

-- What was sent, without the body, which is made from the event; and the beginning of what was answered. Stored before it
-- is sent: one without an outcome was cut off.
create table webhook_attempts (
  workspace uuid not null,
  delivery_id uuid not null,
  number bigint not null,
  started_at bigint not null,
  duration_ms bigint,
  url text not null,
  request_headers jsonb not null,
  status bigint,
  response_headers jsonb,
  response_body text,
  reason text,
  primary key (workspace, delivery_id, number),
  foreign key (workspace, delivery_id) references webhook_deliveries (workspace, id) on delete cascade
);

-- Ranges that are delivered again, and how far that is.
create table webhook_redeliveries (
  workspace uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  "position" bigint not null,
  up_to bigint not null,
  only_failed boolean not null,
  asked_by text not null,
  primary key (workspace, id)
);
