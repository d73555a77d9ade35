-- Null when a living worker has the session or nothing waits. A holder that finds nothing gives the session back. It
-- has seen events only up to the first that isn't ready. Need not survive a crash of the server: whatever follows from a
-- claim is written with its fence, and to disk after it.
create function claim_session(call jsonb) returns json language plpgsql as $$
declare
  claimer text := call ->> 'holder';
  held session;
begin
  if not is_alive(claimer) then return json_build_object('conflict', true); end if;
  select * into held from session where session_key = call ->> 'sessionKey' for update;
  if not found or (held.owner <> claimer and is_alive(held.owner)) then return null; end if;
  if held.open_turn is null and not has_waiting(held.session_key) then
    if held.owner is not null then update session set owner = null where session_key = held.session_key; end if;
    return null;
  end if;

  perform set_config('synchronous_commit', 'off', true);
  update session
     set owner = claimer,
         fence = fence + case when owner = claimer then 0 else 1 end,
         claimed_seq = coalesce((
           select min(seq) - 1
             from inbox
            where session_key = held.session_key and turn_id is null and reason is null
              and not is_ready(deferred_until, media_until)), last_seq)
   where session_key = held.session_key
  returning * into held;
  return json_build_object(
    'fence', held.fence,
    'conversation', held.conversation,
    'prompt', (select prompt from memory where session_key = held.session_key and generation = held.generation),
    'history', read_history(held, (call ->> 'historyEntries')::integer, (call ->> 'keptEntries')::integer),
    'open', case when held.open_turn is not null then read_open_turn(held, (call ->> 'resumesWithinMs')::bigint) end,
    'pending', read_waiting(held.session_key, (call ->> 'pendingEvents')::integer)
  );
end $$;

-- The entries of settled turns of the session's memory, oldest first. When there are more than `at_most`, all but the
-- newest `kept` are forgotten for good, whole turns at a time: a beginning that moved with every turn would be a new
-- prompt each time.
create function read_history(held session, at_most integer, kept integer) returns json language plpgsql as $$
declare
  start bigint := coalesce(
    (select history_from from memory where session_key = held.session_key and generation = held.generation), 0);
  ids bigint[];
  turns text[];
begin
  select array_agg(id order by id desc), array_agg(turn_id order by id desc) into ids, turns
    from (select id, turn_id
            from entry
           where session_key = held.session_key and generation = held.generation and id >= start
             and turn_id is distinct from held.open_turn
             and turn_id not in (select turn_id from turn where session_key = held.session_key and retracted)
           order by id desc
           limit at_most + 1) as newest;
  if cardinality(ids) > at_most then
    while kept > 0 and turns[kept] = turns[kept + 1] loop
      kept := kept - 1;
    end loop;
    start := case when kept = 0 then ids[1] + 1 else ids[kept] end;
    update memory set history_from = start where session_key = held.session_key and generation = held.generation;
  end if;
  return coalesce((
    select json_agg(body order by id)
      from entry
     where session_key = held.session_key and generation = held.generation and id >= start
       and turn_id is distinct from held.open_turn
       and turn_id not in (select turn_id from turn where session_key = held.session_key and retracted)), '[]');
end $$;

-- The turn that the former holder left behind. `resumes` counts those within the given time, this one included.
create function read_open_turn(held session, resumes_within_ms bigint) returns json language plpgsql as $$
declare
  running turn;
begin
  update turn
     set fence = held.fence,
         resumed_at = array(
           select at from unnest(resumed_at) as at
            where at > clock_timestamp() - resumes_within_ms * interval '1 millisecond') || clock_timestamp()
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
