-- Why a venue does not answer or cannot be connected, and since when; null while it answers.
alter table venues add column fault text, add column fault_since bigint;
