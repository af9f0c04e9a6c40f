-- A booking is reversed once, whoever does it.
create unique index bookings_reversed on bookings (workspace, reverses_id) where reverses_id is not null;
