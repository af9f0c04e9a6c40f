-- Comments, tags and saved views say in the audit trail what they were before and after, as
-- records do since 0530_audit_trail. What people write, and look for, stays out of it: it may
-- tell of a person.
create trigger change_noted after insert or update or delete on comments for each row when (current_setting('kontor.changes', true) <> '') execute function note_change('text');
create trigger change_noted after insert or update or delete on record_tags for each row when (current_setting('kontor.changes', true) <> '') execute function note_change('tag');
create trigger change_noted after insert or update or delete on views for each row when (current_setting('kontor.changes', true) <> '') execute function note_change('name', 'query');
