-- readable by: 2

-- Of a call that people decide about: what it does, in parts that can be shown at any length. Null where `shown` is all there is, as in rows
-- of earlier releases.
alter table open_call add column words jsonb;
