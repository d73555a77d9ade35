-- Nothing overtakes an event that is deferred: whoever takes waiting events stops before the first that isn't ready.
create function is_ready(deferred_until timestamptz, media_until timestamptz) returns boolean language sql volatile as $$
  select coalesce(greatest(deferred_until, media_until) <= clock_timestamp(), true)
$$;

-- Something waits, and its first event is ready.
create function has_waiting(key text) returns boolean language plpgsql as $$
begin
  return coalesce((
    select is_ready(deferred_until, media_until)
      from inbox
     where session_key = key and turn_id is null and reason is null
     order by seq
     limit 1), false);
end $$;

create function pending_event(waiting inbox) returns json language sql stable as $$
  select json_build_object(
    'seq', waiting.seq,
    'event', waiting.body,
    'route', coalesce(waiting.route, waiting.body -> 'conversation'),
    'mode', waiting.mode,
    'role', waiting.role,
    'paste', case when starts_with(waiting.defer_key, 'paste ') then waiting.defer_key end,
    'overheard', waiting.overheard,
    'recordedAt', floor(extract(epoch from waiting.recorded_at) * 1000)
  )
$$;

-- The first events that wait, up to the first that isn't ready, and none after `last_seq`.
create function read_waiting(key text, last_seq bigint, at_most integer) returns json language plpgsql as $$
begin
  return (
    select coalesce(json_agg(pending_event(waiting) order by seq), '[]')
      from (select first as waiting, (first).seq, bool_and(is_ready((first).deferred_until, (first).media_until))
                     over (order by (first).seq) as all_ready
              from (select inbox as first
                      from inbox
                     where session_key = key and turn_id is null and reason is null and seq <= last_seq
                     order by seq
                     limit at_most) as oldest) as found
     where all_ready
  );
end $$;

-- `drops` is an array of {seq, reason, limit}; `limit` is the counter whose limit has refused it.
-- {messages, names, more}: how many messages of people wait, the names of the first five who wrote them, and how many more people did.
create function waiting_from(key text) returns json language sql stable as $$
  select json_build_object(
           'messages', coalesce(sum(messages), 0)::bigint,
           'names', coalesce((array_agg(name order by first))[:5], '{}'),
           'more', greatest(0, count(*) - 5))
    from (select body -> 'sender' ->> 'userId' as id, min(body -> 'sender' ->> 'displayName') as name,
                 count(*) as messages, min(seq) as first
            from inbox
           where session_key = key and turn_id is null and reason is null
             and body ->> 'type' in ('message.created', 'message.edited')
           group by 1) as people
$$;

create function drop_waiting(key text, drops jsonb) returns void language plpgsql as $$
begin
  update inbox
     set reason = given.reason, dropped_at = clock_timestamp(), refused_by = given."limit"
    from jsonb_to_recordset(drops) as given (seq bigint, reason text, "limit" text)
   where inbox.session_key = key and inbox.seq = given.seq and inbox.turn_id is null and inbox.reason is null;
end $$;
