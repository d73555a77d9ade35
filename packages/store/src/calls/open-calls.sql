-- A call is settled once, and only in time: whoever comes second changes nothing. What settles it becomes an event of its
-- session, which wakes the turn or begins one.

-- `now_there`: by the clock that `expiresAt` is told by, which may be hours off. How long a call waits is counted by the database's.
create function add_open_calls(held session, asks jsonb, now_there timestamptz) returns void language plpgsql as $$
begin
  if asks is null then return; end if;
  insert into open_call (id, session_key, turn_id, call_id, name, arguments, waits_for, shown, approver, askers, route, expires_at,
                         offer, held_by, words)
  select ask ->> 'id', held.session_key, held.open_turn, ask ->> 'callId', ask ->> 'name', ask ->> 'arguments',
         ask ->> 'waitsFor', ask ->> 'shown', ask ->> 'approver', ask -> 'askers', turn.route,
         clock_timestamp() + ((ask ->> 'expiresAt')::timestamptz - now_there), ask -> 'offer', ask ->> 'heldBy',
         ask -> 'words'
    from jsonb_array_elements(asks) as given (ask) join turn on turn.turn_id = held.open_turn
  -- A call that runs again in another worker asks what it has asked: the answer is for that one now.
  on conflict (turn_id, call_id) do update set held_by = excluded.held_by
   where open_call.settled_at is null and open_call.waits_for = 'form' and excluded.held_by is not null;
end $$;

-- {sessionKey, id, settlement, by, content, grant, notice}. False: it is unknown or settled, or its time is over.
create function settle_open_call(call jsonb) returns json language plpgsql as $$
declare
  target session;
  settled boolean;
begin
  select * into target from session where session_key = call ->> 'sessionKey' for update;
  settled := settle_call(target, call);
  if settled and call ? 'notice' then perform add_outbox(jsonb_build_array(call -> 'notice')); end if;
  return json_build_object('settled', settled);
end $$;

-- A process in the background has ended. With the owner's rights, since a worker may record no other event. `content` is null
-- when the model knows already: then nothing is recorded. The outcome is `unknown` while the turn has not stored the call.
create function settle_process_call(call jsonb) returns json language plpgsql
security definer set search_path from current as $$
declare
  asked open_call;
begin
  select * into asked from open_call
   where turn_id = call ->> 'turnId' and call_id = call ->> 'callId' and session_key = call ->> 'sessionKey'
     and held_by = call ->> 'heldBy' and waits_for = 'process';
  if asked.id is null then return json_build_object('outcome', 'unknown'); end if;
  if call ->> 'content' is null then
    update open_call set settled_at = clock_timestamp(), settlement = 'answered' where id = asked.id and settled_at is null;
    return json_build_object('outcome', 'closed');
  end if;
  return json_build_object('outcome', case when (settle_open_call(jsonb_build_object(
    'sessionKey', asked.session_key, 'id', asked.id, 'settlement', 'answered', 'content', call -> 'content',
    'brought', call -> 'brought', 'pause', call -> 'pause'
  )) ->> 'settled')::boolean then 'settled' else 'closed' end);
end $$;

-- {sessionKey, id, reason}: the operator's rules deny by now what waits for somebody's approval. With the owner's rights, since a worker
-- may record no other event; who denies it is written here, so that no worker speaks for a person.
create function forbid_call(call jsonb) returns json language plpgsql
security definer set search_path from current as $$
declare
  asked text;
begin
  select id into asked from open_call
   where id = call ->> 'id' and session_key = call ->> 'sessionKey' and waits_for = 'approval';
  if asked is null then return json_build_object('settled', false); end if;
  return settle_open_call(jsonb_build_object(
    'sessionKey', call ->> 'sessionKey', 'id', asked, 'settlement', 'denied', 'content', call ->> 'reason',
    'by', rules_as_sender()));
end $$;

-- Calls of a session that were approved, by the events that said so, and did not run: the rules forbid them by now. Whoever approved
-- them reads so where they were asked.
create function deny_approved(key text, events jsonb) returns void language plpgsql as $$
declare
  denied open_call[];
begin
  with undone as (
    update open_call
       set settlement = 'denied', settled_by = rules_as_sender()
     where session_key = key and settlement = 'approved' and events ? ('call:' || id)
    returning open_call)
  select array_agg(open_call) into denied from undone;
  perform close_question(one, 'forbidden:') from unnest(denied) as one;
end $$;

create function rules_as_sender() returns jsonb language sql immutable as $$
  select jsonb_build_object(
    'userId', 'talaria', 'role', 'system', 'displayName', 'the operator''s rules', 'assurance', 'signed')
$$;

-- Several calls of one session by one decision: {..., also}. True: at least one was settled by it.
create function settle_calls(target session, decision jsonb) returns boolean language plpgsql as $$
declare
  settled boolean := settle_call(target, decision);
  further text;
begin
  for further in select jsonb_array_elements_text(coalesce(decision -> 'also', '[]')) loop
    -- Each is an event with a place of its own.
    select * into target from session where session_key = target.session_key;
    settled := settle_call(target, (decision - 'grant') || jsonb_build_object('id', further)) or settled;
  end loop;
  return settled;
end $$;

create function settle_call(target session, decision jsonb) returns boolean language plpgsql as $$
declare
  asked open_call;
begin
  update open_call
     set settled_at = clock_timestamp(), settlement = decision ->> 'settlement', settled_by = settled_as(decision),
         content = decision ->> 'content', brought = nullif(decision -> 'brought', 'null')
   where id = decision ->> 'id' and session_key = target.session_key and settled_at is null
     -- Whoever ends the turn cancels its calls in a moment.
     and not (turn_id is not distinct from target.open_turn and cancellation(target, target.open_first_seq) is not null)
     and (decision ->> 'settlement' = 'expired') = (expires_at <= clock_timestamp())
  returning * into asked;
  if asked.id is null then return false; end if;
  perform add_grant(asked, decision);
  perform close_question(asked);
  -- A call that runs has asked: its worker reads the answer. No turn is to go on, or to begin.
  if asked.waits_for = 'form' and asked.held_by is not null then return true; end if;
  perform record_settled_call(target, asked, decision -> 'pause');
  return true;
end $$;

-- Who decides; with a mark where whoever has asked for it takes it back.
create function settled_as(decision jsonb) returns jsonb language sql immutable as $$
  select decision -> 'by' || case when (decision ->> 'takesBack')::boolean then '{"takesBack": true}' else '{}' end::jsonb
$$;

-- `pause`: {turns, markdown}. After so many turns in a row that nobody has asked for, what would begin another one waits until
-- somebody writes, or decides something, and that is told once.
create function record_settled_call(target session, asked open_call, pause jsonb default null) returns void language plpgsql as $$
declare
  event jsonb := settled_call_event(asked);
  sender_id text := coalesce(event -> 'sender' ->> 'userId', '');
  is_paused boolean := is_unasked(event) and target.unasked >= (pause ->> 'turns')::integer;
begin
  if not is_unasked(event) then
    update inbox set deferred_until = null
     where session_key = target.session_key and turn_id is null and reason is null and deferred_until = 'infinity';
  end if;
  insert into seen (event_id, account_id, conversation_id, sender_id, received_at, recorded_at)
  values (event ->> 'id', asked.route ->> 'accountId', asked.route ->> 'conversationId', sender_id,
          asked.settled_at, asked.settled_at)
  on conflict do nothing;
  insert into inbox (session_key, seq, account_id, event_id, conversation_id, role, mode, body, recorded_at, deferred_until)
  values (target.session_key, target.last_seq + 1, asked.route ->> 'accountId', event ->> 'id',
          asked.route ->> 'conversationId', asked.askers -> 0 ->> 'role', 'steer', event, asked.settled_at,
          case when is_paused then 'infinity'::timestamptz end);
  update session set last_seq = last_seq + 1 where session_key = target.session_key;
  if not coalesce(is_paused, false) then return; end if;
  perform add_outbox(jsonb_build_array(jsonb_build_object(
    'deliveryKey', 'paused:' || (select turn_id from turn where session_key = target.session_key order by first_seq desc limit 1),
    'kind', 'notice', 'conversation', asked.route, 'markdown', pause ->> 'markdown', 'attachments', '[]'::jsonb)));
end $$;

-- What no person has brought about: the end of a process, or that nobody has decided in time.
create function is_unasked(event jsonb) returns boolean language sql immutable as $$
  select coalesce(event ->> 'type' = 'call.settled'
                  and (event -> 'call' ->> 'waitsFor' = 'process' or event -> 'call' ->> 'settlement' = 'expired'), false)
$$;

create function settled_call_event(asked open_call) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'id', 'call:' || asked.id,
    'type', 'call.settled',
    'conversation', asked.route,
    'sender', coalesce(asked.askers -> 0 -> 'sender', jsonb_build_object(
      'userId', 'talaria', 'role', 'system', 'displayName', 'Talaria', 'assurance', 'signed')),
    'occurredAt', to_char(asked.settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'receivedAt', to_char(asked.settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'call', jsonb_strip_nulls(jsonb_build_object(
      'turnId', asked.turn_id, 'callId', asked.call_id, 'name', asked.name, 'arguments', asked.arguments,
      'waitsFor', asked.waits_for, 'settlement', asked.settlement, 'by', asked.settled_by - 'takesBack', 'content', asked.content,
      'brought', asked.brought,
      'askers', asked.askers)))
$$;

-- A person has stopped or reset the session, or its turn was ended early: nothing of it is done any more, also what was
-- approved and has not run.
create function cancel_open_calls(key text, of_turn text default null) returns boolean language plpgsql as $$
declare
  cancelled open_call[];
  has_ended boolean := end_let_go(key, of_turn);
  unread text[];
begin
  with ended as (
    update open_call
       set settled_at = clock_timestamp(), settlement = 'cancelled'
     where session_key = key and settled_at is null and (of_turn is null or turn_id = of_turn)
    returning open_call)
  select array_agg(open_call) into cancelled from ended;
  perform close_question(one) from unnest(cancelled) as one;
  with dropped as (
    update inbox
       set reason = 'stopped', dropped_at = clock_timestamp()
     where session_key = key and turn_id is null and reason is null and body -> 'call' ->> 'turnId' = of_turn
    returning event_id)
  select array_agg(event_id) into unread from dropped;
  perform unread_ends(key, unread);
  return cancelled is not null or has_ended;
end $$;

-- Those that wait for people and that nobody but this person has asked for. True: there was one.
create function cancel_own_calls(target session, of_user text) returns boolean language plpgsql as $$
declare
  cancelled open_call[];
begin
  with ended as (
    update open_call
       set settled_at = clock_timestamp(), settlement = 'cancelled'
     where session_key = target.session_key and settled_at is null and waits_for <> 'process'
           and turn_id is distinct from target.open_turn
           and exists (select from read_askers(askers))
           and not exists (select from read_askers(askers) as one where one.user_id is distinct from of_user)
    returning open_call)
  select array_agg(open_call) into cancelled from ended;
  perform close_question(one) from unnest(cancelled) as one;
  return cancelled is not null;
end $$;

-- Whether the session's turn only waits for calls, and nobody has ended it.
create function is_suspended(target session) returns boolean language plpgsql as $$
begin
  return cancellation(target, target.open_first_seq) is null and exists (
    select from turn where turn_id = target.open_turn and suspended_at is not null);
end $$;

-- Leaves the turn open and frees the session, unless something waits or the turn was ended meanwhile.
create function suspend_turn(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  if cancellation(held, held.open_first_seq) is not null or has_waiting(held.session_key) then
    return json_build_object('released', false);
  end if;
  update turn set suspended_at = clock_timestamp() where turn_id = held.open_turn;
  update session set owner = null where session_key = held.session_key;
  return json_build_object('released', true);
end $$;
