-- Each function takes one call as JSON, so that calls of many sessions can share one statement. A refused call answers
-- {"conflict": true} and has written nothing.

-- Locks the session of a lease. All columns are null when the lease is lost.
create function held_session(call jsonb) returns session language plpgsql as $$
declare
  held session;
begin
  select * into held
    from session
   where session_key = call ->> 'sessionKey'
     and owner = call ->> 'holder'
     and fence = (call ->> 'fence')::bigint
     for update;
  return held;
end $$;

-- How a person ended the turn that began at an event, or null.
create function cancellation(of_session session, began_at bigint) returns text language plpgsql immutable as $$
begin
  return case
    when began_at <= of_session.cancel_seq then 'stopped'
    when began_at <= of_session.interrupt_seq then 'superseded'
  end;
end $$;

create function has_waiting(key text) returns boolean language plpgsql as $$
begin
  return exists (select from inbox where session_key = key and turn_id is null and reason is null);
end $$;

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

-- `drops` is an array of {seq, reason}.
create function drop_waiting(key text, drops jsonb) returns void language plpgsql as $$
begin
  update inbox
     set reason = given.reason, dropped_at = clock_timestamp()
    from jsonb_to_recordset(drops) as given (seq bigint, reason text)
   where inbox.session_key = key and inbox.seq = given.seq and inbox.turn_id is null and inbox.reason is null;
end $$;

-- The entries of settled turns of one memory, oldest first. When there are more than at_most, the older half is
-- forgotten for good, whole turns at a time: a beginning that moved with every turn would be a new prompt each time.
create function read_history(key text, memory_generation integer, running text, at_most integer) returns json
language plpgsql as $$
declare
  start bigint := coalesce(
    (select history_from from memory where session_key = key and generation = memory_generation), 0);
  ids bigint[];
  turns text[];
  kept integer;
begin
  select array_agg(id order by id desc), array_agg(turn_id order by id desc) into ids, turns
    from (select id, turn_id
            from entry
           where session_key = key and generation = memory_generation and id >= start
             and turn_id is distinct from running
             and turn_id not in (select turn_id from turn where session_key = key and retracted)
           order by id desc
           limit at_most + 1) as newest;
  if cardinality(ids) > at_most then
    kept := at_most / 2;
    while kept > 0 and turns[kept] = turns[kept + 1] loop
      kept := kept - 1;
    end loop;
    start := case when kept = 0 then ids[1] + 1 else ids[kept] end;
    update memory set history_from = start where session_key = key and generation = memory_generation;
  end if;
  return coalesce((
    select json_agg(body order by id)
      from entry
     where session_key = key and generation = memory_generation and id >= start
       and turn_id is distinct from running
       and turn_id not in (select turn_id from turn where session_key = key and retracted)), '[]');
end $$;

create function read_open_turn(held session) returns json language plpgsql as $$
declare
  running turn;
begin
  update turn
     set fence = held.fence,
         resumed_at = array(select at from unnest(resumed_at) as at where at > clock_timestamp() - interval '10 minutes')
                      || clock_timestamp()
   where turn_id = held.open_turn
  returning * into running;
  return json_build_object(
    'turnId', running.turn_id,
    'firstSeq', running.first_seq,
    'route', running.route,
    'replyTo', running.reply_to,
    'resumes', cardinality(running.resumed_at),
    'cancelled', cancellation(held, running.first_seq),
    'journal', (select coalesce(json_agg(body order by id), '[]')
                  from entry
                 where session_key = held.session_key and generation = running.generation
                   and turn_id = running.turn_id)
  );
end $$;

create function pending_event(waiting inbox) returns json language sql stable as $$
  select json_build_object(
    'seq', waiting.seq,
    'event', waiting.body,
    'route', coalesce(waiting.route, waiting.body -> 'conversation'),
    'mode', waiting.mode,
    'recordedAt', floor(extract(epoch from waiting.recorded_at) * 1000)
  )
$$;

create function read_waiting(key text, at_most integer) returns json language plpgsql as $$
begin
  return (
    select coalesce(json_agg(pending_event(waiting) order by seq), '[]')
      from (select inbox as waiting, seq
              from inbox
             where session_key = key and turn_id is null and reason is null
             order by seq
             limit at_most) as found
  );
end $$;

-- Null when a living worker has the session or nothing waits. A holder that finds nothing gives the session back.
create function claim_session(call jsonb) returns json language plpgsql as $$
declare
  claimer text := call ->> 'holder';
  held session;
begin
  if not lives(claimer) then return json_build_object('conflict', true); end if;
  select * into held from session where session_key = call ->> 'sessionKey' for update;
  if not found or (held.owner <> claimer and lives(held.owner)) then return null; end if;
  if held.open_turn is null and not has_waiting(held.session_key) then
    if held.owner is not null then update session set owner = null where session_key = held.session_key; end if;
    return null;
  end if;

  update session
     set owner = claimer,
         fence = fence + case when owner = claimer then 0 else 1 end,
         claimed_seq = last_seq
   where session_key = held.session_key
  returning * into held;
  return json_build_object(
    'fence', held.fence,
    'conversation', held.conversation,
    'prompt', (select prompt from memory where session_key = held.session_key and generation = held.generation),
    'history', read_history(held.session_key, held.generation, held.open_turn, (call ->> 'historyEntries')::integer),
    'open', case when held.open_turn is not null then read_open_turn(held) end,
    'pending', read_waiting(held.session_key, (call ->> 'pendingEvents')::integer)
  );
end $$;

create function drop_events(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.session_key is null then return json_build_object('conflict', true); end if;
  perform drop_waiting(held.session_key, call -> 'drop');
  return '{}';
end $$;

create function release_session(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
  free boolean;
begin
  if held.session_key is null then return json_build_object('conflict', true); end if;
  free := held.open_turn is null and not has_waiting(held.session_key);
  if free then update session set owner = null where session_key = held.session_key; end if;
  return json_build_object('released', free);
end $$;

create function hand_over(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.session_key is null then return json_build_object('conflict', true); end if;
  update session set owner = null where session_key = held.session_key;
  return '{}';
end $$;
