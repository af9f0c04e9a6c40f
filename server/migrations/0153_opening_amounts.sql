-- What the opening balance contains of a movement, so that it can be taken out again when the venue reverses it: [{asset, quantity}], negative for what had left. Null: nothing.
alter table opening_movements add column amounts jsonb;
