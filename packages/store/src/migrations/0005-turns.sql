-- What the holder of a session writes while it runs a turn. Calls and refusals are as for sessions.

create function begin_turn(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
  taken bigint[] := array(select jsonb_array_elements_text(call -> 'take')::bigint);
  turn_generation integer;
  first bigint;
  last bigint;
  free integer;
begin
  if held.session_key is null or held.open_turn is not null then return json_build_object('conflict', true); end if;
  select min(seq), max(seq), count(*) into first, last, free
    from inbox where session_key = held.session_key and seq = any (taken) and turn_id is null;
  if free = 0 or free <> cardinality(taken) then return json_build_object('conflict', true); end if;

  update inbox set turn_id = call ->> 'turnId' where session_key = held.session_key and seq = any (taken);
  perform drop_waiting(held.session_key, call -> 'drop');
  -- Events that a reset swept away between claim and begin stay out of the new memory.
  turn_generation := case when first <= held.reset_seq then held.generation - 1 else held.generation end;
  insert into turn (turn_id, session_key, generation, first_seq, last_seq, fence, route, reply_to)
  values (call ->> 'turnId', held.session_key, turn_generation, first, last, held.fence, call -> 'route', call ->> 'replyTo');
  perform add_entries(held.session_key, turn_generation, call ->> 'turnId', call -> 'entries');
  insert into memory (session_key, generation, prompt)
  values (held.session_key, turn_generation, call ->> 'prompt')
  on conflict do nothing;
  update session
     set open_turn = call ->> 'turnId',
         open_first_seq = first,
         interrupt_seq = case when exists (
           select from inbox
            where session_key = held.session_key and turn_id is null and reason is null
              and mode = 'interrupt' and seq > held.claimed_seq
         ) then greatest(interrupt_seq, first) else interrupt_seq end
   where session_key = held.session_key;
  return '{}';
end $$;

create function append_entries(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  perform add_entries(held.session_key, (select generation from turn where turn_id = held.open_turn),
                      held.open_turn, call -> 'entries');
  return '{}';
end $$;

-- The first waiting events, as long as their mode is `steer`; none for a turn that a person has ended.
create function read_steered(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  if cancellation(held, held.open_first_seq) is not null then
    return json_build_object('events', '[]'::json);
  end if;
  return json_build_object('events', (
    select coalesce(json_agg(pending_event(waiting) order by seq), '[]')
      from (select inbox as waiting, seq, bool_and(mode = 'steer') over (order by seq) as all_steer
              from inbox
             where session_key = held.session_key and turn_id is null and reason is null) as found
     where all_steer
  ));
end $$;

-- Gives exactly these events to the turn. `taken` is false when one of them waits no more: read again.
create function take_steered(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
  taken bigint[] := array(select jsonb_array_elements_text(call -> 'take')::bigint);
  free integer;
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  select count(*) into free
    from inbox
   where session_key = held.session_key and seq = any (taken) and turn_id is null and reason is null;
  if free <> cardinality(taken) then return json_build_object('taken', false); end if;
  update inbox set turn_id = held.open_turn where session_key = held.session_key and seq = any (taken);
  update turn
     set last_seq = greatest(last_seq, (select max(seq) from unnest(taken) as seq))
   where turn_id = held.open_turn;
  perform add_entries(held.session_key, (select generation from turn where turn_id = held.open_turn),
                      held.open_turn, call -> 'entries');
  return json_build_object('taken', true);
end $$;

-- Need not survive a crash of the server.
create function save_draft(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  perform set_config('synchronous_commit', 'off', true);
  update turn set draft = call ->> 'text' where turn_id = held.open_turn;
  return '{}';
end $$;

-- A commit whose answer was lost may be repeated: it answers the same and writes nothing twice.
create function commit_turn(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
  ended turn;
begin
  select * into ended from turn where turn_id = call ->> 'turnId';
  if held.session_key is null then
    if ended.state <> 'running' and ended.fence = (call ->> 'fence')::bigint and exists (
      select from session where session_key = ended.session_key and fence = ended.fence and owner is null
    ) then
      return json_build_object('released', true);
    end if;
    return json_build_object('conflict', true);
  end if;
  if held.open_turn is distinct from call ->> 'turnId' then
    if ended.state <> 'running' and ended.fence = held.fence and ended.session_key = held.session_key then
      return json_build_object('released', false);
    end if;
    return json_build_object('conflict', true);
  end if;

  perform add_entries(held.session_key, ended.generation, ended.turn_id, call -> 'entries');
  update turn
     set state = call ->> 'outcome',
         reason = coalesce(call ->> 'reason', case
           when call ->> 'outcome' = 'aborted' then coalesce(cancellation(held, first_seq), 'aborted') end),
         usage = call -> 'usage',
         -- What crashed worker after worker must not come back as history.
         retracted = coalesce(call ->> 'reason' = 'crash_loop', false),
         ended_at = clock_timestamp()
   where turn_id = ended.turn_id;
  perform add_outbox(call -> 'outbox');
  update session
     set open_turn = null,
         open_first_seq = null,
         owner = case when has_waiting(held.session_key) then owner end
   where session_key = held.session_key
  returning * into held;
  return json_build_object('released', held.owner is null);
end $$;
