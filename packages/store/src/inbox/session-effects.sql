-- What a command does to a session whose row is locked. False: there was nothing to do.

-- Drops what waits, also calls that are answered later, and ends the running turn.
create function stop_session(target session) returns boolean language plpgsql as $$
declare
  dropped text[];
  cancelled boolean := cancel_open_calls(target.session_key);
begin
  with unread as (
    update inbox
       set reason = 'stopped', dropped_at = clock_timestamp()
     where session_key = target.session_key and turn_id is null and reason is null
    returning event_id)
  select array_agg(event_id) into dropped from unread;
  perform unread_ends(target.session_key, dropped);
  update session set cancel_seq = last_seq where session_key = target.session_key;
  return dropped is not null or cancelled or target.open_turn is not null;
end $$;

-- Stops, and lets later turns begin with an empty memory, another shell and without what was agreed to for the old one,
-- or was started under that. `pass`: what was said in the one that ends is gone through for facts.
create function reset_session(target session, pass boolean default false) returns boolean language plpgsql as $$
declare
  agreed call_grant[];
  stopped boolean := stop_session(target);
begin
  if not stopped and not exists (select from newest_entry(target.session_key, target.generation, 9223372036854775807)) then
    return false;
  end if;
  if pass then perform want_pass(target); end if;
  update session set generation = generation + 1, reset_seq = last_seq where session_key = target.session_key;
  with ended as (
    delete from call_grant where session_key = target.session_key and scope = 'session' returning call_grant)
  select array_agg(call_grant) into agreed from ended;
  perform end_agreed(agreed);
  perform end_shell(target.session_key);
  return true;
end $$;

-- The last answered turn of the memory, with its place there: the one that a retry takes out. No row while the session has work.
create function turn_to_retry(target session)
returns table (turn_id text, generation integer, before bigint, n integer) language sql stable as $$
  select newest.turn_id, newest.generation, newest.before, newest.n
    from newest_turns(target.session_key, target.generation, 20) as newest join turn using (turn_id)
   where turn.state in ('completed', 'failed') and not is_busy(target)
   order by newest.n
   limit 1
$$;

-- Removes the last answered turn from the memory and records its events again, with what was overheard before them, unless
-- the session has work. What was decided of its calls counted once and is not recorded again: the model has to ask anew. `now`
-- has the roles of now, if anybody knows them. `wanted`: only if that is the turn.
create function retry_session(target session, now jsonb, wanted text default null) returns boolean language plpgsql as $$
declare
  answered turn;
  place record;
  taken inbox;
  new_seq bigint := target.last_seq;
  new_id text;
begin
  select * into place from turn_to_retry(target);
  if place.turn_id is null or place.turn_id <> wanted then return false; end if;
  select * into answered from turn where turn_id = place.turn_id;
  for taken in
    select * from inbox
     where session_key = target.session_key and seq between answered.first_seq and answered.last_seq
       and turn_id = answered.turn_id and body ->> 'type' <> 'call.settled'
     order by seq
  loop
    new_seq := new_seq + 1;
    new_id := left(taken.event_id, 440) || '~' || left(md5(target.session_key), 12) || '-' || new_seq;
    insert into seen (event_id, account_id, conversation_id, message_id, sender_id, received_at, recorded_at)
    select new_id, account_id, conversation_id, message_id, sender_id, received_at, clock_timestamp()
      from seen where event_id = taken.event_id and account_id = taken.account_id;
    insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, role, body, route, again, overheard,
                       defer_key, recorded_at)
    values (taken.session_key, new_seq, taken.account_id, new_id, taken.conversation_id, 'queue', role_again(taken, now),
            jsonb_set(taken.body, '{id}', to_jsonb(new_id)), taken.route, true, taken.overheard,
            taken.defer_key, clock_timestamp());
    perform attach_again(new_id, taken);
  end loop;
  if new_seq = target.last_seq then return false; end if;
  perform leave_out(target, array[answered.turn_id], place.generation, place.before, place.n);
  update session set last_seq = new_seq where session_key = target.session_key;
  return true;
end $$;

-- Words that are read again give no more rights than then, and no more than their sender has now.
create function role_again(taken inbox, now jsonb) returns text language sql immutable as $$
  select case when now is null or taken.role is null then taken.role
              else (array['unverified', 'guest', 'member', 'owner'])[least(rank_of(taken.role), coalesce((
                select max(rank_of(one ->> 'role')) from jsonb_array_elements(now) as one
                 where one ->> 'userId' = taken.body -> 'sender' ->> 'userId'), rank_of('guest')))] end
$$;

create function rank_of(role text) returns integer language sql immutable as $$
  select coalesce(array_position(array['unverified', 'guest', 'member', 'owner'], role), 1)
$$;

-- An event that was recorded again uses what was fetched for the first one, and does not wait for it.
create function attach_again(new_id text, taken inbox) returns void language plpgsql as $$
begin
  insert into attachment (event_id, account_id, n, body, state, sha256, transcript)
  select new_id, taken.account_id, given.n, given.body,
         case when earlier.sha256 is null then 'pending' else 'stored' end, earlier.sha256, earlier.transcript
    from brought_files(taken.body -> 'message') as given
         left join lateral (
           select known.sha256, known.transcript
             from attachment as known
            where known.account_id = taken.account_id and known.state = 'stored'
              and md5(known.body ->> 'ref') = md5(given.body ->> 'ref') and known.body ->> 'ref' = given.body ->> 'ref'
            order by known.created_at desc
            limit 1) as earlier on true
  on conflict do nothing;
end $$;
