-- `entries` is an array of JSON texts.
create function add_entries(key text, memory_generation integer, of_turn text, entries jsonb) returns void
language plpgsql as $$
begin
  insert into entry (session_key, generation, turn_id, kind, body)
  select key, memory_generation, of_turn, body ->> 'kind', body
    from (select given.body::json as body, n
            from jsonb_array_elements_text(entries) with ordinality as given (body, n)) as parsed
   order by n;
end $$;

-- Only its worker writes into a turn. Where there is more than the worker knew of, this very call, whose answer was lost, has
-- written it already, and nothing is written. Without `after` it is not looked at.
create function is_written(of_session session, call jsonb) returns boolean language sql stable as $$
  select call ? 'after' and coalesce((
    select newest.turn_id = of_session.open_turn
      from entry as newest
     where newest.session_key = of_session.session_key
       and newest.generation = (select generation from turn where turn_id = of_session.open_turn)
     order by newest.id desc
    offset (call ->> 'after')::integer
     limit 1
  ), false)
$$;

-- {"count"}: the entries of the turn. It waits for a call that is still under way.
create function count_entries(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  return json_build_object('count', (
    select count(*)
      from entry
     where session_key = held.session_key and turn_id = held.open_turn
       and generation = (select generation from turn where turn_id = held.open_turn)
  ));
end $$;

-- {"reached": {key, endsInMs}}: written, and nobody can pay for another answer. {"cancelled"}: written, and the turn has been ended.
create function append_entries(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
  cancelled text := cancellation(held, held.open_first_seq);
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  if is_written(held, call) then return json_build_object('reached', null, 'cancelled', cancelled); end if;
  perform add_entries(held.session_key, (select generation from turn where turn_id = held.open_turn),
                      held.open_turn, call -> 'entries');
  -- What is left out from here on is gone through for facts.
  if call ? 'pass' then perform want_pass(held); end if;
  -- Nobody is asked about what does not go on.
  if cancelled is null then
    perform add_open_calls(held, call -> 'asks', (call ->> 'askedAt')::timestamptz);
    if call ? 'outbox' then perform add_outbox(call -> 'outbox'); end if;
  end if;
  if call ? 'forbidden' then perform deny_approved(held.session_key, call -> 'forbidden'); end if;
  return json_build_object('reached', spend_answers(held, held.open_turn, call), 'cancelled', cancelled);
end $$;
