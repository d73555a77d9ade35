create function lives(process_id text) returns boolean language plpgsql stable as $$
begin
  return exists (select from process where id = process_id and lease_until > clock_timestamp());
end $$;

-- Records a batch: one row per new event. What is not in the answer was known before. Events first, sorted, then
-- sessions, sorted: gateways that record the same things at once wait for each other instead of deadlocking.
create function record_events(calls jsonb) returns table (n integer, seq bigint, holder text) language plpgsql as $$
#variable_conflict use_column
declare
  recorded timestamptz := clock_timestamp();
begin
  return query
  with call as (
    select *
      from rows from (jsonb_to_recordset(calls) as (
             session_key text, account_id text, event_id text, conversation_id text, message_id text, sender_id text,
             received_at timestamptz, mode text, body jsonb, route jsonb
           )) with ordinality as given (session_key, account_id, event_id, conversation_id, message_id, sender_id,
             received_at, mode, body, route, n)
  ), first_call as (
    select distinct on (event_id collate "C", account_id collate "C") *
      from call
     order by event_id collate "C", account_id collate "C", n
  ), fresh as (
    insert into seen (event_id, account_id, conversation_id, message_id, sender_id, received_at, recorded_at)
    select event_id, account_id, conversation_id, message_id, sender_id, received_at, recorded
      from first_call
    on conflict do nothing
    returning event_id, account_id
  ), numbered as (
    select first_call.*,
           row_number() over (partition by session_key order by first_call.n) as place,
           count(*) over (partition by session_key) as places
      from first_call join fresh using (event_id, account_id)
  ), touched as (
    insert into session as known (session_key, conversation, last_seq, interrupt_seq)
    select session_key, (array_agg(body -> 'conversation' order by n))[1], count(*),
           max(case when mode = 'interrupt' then 1 else 0 end)
      from numbered
     group by session_key
     order by session_key collate "C"
    on conflict (session_key) do update
      set last_seq = known.last_seq + excluded.last_seq,
          interrupt_seq = case when excluded.interrupt_seq = 1
                               then greatest(known.interrupt_seq, coalesce(known.open_first_seq, 0))
                               else known.interrupt_seq end
    returning session_key, last_seq, owner
  ), stored as (
    insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, route, recorded_at)
    select session_key, last_seq - places + place, account_id, event_id, conversation_id, mode, body, route, recorded
      from numbered join touched using (session_key)
  )
  select numbered.n::integer,
         touched.last_seq - numbered.places + numbered.place,
         case when lives(touched.owner) then touched.owner end
    from numbered join touched using (session_key);
end $$;

-- Drops what waits and ends the running turn. True when there was something to stop.
create function stop_session(target session) returns boolean language plpgsql as $$
declare
  dropped boolean;
begin
  update inbox
     set reason = 'stopped', dropped_at = clock_timestamp()
   where session_key = target.session_key and turn_id is null and reason is null;
  dropped := found;
  update session set cancel_seq = last_seq where session_key = target.session_key;
  return dropped or target.open_turn is not null;
end $$;

-- Stops, and lets later turns begin with an empty memory.
create function reset_session(target session) returns boolean language plpgsql as $$
declare
  stopped boolean := stop_session(target);
begin
  if not stopped and not exists (
    select from entry where session_key = target.session_key and generation = target.generation
  ) then
    return false;
  end if;
  update session set generation = generation + 1, reset_seq = last_seq where session_key = target.session_key;
  return true;
end $$;

-- Takes the last answered turn out of the memory and records its events again, unless the session has work.
create function retry_session(target session) returns boolean language plpgsql as $$
declare
  answered turn;
  taken inbox;
  new_seq bigint := target.last_seq;
  new_id text;
begin
  if target.open_turn is not null or exists (
    select from inbox where session_key = target.session_key and turn_id is null and reason is null
  ) then
    return false;
  end if;
  select * into answered
    from turn
   where session_key = target.session_key and generation = target.generation
     and state in ('completed', 'failed') and not retracted
   order by first_seq desc
   limit 1;
  for taken in
    select * from inbox
     where session_key = target.session_key and seq between answered.first_seq and answered.last_seq
       and turn_id = answered.turn_id
     order by seq
  loop
    new_seq := new_seq + 1;
    new_id := left(taken.event_id, 440) || '~' || left(md5(target.session_key), 12) || '-' || new_seq;
    insert into seen (event_id, account_id, conversation_id, message_id, sender_id, received_at, recorded_at)
    select new_id, account_id, conversation_id, message_id, sender_id, received_at, clock_timestamp()
      from seen where event_id = taken.event_id and account_id = taken.account_id;
    insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, route, again, recorded_at)
    values (taken.session_key, new_seq, taken.account_id, new_id, taken.conversation_id, 'queue',
            jsonb_set(taken.body, '{id}', to_jsonb(new_id)), taken.route, true, clock_timestamp());
  end loop;
  if new_seq = target.last_seq then return false; end if;
  update turn set retracted = true where turn_id = answered.turn_id;
  update session set last_seq = new_seq where session_key = target.session_key;
  return true;
end $$;

-- Settles one event that needs no turn, with its effect and its notice.
create function settle_event(call jsonb) returns jsonb language plpgsql as $$
declare
  target session;
  applied boolean := true;
  notice jsonb := call -> 'notice';
begin
  insert into seen (event_id, account_id, conversation_id, message_id, sender_id, received_at, recorded_at, outcome, reason)
  values (call ->> 'eventId', call ->> 'accountId', call ->> 'conversationId', call ->> 'messageId', call ->> 'senderId',
          (call ->> 'receivedAt')::timestamptz, clock_timestamp(), call ->> 'outcome', call ->> 'reason')
  on conflict do nothing;
  if not found then return null; end if;

  if call ? 'effect' then
    select * into target from session where session_key = call -> 'effect' ->> 'sessionKey' for update;
    applied := found and case call -> 'effect' ->> 'kind'
      when 'stop' then stop_session(target)
      when 'reset' then reset_session(target)
      when 'retry' then retry_session(target)
    end;
  end if;

  if notice is not null then
    if not applied and call ? 'idleMarkdown' then
      notice := jsonb_set(notice, '{markdown}', call -> 'idleMarkdown');
    end if;
    perform add_outbox(jsonb_build_array(notice));
  end if;
  return jsonb_build_object('applied', applied, 'holder', case when lives(target.owner) then target.owner end);
end $$;
