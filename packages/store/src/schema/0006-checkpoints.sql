-- readable by: 2

-- A history is read from the newest checkpoint on, however many entries are before it.
create index entry_checkpoint on entry (session_key, generation, id) where kind = 'checkpoint';
