-- Who may read some mails only finds them without reading the others.
create index mails_type on mails (workspace, event_type, id);
