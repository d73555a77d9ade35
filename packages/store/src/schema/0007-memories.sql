-- readable by: 2

-- A session has one memory after the other. Each has a generation of its own, the current one the highest. A memory may begin with
-- what another one held: it is read through that one's entries, which are never copied.
alter table memory
  -- Null until its first turn has begun, in one that was only given a title.
  alter column prompt drop not null,
  -- What people call it. It stays when the memory goes on under another generation. Null: the generation.
  add column number integer,
  -- It begins with the entries of this generation up to this one.
  add column parent_generation integer,
  add column parent_until bigint,
  -- The generation as which it goes on. It is in no list itself.
  add column continued_by integer,
  add column title text,
  -- The first words of its first turn.
  add column beginning text,
  -- Turns that it holds, those of its parents too. Null: begun by an older release, which does not count.
  add column turns integer,
  -- What fills the model's window, as the last turn has said it.
  add column context jsonb,
  -- The first turn after this one, '' for none, begins by compressing. Null: nobody has asked for it.
  add column compact_after text;
-- Its row is written by each turn that ends.
alter table memory set (fillfactor = 70);

-- The current memory when the holder last claimed the session.
alter table session add column claimed_generation integer;
