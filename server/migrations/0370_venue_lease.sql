-- One process at a time works with the exchanges (server/src/venues/lease/lease.ts). Its times are the database's: the
-- machines of the processes may have others. The fence grows with each holder.
create table venue_lease (
  only_row boolean primary key default true check (only_row),
  holder uuid,
  fence bigint not null default 0,
  expires_at timestamptz not null default '-infinity'
);
insert into venue_lease default values;

-- Up to which nonce a holder may have used each credential. The next one begins above.
create table credential_nonces (
  credential text primary key,
  reserved_to bigint not null,
  fence bigint not null
);

-- What other processes ask the holder, and its answers (server/src/venues/lease/questions.ts). Rows live for seconds.
create table venue_questions (
  id uuid primary key,
  workspace uuid not null,
  venue_id uuid not null,
  question text not null,
  asked text not null,
  expires_at timestamptz not null,
  taken_by bigint,
  answer text
);
create index venue_questions_expired on venue_questions (expires_at);
