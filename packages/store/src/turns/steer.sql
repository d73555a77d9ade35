-- Returns the first `atMost` waiting events, up to the first that is not ready or whose mode is not `steer`; none for a
-- turn that a person has ended. Called at the end of every turn, so it takes no lock, which would need a commit. The answer
-- may be outdated; `take_steered` checks it again.
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
      from (select first as waiting, (first).seq,
                   bool_and((first).mode = 'steer' and is_ready((first).deferred_until, (first).media_until))
                     over (order by (first).seq) as all_steer
              from (select inbox as first
                      from inbox
                     where session_key = held.session_key and turn_id is null and reason is null
                     order by seq
                     limit (call ->> 'atMost')::integer) as oldest) as found
     where all_steer
  ));
end $$;

-- Gives exactly these events to the turn. `taken` is false when one of them no longer waits, or when a spender has reached a
-- limit: then `reached` says who, as `begin_turn` does.
create function take_steered(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
  taken bigint[] := array(select jsonb_array_elements_text(call -> 'take')::bigint);
  free integer;
  reached jsonb;
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  select count(*) into free
    from inbox
   where session_key = held.session_key and seq = any (taken) and turn_id is null and reason is null;
  if free <> cardinality(taken) then return json_build_object('taken', false); end if;
  reached := reached_steerers(held.open_turn, call -> 'spenders');
  if reached is not null then return json_build_object('taken', false, 'reached', reached); end if;
  perform join_spenders(held.open_turn, call -> 'spenders');
  update inbox set turn_id = held.open_turn where session_key = held.session_key and seq = any (taken);
  update turn
     set last_seq = greatest(last_seq, (select max(seq) from unnest(taken) as seq))
   where turn_id = held.open_turn;
  perform add_entries(held.session_key, (select generation from turn where turn_id = held.open_turn),
                      held.open_turn, call -> 'entries');
  perform spend_answers(held, held.open_turn, call);
  return json_build_object('taken', true);
end $$;
