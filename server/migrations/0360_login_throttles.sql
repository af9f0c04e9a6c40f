-- Failed logins are counted by what is slowed down (server/src/access/login-throttle.ts): an account from one network
-- or one known device, and, of those nobody knows, an account and a network as a whole. What is counted now is over
-- within the hour.
delete from login_failures;
alter table login_failures rename column email to subject;
alter table login_failures rename to login_throttles;

-- From where an account was logged in to. Who comes from there again is not held up by the failures of others.
create table login_networks (
  email text not null,
  network text not null,
  seen_at bigint not null,
  primary key (email, network)
);
create index login_networks_seen on login_networks (seen_at);
