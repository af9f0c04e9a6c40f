-- The bookings of an account that have a type are found without reading the others: a leg has the type of its booking.
alter table legs add column booking_type text;
alter table legs disable trigger legs_immutable;
update legs l set booking_type = b.type from bookings b where b.workspace = l.workspace and b.sequence = l.booking_sequence;
alter table legs enable trigger legs_immutable;
create index legs_account_type on legs (workspace, account_id, booking_type, booking_sequence);
