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

-- {"reached": {key, endsInMs}}: written, and nobody can pay for another answer.
create function append_entries(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  perform add_entries(held.session_key, (select generation from turn where turn_id = held.open_turn),
                      held.open_turn, call -> 'entries');
  perform add_open_calls(held, call -> 'asks');
  if call ? 'outbox' then perform add_outbox(call -> 'outbox'); end if;
  return json_build_object('reached', spend_answers(held, held.open_turn, call));
end $$;
