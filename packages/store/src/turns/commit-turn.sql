-- A commit whose answer was lost may be repeated: it returns the same answer and writes nothing twice.
create function commit_turn(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
  ended turn;
  outcome text := call ->> 'outcome';
  texts jsonb := call -> 'outbox';
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

  -- Its worker had not heard yet that a person has stopped it, who was told so: no answer follows.
  if outcome <> 'aborted' and ended.first_seq <= held.cancel_seq then
    outcome := 'aborted';
    texts := stopped_texts(texts, ended);
    call := call - 'reason';
  end if;

  perform add_entries(held.session_key, ended.generation, ended.turn_id, call -> 'entries');
  perform spend_answers(held, ended.turn_id, call);
  update turn
     set state = outcome,
         reason = coalesce(call ->> 'reason', case
           when outcome = 'aborted' then coalesce(cancellation(held, first_seq), 'aborted') end),
         usage = call -> 'usage',
         retracted = coalesce((call ->> 'retract')::boolean, false),
         ended_at = clock_timestamp()
   where turn_id = ended.turn_id;
  update memory
     set turns = turns + case when coalesce((call ->> 'retract')::boolean, false) then 0 else 1 end,
         context = coalesce(call -> 'context', context),
         compact_after = case when compact_after = ended.turn_id then compact_after end
   where session_key = held.session_key and generation = ended.generation;
  perform add_outbox(texts);
  if outcome = 'aborted' then
    perform cancel_open_calls(held.session_key, ended.turn_id);
  end if;
  update session
     set open_turn = null,
         open_first_seq = null,
         failed_at = '{}',
         set_aside_at = null,
         owner = case when has_waiting(held.session_key) then owner end
   where session_key = held.session_key
  returning * into held;
  return json_build_object('released', held.owner is null);
end $$;
