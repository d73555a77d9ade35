-- Waiting events that must not be read yet: they are read together with those that follow (hold), or their attachments
-- are still being fetched (media). Nothing overtakes them: whoever takes events stops before the first that isn't ready.
alter table inbox
  add column hold_key text,
  add column held_until timestamptz,
  -- However many events follow, the first of a key waits no longer than this.
  add column hold_limit timestamptz,
  add column media_until timestamptz;

create function is_ready(held_until timestamptz, media_until timestamptz) returns boolean language sql volatile as $$
  select coalesce(greatest(held_until, media_until) <= clock_timestamp(), true)
$$;

alter function record_events(jsonb) rename to insert_events;

-- Holds an event that was just recorded, and with it those of its key that still wait. Answers in how many milliseconds
-- it is ready. The session's row is locked, so every event before it is seen.
create function hold_event(key text, new_seq bigint, call jsonb) returns bigint language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
  hold_ms bigint := (call ->> 'hold_ms')::bigint;
  media timestamptz := at + (call ->> 'media_ms')::bigint * interval '1 millisecond';
  latest timestamptz := at + 5 * hold_ms * interval '1 millisecond';
  held timestamptz;
begin
  if hold_ms is not null then
    select coalesce(min(hold_limit), latest) into latest
      from inbox
     where session_key = key and inbox.hold_key = call ->> 'hold_key' and turn_id is null and reason is null;
    held := least(at + hold_ms * interval '1 millisecond', latest);
    update inbox
       set held_until = held
     where session_key = key and inbox.hold_key = call ->> 'hold_key' and turn_id is null and reason is null;
  end if;
  update inbox
     set hold_key = call ->> 'hold_key',
         held_until = held,
         hold_limit = case when held is not null then latest end,
         media_until = media
   where session_key = key and seq = new_seq;
  return greatest(0, ceil(extract(epoch from greatest(held, media) - at) * 1000));
end $$;

-- Null when the event waits for no attachment. Else its session, and in how long it is ready for other reasons.
create function media_ready(of_account text, of_event text) returns table (session_key text, wait_ms bigint)
language sql as $$
  update inbox
     set media_until = null
   where event_id = of_event and account_id = of_account and media_until is not null
     and turn_id is null and reason is null
  returning session_key, greatest(0, ceil(extract(epoch from held_until - clock_timestamp()) * 1000))::bigint
$$;

-- Something waits, and its first event is ready.
create or replace function has_waiting(key text) returns boolean language plpgsql as $$
begin
  return coalesce((
    select is_ready(held_until, media_until)
      from inbox
     where session_key = key and turn_id is null and reason is null
     order by seq
     limit 1), false);
end $$;

create or replace function read_waiting(key text, at_most integer) returns json language plpgsql as $$
begin
  return (
    select coalesce(json_agg(pending_event(waiting) order by seq), '[]')
      from (select first as waiting, (first).seq, bool_and(is_ready((first).held_until, (first).media_until))
                     over (order by (first).seq) as all_ready
              from (select inbox as first
                      from inbox
                     where session_key = key and turn_id is null and reason is null
                     order by seq
                     limit at_most) as oldest) as found
     where all_ready
  );
end $$;

-- As before; the holder has seen events only up to the first that isn't ready.
create or replace function claim_session(call jsonb) returns json language plpgsql as $$
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
         claimed_seq = coalesce((
           select min(seq) - 1
             from inbox
            where session_key = held.session_key and turn_id is null and reason is null
              and not is_ready(held_until, media_until)), last_seq)
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

-- As before, and only as long as the events are ready.
create or replace function read_steered(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  if cancellation(held, held.open_first_seq) is not null then
    return json_build_object('events', '[]'::json);
  end if;
  return json_build_object('events', (
    select coalesce(json_agg(pending_event(waiting) order by seq), '[]')
      from (select inbox as waiting, seq,
                   bool_and(mode = 'steer' and is_ready(held_until, media_until)) over (order by seq) as all_steer
              from inbox
             where session_key = held.session_key and turn_id is null and reason is null) as found
     where all_steer
  ));
end $$;

-- What platforms told of messages of ours after those were sent. Beside `sent_message`, since it may be told before the
-- message's id is stored.
create table receipt (
  message_id text collate "C" not null,
  conversation_id text collate "C" not null,
  account_id text collate "C" not null,
  status text not null,
  reason text,
  told_at timestamptz not null default clock_timestamp(),
  primary key (message_id, conversation_id, account_id)
);
create index receipt_failed on receipt (told_at) where status = 'failed';
create index receipt_told on receipt using brin (told_at);

-- The status only ever rises: what platforms tell may arrive in any order, and a failure stays visible.
create function record_receipt(call jsonb) returns json language plpgsql as $$
#variable_conflict use_column
declare
  rank constant text[] := array['delivered', 'read', 'failed'];
begin
  insert into receipt (message_id, conversation_id, account_id, status, reason)
  values (call ->> 'messageId', call ->> 'conversationId', call ->> 'accountId', call ->> 'status', call ->> 'reason')
  on conflict (message_id, conversation_id, account_id) do update
    set status = excluded.status, reason = excluded.reason, told_at = clock_timestamp()
  where array_position(rank, excluded.status) > array_position(rank, receipt.status);
  return json_build_object('changed', found, 'known', exists (
    select from sent_message
     where message_id = call ->> 'messageId' and conversation_id = call ->> 'conversationId'
       and account_id = call ->> 'accountId'));
end $$;

-- What was said in groups and not to us, until the next message to us takes it along. `place` is a conversation or a
-- thread of one.
create table overheard (
  id bigint generated always as identity primary key,
  place text collate "C" not null,
  account_id text collate "C" not null,
  conversation_id text collate "C" not null,
  message_id text collate "C" not null,
  body jsonb not null,
  heard_at timestamptz not null default clock_timestamp(),
  unique (place, message_id)
);
create index overheard_heard on overheard using brin (heard_at);

-- What an event has taken along: an array of bodies, oldest first.
alter table inbox add column overheard jsonb;

-- Corrects a message that waits with an event, or without new markdown takes it out.
create function correct_overheard(of_account text, of_conversation text, of_message text, new_markdown text)
returns void language sql as $$
  update inbox
     set overheard = (
           select jsonb_agg(case when heard ->> 'messageId' = of_message
                                 then jsonb_set(heard, '{markdown}', to_jsonb(new_markdown)) else heard end order by n)
             from jsonb_array_elements(overheard) with ordinality as given (heard, n)
            where new_markdown is not null or heard ->> 'messageId' <> of_message)
   where account_id = of_account and conversation_id = of_conversation and turn_id is null and reason is null
     and recorded_at > clock_timestamp() - interval '1 day'
     and overheard @> jsonb_build_array(jsonb_build_object('messageId', of_message))
$$;

-- Keeps a message that was not said to us, or the new text of one that is still kept: `call` is a settlement.
create function overhear(call jsonb) returns void language plpgsql as $$
declare
  heard jsonb := call -> 'overheard';
  message jsonb := heard -> 'body';
  of_place text := heard ->> 'place';
begin
  if (heard ->> 'edited')::boolean then
    update overheard
       set body = jsonb_set(body, '{markdown}', message -> 'markdown')
     where place = of_place and message_id = message ->> 'messageId';
    perform correct_overheard(call ->> 'accountId', call ->> 'conversationId', message ->> 'messageId', message ->> 'markdown');
    return;
  end if;
  insert into overheard (place, account_id, conversation_id, message_id, body)
  values (of_place, call ->> 'accountId', call ->> 'conversationId', message ->> 'messageId', message)
  on conflict (place, message_id) do nothing;
  delete from overheard
   where place = of_place
     and (heard_at < clock_timestamp() - (heard ->> 'maxAgeMs')::bigint * interval '1 millisecond'
          or id not in (select id from overheard where place = of_place order by id desc
                         limit (heard ->> 'messages')::integer));
end $$;

-- The event takes along what was said before it; what is taken is forgotten. A message that was kept and is now said to
-- us, by an edit, is not overheard any more.
create function take_overheard(key text, new_seq bigint, call jsonb) returns void language plpgsql as $$
declare
  of_place text := call -> 'overheard' ->> 'place';
begin
  with taken as (
    delete from overheard where place = of_place
    returning id, message_id, body,
              heard_at > clock_timestamp() - (call -> 'overheard' ->> 'maxAgeMs')::bigint * interval '1 millisecond' as is_fresh
  ), kept as (
    select id, body from taken
     where is_fresh and message_id is distinct from call ->> 'message_id'
     order by id desc
     limit (call -> 'overheard' ->> 'messages')::integer
  )
  update inbox
     set overheard = (select jsonb_agg(body order by id) from kept)
   where session_key = key and seq = new_seq;
end $$;

-- Records a batch; as before, and `wait_ms` tells in how long a held event is ready.
create function record_events(calls jsonb) returns table (n integer, seq bigint, holder text, wait_ms bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  one jsonb;
begin
  if not calls @? '$[*] ? (@.hold_ms >= 0 || @.media_ms >= 0 || exists(@.overheard) || exists(@.forget))' then
    return query select added.*, null::bigint from insert_events(calls) as added;
    return;
  end if;
  for n, seq, holder in select added.* from insert_events(calls) as added order by added.n loop
    one := calls -> (n - 1);
    wait_ms := case when one ?| array['hold_ms', 'media_ms'] then hold_event(one ->> 'session_key', seq, one) end;
    if one ? 'overheard' then perform take_overheard(one ->> 'session_key', seq, one); end if;
    if one ? 'forget' then
      delete from overheard where place = one ->> 'forget' and message_id = one ->> 'message_id';
      perform correct_overheard(one ->> 'account_id', one ->> 'conversation_id', one ->> 'message_id', null);
    end if;
    return next;
  end loop;
end $$;

create or replace function pending_event(waiting inbox) returns json language sql stable as $$
  select json_build_object(
    'seq', waiting.seq,
    'event', waiting.body,
    'route', coalesce(waiting.route, waiting.body -> 'conversation'),
    'mode', waiting.mode,
    'overheard', waiting.overheard,
    'recordedAt', floor(extract(epoch from waiting.recorded_at) * 1000)
  )
$$;

-- As before, and keeps or forgets what was overheard.
alter function settle_event(jsonb) rename to settle_plain_event;
create function settle_event(call jsonb) returns jsonb language plpgsql as $$
declare
  settled jsonb := settle_plain_event(call);
begin
  if settled is null then return null; end if;
  if call ? 'overheard' then perform overhear(call); end if;
  if call ? 'unanswered' then perform tell_unanswered(call); end if;
  if call ? 'forgetPlace' then delete from overheard where place = call ->> 'forgetPlace'; end if;
  return settled;
end $$;

-- As before, and what an event has taken along comes again with it.
create or replace function retry_session(target session) returns boolean language plpgsql as $$
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
    insert into inbox (session_key, seq, account_id, event_id, conversation_id, mode, body, route, again, overheard,
                       recorded_at)
    values (taken.session_key, new_seq, taken.account_id, new_id, taken.conversation_id, 'queue',
            jsonb_set(taken.body, '{id}', to_jsonb(new_id)), taken.route, true, taken.overheard, clock_timestamp());
  end loop;
  if new_seq = target.last_seq then return false; end if;
  update turn set retracted = true where turn_id = answered.turn_id;
  update session set last_seq = new_seq where session_key = target.session_key;
  return true;
end $$;

-- Tells a conversation once per burst how many of its messages came too late to be answered: each further one within the
-- wait rewrites the notice, which leaves when it is quiet, or after a minute.
create function tell_unanswered(call jsonb) returns void language plpgsql as $$
declare
  told jsonb := call -> 'unanswered';
  told_draft jsonb := told -> 'draft';
  wait interval := (told ->> 'waitMs')::integer * interval '1 millisecond';
begin
  update outbox as notice
     set draft = jsonb_set(
           notice.draft || jsonb_build_object('unanswered', (notice.draft ->> 'unanswered')::integer + 1), '{markdown}',
           to_jsonb(replace(told ->> 'many', '{n}', ((notice.draft ->> 'unanswered')::integer + 1)::text))),
         next_at = least(clock_timestamp() + wait, greatest(next_at, created_at + interval '1 minute'))
   where account_id = told_draft -> 'conversation' ->> 'accountId'
     and conversation_id = told_draft -> 'conversation' ->> 'conversationId'
     and created_at > clock_timestamp() - interval '2 minutes'
     and state = 'pending' and parts is null and next_at > clock_timestamp()
     and notice.draft ? 'unanswered'
     and notice.draft -> 'conversation' ->> 'threadId' is not distinct from told_draft -> 'conversation' ->> 'threadId';
  if found then return; end if;
  perform add_outbox(jsonb_build_array(told_draft || '{"unanswered": 1}'));
  update outbox set next_at = clock_timestamp() + wait where delivery_key = told_draft ->> 'deliveryKey' and state = 'pending';
end $$;
