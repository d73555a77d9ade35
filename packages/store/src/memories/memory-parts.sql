-- What a memory is made of: its own entries, and those of the memories that it begins with.

-- The newest part first, as `n` says; of each part, entries up to `until`. Ids grow from the oldest part to the newest. No history
-- is read through more than 200 parts.
create function memory_parts(key text, of_generation integer)
returns table (n integer, generation integer, until bigint) language sql stable as $$
  with recursive part (n, generation, until) as (
    select 1, of_generation, 9223372036854775807
    union all
    select part.n + 1, memory.parent_generation, least(part.until, memory.parent_until)
      from part join memory on memory.session_key = key and memory.generation = part.generation
     where memory.parent_generation is not null and part.n < 200
  )
  select part.n, part.generation, part.until from part order by part.n
$$;

-- What is older was cut off, and is no part of the memory any more.
create function history_start(key text, of_generation integer) returns bigint language sql stable as $$
  select coalesce((
    select history_from from memory where memory.session_key = key and memory.generation = of_generation), 0)
$$;

-- The newest entry that a memory holds, of those up to `most`. Looks no further than that, however many parts there are.
create function newest_entry(key text, of_generation integer, most bigint)
returns table (generation integer, id bigint, created_at timestamptz) language plpgsql stable as $$
#variable_conflict use_column
declare
  next memory;
  until bigint := most;
  since bigint := history_start(key, of_generation);
begin
  generation := of_generation;
  for n in 1 .. 200 loop
    select entry.id, entry.created_at into id, created_at
      from entry
     where entry.session_key = key and entry.generation = newest_entry.generation
       and entry.id <= until and entry.id >= since
       and not coalesce((select turn.retracted from turn where turn.turn_id = entry.turn_id), false)
     order by entry.id desc
     limit 1;
    if found then return next; return; end if;
    select memory.* into next from memory where memory.session_key = key and memory.generation = newest_entry.generation;
    if next.parent_generation is null then return; end if;
    generation := next.parent_generation;
    until := least(until, next.parent_until);
  end loop;
end $$;

-- The newest turns that a memory holds, newest first, as `n` counts them. `last` is the newest entry of a turn; those of the memory
-- that are older than the turn are at most `before`.
create function newest_turns(key text, of_generation integer, most integer)
returns table (n integer, turn_id text, generation integer, last bigint, before bigint) language plpgsql stable as $$
#variable_conflict use_column
declare
  since bigint := history_start(key, of_generation);
  part record;
  edge bigint;
begin
  n := 0;
  for part in
    select *, coalesce(lead(until) over (order by memory_parts.n), 0) as older from memory_parts(key, of_generation)
     order by memory_parts.n
  loop
    edge := part.until;
    while edge > part.older loop
      select entry.id, entry.turn_id into last, turn_id
        from entry
       where entry.session_key = key and entry.generation = part.generation and entry.id <= edge and entry.id >= since
       order by entry.id desc
       limit 1;
      exit when not found;
      -- Reads the entries of one turn.
      before := coalesce((
        select entry.id
          from entry
         where entry.session_key = key and entry.generation = part.generation and entry.id < newest_turns.last
           and entry.turn_id <> newest_turns.turn_id
         order by entry.id desc
         limit 1), part.older);
      edge := before;
      continue when (select turn.retracted from turn where turn.turn_id = newest_turns.turn_id);
      n := n + 1;
      generation := part.generation;
      return next;
      if n >= most then return; end if;
    end loop;
  end loop;
end $$;
