-- Where a payment was ordered to: what was confirmed is what is sent, whatever becomes of its route and its payee meanwhile.
alter table payments add column destination_digest text not null default '';
