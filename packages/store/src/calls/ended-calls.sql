-- Calls that went on beside their turn and that somebody has ended, or whose end nobody tells any more: each memory that holds such a turn is told
-- once, by the next turn there. The newest 20, oldest first. Null for none.
create function ended_calls_here(held session) returns json language sql stable as $$
  with part as materialized (select generation, until from memory_parts(held.session_key, held.generation))
  select json_agg(json_build_object('id', id, 'name', name, 'arguments', arguments) order by settled_at, id)
    from (select one.id, one.name, left(one.arguments, 1000) as arguments, one.settled_at
            from open_call as one
           where one.session_key = held.session_key and one.settlement = 'cancelled' and one.waits_for = 'process'
             -- What waited for nothing else than its answer was part of a turn that was stopped as a whole.
             and right(one.call_id, 4) = '/end'
             and exists (
               select from entry join part using (generation)
                where entry.turn_id = one.turn_id and entry.kind = 'tool.result'
                  and entry.session_key = held.session_key and entry.id <= part.until
                  and not exists (select from turn where turn.turn_id = entry.turn_id and retracted))
             and not exists (
               select from unnest(one.told_in) as told (id)
                      cross join part
                      join entry on entry.session_key = held.session_key and entry.generation = part.generation
                                    and entry.id = told.id and entry.id <= part.until
                where not exists (select from turn where turn.turn_id = entry.turn_id and retracted))
           order by one.settled_at desc, one.id
           limit 20) as ended
$$;

-- The entries of a turn that has just begun tell of these.
create function note_ended_calls(held session, of_generation integer, ids jsonb) returns void language sql as $$
  update open_call
     set told_in = told_in || (select max(id) from entry
                                where session_key = held.session_key and generation = of_generation)
   where session_key = held.session_key and id in (select jsonb_array_elements_text(ids))
$$;

-- Ends of processes that were to be read, and were dropped unread.
create function unread_ends(key text, events text[]) returns void language sql as $$
  update open_call
     set settlement = 'cancelled'
   where session_key = key and waits_for = 'process' and settlement = 'answered'
     and id = any (array(select substr(event, 6) from unnest(events) as event where starts_with(event, 'call:')))
$$;
