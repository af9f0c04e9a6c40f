-- The caller's own name for a withdrawal, by which the list and search find it again.
alter table withdrawals add column client_ref text;
create index withdrawals_client_ref on withdrawals (workspace, client_ref, id) where client_ref is not null;

create trigger search_terms_of_client_ref_made after insert on withdrawals
  for each row
  when (new.client_ref is not null)
  execute function keep_search_terms('withdrawal', 'client_ref:code');
create trigger search_terms_of_client_ref_kept after update of client_ref on withdrawals
  for each row
  when (old.client_ref is distinct from new.client_ref)
  execute function keep_search_terms('withdrawal', 'client_ref:code');
