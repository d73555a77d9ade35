-- Reads what the holder of a session works with. Takes no lock: only the holder changes this data, except for events that
-- people stop meanwhile, and `begin_turn` checks those again.
create function read_claimed(call jsonb) returns json language plpgsql as $$
declare
  held session;
begin
  select * into held
    from session
   where session_key = call ->> 'sessionKey' and owner = call ->> 'holder' and fence = (call ->> 'fence')::bigint;
  if held.session_key is null then return json_build_object('conflict', true); end if;
  return json_build_object(
    'conversation', held.conversation,
    'prompt', (select prompt from memory where session_key = held.session_key and generation = held.generation),
    'facts', (select facts from memory where session_key = held.session_key and generation = held.generation),
    'idleMs', case when held.open_turn is null then (
      select floor(extract(epoch from clock_timestamp() - created_at) * 1000)::bigint
        from newest_entry(held.session_key, held.generation, 9223372036854775807)) end,
    'tools', (select tools from memory where session_key = held.session_key and generation = held.generation),
    'compact', (select compact_after is not null and compact_after is distinct from held.open_turn
                  from memory where session_key = held.session_key and generation = held.generation),
    'chosen', held.chosen,
    'history', read_history(held, call -> 'history'),
    'grants', grants_of(held.session_key, held.conversation ->> 'accountId'),
    'questions', (select count(*) from open_call
                   where session_key = held.session_key and settled_at is null and waits_for in ('approval', 'form')
                         and turn_id is distinct from held.open_turn),
    'said', case when held.open_turn is null then said_here(held) end,
    'undelivered', case when held.open_turn is null then undelivered_here(held) end,
    'endedCalls', case when held.open_turn is null then ended_calls_here(held) end,
    'open', case when held.open_turn is not null then read_open_turn(held) end,
    'pending', read_waiting(held.session_key, held.claimed_seq, (call ->> 'pendingEvents')::integer)
  );
end $$;

-- The turn that the previous holder left open.
create function read_open_turn(held session) returns json language plpgsql as $$
declare
  running turn;
begin
  select * into running from turn where turn_id = held.open_turn;
  return json_build_object(
    'turnId', running.turn_id,
    'firstSeq', running.first_seq,
    'route', running.route,
    'replyTo', running.reply_to,
    'failures', cardinality(held.failed_at),
    'cancelled', cancellation(held, running.first_seq),
    'journal', (select coalesce(json_agg(body order by id), '[]')
                  from entry
                 where session_key = held.session_key and generation = running.generation
                   and turn_id = running.turn_id)
  );
end $$;
