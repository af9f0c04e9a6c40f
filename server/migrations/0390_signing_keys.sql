-- The private half of a signing key is wrapped by a key that is not in the database, or plain where the operator has no
-- file for one. A retired key has none: its public half verifies what it has signed.
alter table signing_keys alter column private_key drop not null;
alter table signing_keys add column wrapped_key bytea;
alter table signing_keys add column wrapped_by text;
alter table signing_keys add column signs_from bigint;
update signing_keys set signs_from = created_at;
alter table signing_keys alter column signs_from set not null;
alter table signing_keys add check ((wrapped_key is null) = (wrapped_by is null));
alter table signing_keys add check (private_key is null or wrapped_key is null);
