-- Quotes that nobody took are deleted in the order in which they ended.
create index quotes_ended on quotes (expires_at) where state in ('EXPIRED', 'CANCELED');
