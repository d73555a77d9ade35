-- Returns the entries of the settled turns in the session's memory, from the newest checkpoint with what it keeps on, oldest first,
-- within {entries, bytes}: bounds of the statement, since turns themselves make checkpoints long before. A longer history is cut for
-- good to the newest {keptEntries, keptBytes}, in whole turns: if its beginning moved with every turn, no prompt could be cached. If the newest turn alone is larger than that, its middle is left out.
-- The newest checkpoint is never cut: it says of everything before it who has asked and what has tainted.
create function read_history(held session, limits jsonb) returns json language plpgsql as $$
declare
  kept_entries integer := (limits ->> 'keptEntries')::integer;
  kept_bytes bigint := (limits ->> 'keptBytes')::bigint;
  start bigint := greatest(checkpoint_start(held), coalesce(
    (select history_from from memory where session_key = held.session_key and generation = held.generation), 0));
  -- Newest first. `sums` are the bytes up to and including each entry.
  ids bigint[];
  found_ids bigint[];
  turns text[];
  generations integer[];
  sums bigint[];
  kept integer := 0;
begin
  select array_agg(id order by id desc), array_agg(turn_id order by id desc), array_agg(generation order by id desc),
         array_agg(sum order by id desc)
    into ids, turns, generations, sums
    from (select id, turn_id, generation, sum(bytes) over (order by id desc rows unbounded preceding)
            from memory_parts(held.session_key, held.generation) as part
                 cross join lateral (
                   select id, turn_id, bytes
                     from entry
                    where session_key = held.session_key and entry.generation = part.generation
                      and id between start and part.until
                      and turn_id is distinct from held.open_turn
                      and turn_id not in (select turn_id from turn where session_key = held.session_key and retracted)
                    order by id desc
                    limit (limits ->> 'entries')::integer + 1) as of_part
           order by id desc
           limit (limits ->> 'entries')::integer + 1) as newest;

  if cardinality(ids) > (limits ->> 'entries')::integer or sums[cardinality(sums)] > (limits ->> 'bytes')::bigint then
    for n in 1 .. cardinality(ids) loop
      exit when n > kept_entries or sums[n] > kept_bytes;
      if turns[n + 1] is distinct from turns[n] then kept := n; end if;
    end loop;
    start := ids[case when kept > 0 then kept else size_of_newest(turns) end];
    update memory set history_from = start where session_key = held.session_key and generation = held.generation;
    found_ids := ids;
    ids := case when kept > 0 then ids[1:kept] else ends_of_newest(ids, turns, sums, kept_entries, kept_bytes) end;
  end if;
  return coalesce((
    select json_agg(body order by id)
      from (select entry.id, body
              from entry
                   join unnest(coalesce(found_ids, ids), generations) as found (id, generation) using (id, generation)
             where session_key = held.session_key and id = any (ids)
             union all
            select entry.id, body
              from newest_checkpoint(held) as newest
                   join entry on entry.session_key = held.session_key and entry.generation = newest.generation
                                 and entry.id = newest.id
             where newest.id <> all (ids)) as shown), '[]');
end $$;

-- The entry from which the newest checkpoint of a settled turn is read on: the first of those before it, in its own turn, that it
-- keeps. It may be in any part of the memory.
create function checkpoint_start(held session) returns bigint language sql stable as $$
  select least(checkpoint.id, (
           select min(id)
             from (select id
                     from entry
                    where session_key = held.session_key and entry.generation = checkpoint.generation
                      and id < checkpoint.id and turn_id = checkpoint.turn_id
                    order by id desc
                    limit checkpoint.keeps) as kept))
    from newest_checkpoint(held) as checkpoint
$$;

create function newest_checkpoint(held session)
returns table (id bigint, turn_id text, generation integer, keeps integer) language sql stable as $$
  select checkpoint.*
    from memory_parts(held.session_key, held.generation) as part
         cross join lateral (
           select entry.id, entry.turn_id, entry.generation, (body ->> 'keeps')::integer as keeps
             from entry
            where session_key = held.session_key and entry.generation = part.generation and entry.id <= part.until
              and kind = 'checkpoint'
              and entry.turn_id is distinct from held.open_turn
              and entry.turn_id not in (select turn.turn_id from turn where session_key = held.session_key and retracted)
            order by entry.id desc
            limit 1) as checkpoint
   order by checkpoint.id desc
   limit 1
$$;

create function size_of_newest(turns text[]) returns integer language sql immutable as $$
  select max(n)::integer from unnest(turns) with ordinality as given (turn_id, n) where turn_id = turns[1]
$$;

-- A turn begins with the question and ends with the answer, so each end gets half of the limits.
create function ends_of_newest(ids bigint[], turns text[], sums bigint[], most_entries integer, most_bytes bigint)
returns bigint[] language plpgsql immutable as $$
declare
  size integer := size_of_newest(turns);
begin
  return array(
    select ids[n]
      from generate_series(1, size) as n
     where (n <= (most_entries + 1) / 2 and sums[n] <= most_bytes / 2)
        or (size - n < (most_entries + 1) / 2 and sums[size] - coalesce(sums[n - 1], 0) <= most_bytes / 2));
end $$;
