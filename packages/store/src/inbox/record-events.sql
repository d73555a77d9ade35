-- Records a batch in one transaction. A call without an answer was known before.
-- `waitMs`: after so many milliseconds a deferred event is ready.
create function record_events(calls jsonb) returns table (n integer, answer json) language plpgsql as $$
#variable_conflict use_column
declare
  seq bigint;
  holder text;
  call jsonb;
  wait_ms bigint;
begin
  if not calls @? '$[*] ? (exists(@.defer) || exists(@.paste) || exists(@.mediaMs) || exists(@.overheard) || exists(@.forget))' then
    return query
    select added.n, json_build_object('seq', added.seq, 'holder', added.holder) from insert_events(calls) as added;
    return;
  end if;
  for n, seq, holder in select added.* from insert_events(calls) as added order by added.n loop
    call := calls -> (n - 1);
    if call ? 'paste' then call := call || jsonb_build_object('defer', paste_deferral(seq, call)); end if;
    wait_ms := case when call ? 'mediaMs' or call -> 'defer' <> 'null' then defer_event(seq, call) end;
    if call ? 'overheard' then perform take_overheard(seq, call); end if;
    if call ? 'forget' then perform forget_overheard(call); end if;
    answer := json_build_object('seq', seq, 'holder', holder, 'waitMs', wait_ms);
    return next;
  end loop;
end $$;

-- One row per new event. Events first, sorted, then sessions, sorted: gateways that record the same things at once wait
-- for each other instead of deadlocking.
create function insert_events(calls jsonb) returns table (n integer, seq bigint, holder text) language plpgsql as $$
#variable_conflict use_column
declare
  recorded timestamptz := clock_timestamp();
begin
  return query
  with call as (
    select *
      from rows from (jsonb_to_recordset(calls) as (
             "sessionKey" text, "accountId" text, "eventId" text, "conversationId" text, "messageId" text,
             "senderId" text, "receivedAt" timestamptz, mode text, role text, body jsonb, route jsonb
           )) with ordinality as given (session_key, account_id, event_id, conversation_id, message_id, sender_id,
             received_at, mode, role, body, route, n)
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
  ), forgotten as materialized (
    -- A session that was pruned and comes back goes on behind everything that it ever counted.
    select coalesce((select value from total where name = 'forgotten_seq'), 0) as seq
  ), touched as (
    insert into session as known (session_key, conversation, last_seq)
    select session_key, (array_agg(body -> 'conversation' order by n))[1], (select seq from forgotten) + count(*)
      from numbered
     group by session_key
     order by session_key collate "C"
    on conflict (session_key) do update
      set last_seq = known.last_seq + excluded.last_seq - (select seq from forgotten),
          -- A session that is new has no turn that could be written over.
          interrupt_seq = case when exists (
                                 select from numbered
                                  where numbered.session_key = known.session_key and mode = 'interrupt')
                               then greatest(known.interrupt_seq, coalesce(known.open_first_seq, 0))
                               else known.interrupt_seq end
    returning session_key, last_seq, owner, unasked
  ), freed as (
    -- Somebody has written: what waited for that is read with it.
    update inbox
       set deferred_until = null
      from touched
     where touched.unasked > 0 and inbox.session_key = touched.session_key
           and inbox.turn_id is null and inbox.reason is null and inbox.deferred_until = 'infinity'
  ), stored as (
    insert into inbox (session_key, seq, account_id, event_id, conversation_id, role, mode, body, route, recorded_at)
    select session_key, last_seq - places + place, account_id, event_id, conversation_id, role, mode, body, route, recorded
      from numbered join touched using (session_key)
  ), attached as (
    insert into attachment (event_id, account_id, n, body)
    select event_id, account_id, brought.n, brought.body
      from numbered cross join lateral brought_files(numbered.body -> 'message') as brought
    on conflict do nothing
  )
  select numbered.n::integer,
         touched.last_seq - numbered.places + numbered.place,
         case when is_alive(touched.owner) then touched.owner end
    from numbered join touched using (session_key);
end $$;

-- What is fetched with a message: its own files, and of the message that it answers pictures and speech, counted from 100 on. The same
-- as `broughtFiles`.
create function brought_files(message jsonb) returns table (n integer, body jsonb) language sql immutable as $$
  select (given.n - 1)::integer, given.body
    from jsonb_array_elements(message -> 'attachments') with ordinality as given (body, n)
  union all
  select (given.n + 99)::integer, given.body
    from jsonb_array_elements(message -> 'quote' -> 'attachments') with ordinality as given (body, n)
   where given.body ->> 'kind' = 'image' or given.body ? 'voice'
$$;

-- How the part of a text is deferred: with those of its text that wait, or as the first. Null: it is no part of any.
create function paste_deferral(new_seq bigint, call jsonb) returns jsonb language plpgsql as $$
declare
  paste jsonb := call -> 'paste';
  known text;
begin
  select defer_key into known
    from inbox
   where session_key = call ->> 'sessionKey' and seq < new_seq and turn_id is null and reason is null
     and starts_with(defer_key, paste ->> 'key') and deferred_until > clock_timestamp()
   order by seq desc
   limit 1;
  if known is null and not paste ? 'ms' then return null; end if;
  return jsonb_build_object(
    'key', coalesce(known, (paste ->> 'key') || ' ' || (call ->> 'eventId')),
    'ms', coalesce(paste -> 'ms', '0'), 'longestMs', paste -> 'longestMs');
end $$;

-- Defers an event that was just recorded, and with it those of its key that still wait. Returns after how many milliseconds
-- it is ready. The session's row is locked, so every event before it is seen.
create function defer_event(new_seq bigint, call jsonb) returns bigint language plpgsql as $$
declare
  key text := call ->> 'sessionKey';
  new_defer_key text := call -> 'defer' ->> 'key';
  at timestamptz := clock_timestamp();
  media timestamptz := at + (call ->> 'mediaMs')::bigint * interval '1 millisecond';
  -- Null: it ends what waits.
  latest timestamptz := at + (call -> 'defer' ->> 'longestMs')::bigint * interval '1 millisecond';
  ready timestamptz := at + (call -> 'defer' ->> 'ms')::bigint * interval '1 millisecond';
begin
  if new_defer_key is not null then
    if latest is not null then
      select coalesce(min(defer_limit), latest) into latest
        from inbox
       where session_key = key and defer_key = new_defer_key and turn_id is null and reason is null;
    end if;
    ready := least(ready, latest);
    update inbox
       set deferred_until = ready
     where session_key = key and defer_key = new_defer_key and turn_id is null and reason is null;
  end if;
  update inbox
     set defer_key = new_defer_key, deferred_until = ready, defer_limit = latest, media_until = media
   where session_key = key and seq = new_seq;
  return greatest(0, ceil(extract(epoch from greatest(ready, media) - at) * 1000));
end $$;
