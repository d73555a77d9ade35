-- readable by: 2

create index entry_checkpoint on entry (session_key, generation, id) where kind = 'checkpoint';
