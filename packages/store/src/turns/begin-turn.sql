-- {"reached": [{n, key, endsInMs}]}: these of the spenders have reached a limit, and nothing was written. {"cancelled"}: a person has stopped
-- what it takes since it was claimed; the turn is open, to be ended at once.
create function begin_turn(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
  taken bigint[] := array(select jsonb_array_elements_text(call -> 'take')::bigint);
  turn_generation integer;
  first bigint;
  last bigint;
  free integer;
  reached jsonb;
begin
  if held.session_key is null or held.open_turn is not null then return json_build_object('conflict', true); end if;
  select min(seq), max(seq), count(*) into first, last, free
    from inbox where session_key = held.session_key and seq = any (taken) and turn_id is null;
  if free = 0 or free <> cardinality(taken) then return json_build_object('conflict', true); end if;

  reached := reached_spenders(call -> 'spenders', true);
  if reached is not null then return json_build_object('reached', reached); end if;
  perform spend(call -> 'spenders', 'turns', 1);

  update inbox set turn_id = call ->> 'turnId' where session_key = held.session_key and seq = any (taken);
  perform drop_waiting(held.session_key, call -> 'drop');
  -- Events from before another memory that came between claim and begin stay out of it.
  turn_generation := case when first <= held.reset_seq then coalesce(held.claimed_generation, held.generation - 1)
                          else held.generation end;
  insert into turn (turn_id, session_key, generation, first_seq, last_seq, fence, route, reply_to, spenders)
  values (call ->> 'turnId', held.session_key, turn_generation, first, last, held.fence, call -> 'route', call ->> 'replyTo',
          reserve(payers(call -> 'spenders'), (call ->> 'reserves')::bigint));
  perform add_entries(held.session_key, turn_generation, call ->> 'turnId', call -> 'entries');
  if call ? 'said' then perform note_said(call -> 'said', call ->> 'turnId'); end if;
  if call ? 'endedCalls' then perform note_ended_calls(held, turn_generation, call -> 'endedCalls'); end if;
  perform begin_memory(held.session_key, turn_generation, call, first);
  update session
     set open_turn = call ->> 'turnId',
         open_first_seq = first,
         unasked = case when exists (
           select from inbox where session_key = held.session_key and seq = any (taken) and not is_unasked(body)
         ) then 0 else unasked + 1 end,
         interrupt_seq = case when exists (
           select from inbox
            where session_key = held.session_key and turn_id is null and reason is null
              and mode = 'interrupt' and seq > held.claimed_seq
         ) then greatest(interrupt_seq, first) else interrupt_seq end
   where session_key = held.session_key;
  return json_strip_nulls(json_build_object('cancelled', cancellation(held, first)));
end $$;

-- {prompt, facts}: the first turn of a memory freezes its prompt, which may have been given a title before. A later one that has `facts`
-- puts them in the place of the ones before.
create function begin_memory(key text, of_generation integer, call jsonb, first_seq bigint) returns void
language plpgsql as $$
begin
  if exists (select from memory where session_key = key and generation = of_generation and prompt is not null) then
    if call ? 'facts' then
      update memory set facts = call ->> 'facts' where session_key = key and generation = of_generation;
    end if;
    return;
  end if;
  insert into memory (session_key, generation, prompt, facts, beginning, turns)
  select key, of_generation, call ->> 'prompt', call ->> 'facts',
         left(btrim(regexp_replace(left(body -> 'message' ->> 'markdown', 500), '\s+', ' ', 'g')), 120), 0
    from inbox
   where session_key = key and seq = first_seq
  on conflict (session_key, generation) do update
    set prompt = coalesce(memory.prompt, excluded.prompt), facts = excluded.facts, beginning = coalesce(memory.beginning, excluded.beginning);
end $$;
