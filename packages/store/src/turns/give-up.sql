-- One rule for everything that keeps a session from making progress: a holder that dies, cannot read the session, or cannot
-- begin a turn counts as a failure. After `failures` within `withinMs` the session is given up, see `give_up`. A hand-over
-- does not count.

create function note_failure(target session, rule jsonb) returns session language plpgsql as $$
begin
  update session
     set failed_at = array(
           select at from unnest(failed_at) as at
            where at > clock_timestamp() - (rule ->> 'withinMs')::bigint * interval '1 millisecond'
           ) || clock_timestamp()
   where session_key = target.session_key
  returning * into target;
  return target;
end $$;

create function has_failed_too_often(target session, rule jsonb) returns boolean language sql as $$
  select count(*) >= (rule ->> 'failures')::integer
    from unnest(target.failed_at) as at
   where at > clock_timestamp() - (rule ->> 'withinMs')::bigint * interval '1 millisecond'
$$;

create function has_work(target session) returns boolean language sql as $$
  select target.open_turn is not null or exists (
    select from inbox where session_key = target.session_key and turn_id is null and reason is null)
$$;

-- Ends the open turn, or without one drops the waiting events, and tells people in `markdown`. Events that wait beside an
-- open turn stay. The fence grows, so that a former holder that wakes up finds its turn lost. Returns the account whose
-- outbox has the notice, or null.
create function give_up(target session, rule jsonb) returns text language plpgsql as $$
declare
  account text := case when target.open_turn is not null then end_failed_turn(target, rule ->> 'markdown')
                       else set_aside_waiting(target, rule ->> 'markdown') end;
begin
  update session
     set owner = null, fence = fence + 1, open_turn = null, open_first_seq = null,
         failed_at = '{}', set_aside_at = clock_timestamp()
   where session_key = target.session_key;
  return account;
end $$;

create function end_failed_turn(target session, notice text) returns text language plpgsql as $$
declare
  cancelled text := cancellation(target, target.open_first_seq);
  ended turn;
begin
  update turn
     set state = case when cancelled is null then 'failed' else 'aborted' end,
         reason = coalesce(cancelled, 'crash_loop'),
         retracted = true,
         ended_at = clock_timestamp()
   where turn_id = target.open_turn
  returning * into ended;
  perform cancel_open_calls(target.session_key, target.open_turn);
  if cancelled is not null then return null; end if;
  return tell_given_up(target, ended.route, jsonb_build_object(
    'deliveryKey', 'reply:' || ended.turn_id, 'kind', 'reply', 'markdown', notice, 'turnId', ended.turn_id,
    'replyTo', ended.reply_to));
end $$;

create function set_aside_waiting(target session, notice text) returns text language plpgsql as $$
declare
  place jsonb := (
    select coalesce(route, body -> 'conversation')
      from inbox
     where session_key = target.session_key and turn_id is null and reason is null
     order by seq
     limit 1);
begin
  update inbox
     set reason = 'set_aside', dropped_at = clock_timestamp()
   where session_key = target.session_key and turn_id is null and reason is null;
  return tell_given_up(target, place, jsonb_build_object(
    'deliveryKey', 'set-aside:' || target.session_key || ':' || target.fence, 'kind', 'notice', 'markdown', notice));
end $$;

-- The row with the conversation may be the one that cannot be read. Then the notice goes to the session's own conversation
-- or, if that is unusable too, nowhere.
create function tell_given_up(target session, place jsonb, notice jsonb) returns text language plpgsql as $$
begin
  if not coalesce(place ?& array['accountId', 'conversationId'], false) then place := target.conversation; end if;
  if not place ?& array['accountId', 'conversationId'] then return null; end if;
  perform add_outbox(jsonb_build_array(jsonb_strip_nulls(notice || jsonb_build_object(
    'conversation', place, 'attachments', '[]'::jsonb, 'sessionKey', target.session_key,
    'operational', jsonb_build_object('topic', 'failed')))));
  return place ->> 'accountId';
end $$;

-- Notes that a holder could not read the session or begin a turn. Without a fence the claim itself failed; then no living
-- worker may hold the session.
create function fail_session(call jsonb) returns json language plpgsql as $$
declare
  target session;
begin
  select * into target from session where session_key = call ->> 'sessionKey' for update;
  if not found
     or (call ? 'fence' and (target.owner is distinct from call ->> 'holder' or target.fence <> (call ->> 'fence')::bigint))
     or (target.owner <> call ->> 'holder' and is_alive(target.owner)) then
    return json_build_object('conflict', true);
  end if;
  perform note_failure(target, call -> 'giveUp');
  update session set owner = null where session_key = target.session_key;
  return '{}';
end $$;

-- Lets a session that was given up try again with the events that were dropped then. Returns how many wait again.
create function retry_set_aside(key text) returns bigint language plpgsql as $$
declare
  target session;
  restored bigint;
begin
  select * into target from session where session_key = key for update;
  update inbox
     set reason = null, dropped_at = null
   where session_key = key and reason = 'set_aside' and turn_id is null
     and seq > greatest(target.cancel_seq, target.reset_seq);
  get diagnostics restored = row_count;
  update session set failed_at = '{}', set_aside_at = null where session_key = key;
  return restored;
end $$;
