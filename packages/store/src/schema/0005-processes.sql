-- readable by: 2

-- The worker whose process the call waits for: its answer is lost with it. Null: it waits for somebody, or something, else.
alter table open_call add column held_by text collate "C";
create index open_call_held on open_call (held_by) where settled_at is null and held_by is not null;
