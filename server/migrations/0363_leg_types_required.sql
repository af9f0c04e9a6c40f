-- A process of before 0351 writes legs without the type of their booking, and lists would leave them out.
alter table legs disable trigger legs_immutable;
update legs l set booking_type = b.type from bookings b where b.workspace = l.workspace and b.sequence = l.booking_sequence and l.booking_type is null;
alter table legs enable trigger legs_immutable;
alter table legs alter column booking_type set not null;
