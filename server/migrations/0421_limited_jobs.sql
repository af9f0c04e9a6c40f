-- The API key by which a program last wrote a transfer job: its limits hold for what the job moves, also once the key is
-- revoked. Null: a person wrote it.
alter table transfer_jobs add column limited_by uuid;
