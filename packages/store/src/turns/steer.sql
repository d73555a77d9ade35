-- The first waiting events, as long as they are ready and their mode is `steer`; none for a turn that a person has ended.
-- Asked at the end of every turn, so it locks nothing: a lock would have to be committed. What it answers may be old at
-- once, and `take_steered` looks again.
create function read_steered(call jsonb) returns json language plpgsql as $$
declare
  held session;
begin
  select * into held
    from session
   where session_key = call ->> 'sessionKey' and owner = call ->> 'holder' and fence = (call ->> 'fence')::bigint;
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  if cancellation(held, held.open_first_seq) is not null then
    return json_build_object('events', '[]'::json);
  end if;
  return json_build_object('events', (
    select coalesce(json_agg(pending_event(waiting) order by seq), '[]')
      from (select inbox as waiting, seq,
                   bool_and(mode = 'steer' and is_ready(deferred_until, media_until)) over (order by seq) as all_steer
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
