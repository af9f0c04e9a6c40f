-- Proofs of segregation (server/src/desk/proofs): what customers owned at one sequence of the books, as a Merkle sum tree
-- per asset, beside what was held. docs/proof-of-segregation.md says what is hashed.
create table proofs (
  workspace uuid not null,
  id uuid not null,
  sequence bigint not null,
  batch_no bigint not null,
  books_hash bytea not null,
  -- Of the leaves: who has it, and an account's id, finds the owner that a leaf hashes.
  salt bytea not null,
  system_created_at bigint not null,
  system_created_by uuid,
  primary key (workspace, id)
);

create table proof_trees (
  workspace uuid not null,
  proof_id uuid not null,
  asset text not null,
  -- An amount of 1 is the last of so many decimals.
  decimals smallint not null,
  leaves bigint not null,
  total numeric not null,
  -- What customers owe: never netted with what others own.
  debtors bigint not null,
  debts numeric not null,
  held jsonb not null,
  in_transit numeric not null,
  -- Deposits without an owner.
  unassigned numeric not null,
  root bytea,
  primary key (workspace, proof_id, asset)
);

-- Level 0 has the leaves.
create table proof_nodes (
  workspace uuid not null,
  proof_id uuid not null,
  asset text not null,
  level smallint not null,
  position bigint not null,
  sum numeric not null,
  hash bytea not null,
  account_id uuid,
  nonce bytea,
  primary key (workspace, proof_id, asset, level, position)
);
create index proof_nodes_by_account on proof_nodes (workspace, proof_id, account_id) where account_id is not null;
