-- Settles one event that needs no turn, with its effect and its notice. Null: it was known before. {"recount": n}: the
-- notice about unanswered messages would have to say n instead of `count`, and nothing was written. {"waiting": {messages, names, more}}: a stop
-- would drop these, and its notice, which tells of `tellsDropped`, has to say so.
create function settle_event(call jsonb) returns json language plpgsql as $$
declare
  target session;
  applied boolean := true;
  notice jsonb := call -> 'notice';
  unanswered outbox;
  told integer;
  taken_up jsonb;
  decided json;
  dropped json;
  answer text;
  own boolean;
begin
  if call ? 'unless' and joins(call) then return json_build_object('joins', true); end if;
  if call ? 'unanswered' then
    unanswered := waiting_unanswered(call -> 'unanswered');
    told := coalesce((unanswered.body ->> 'unanswered')::integer, 0) + 1;
    if told <> (call -> 'unanswered' ->> 'count')::integer then return json_build_object('recount', told); end if;
  end if;

  if call ? 'tellsDropped' then
    perform from session where session_key = call -> 'effect' ->> 'sessionKey' for update;
    dropped := waiting_from(call -> 'effect' ->> 'sessionKey');
    if dropped ->> 'messages' <> call ->> 'tellsDropped' then return json_build_object('waiting', dropped); end if;
  end if;

  if call ? 'group' then perform meet_group(call); end if;

  -- Whoever is refused without a word leaves so many rows. Further ones would change nothing when they come again.
  if call ->> 'outcome' = 'refused' and not call ?| array['notice', 'effect', 'unanswered', 'overheard'] and (
    select count(*) from (
      select from seen
       where account_id = call ->> 'accountId' and sender_id = call ->> 'senderId' and outcome = 'refused'
       limit (call ->> 'maxRefused')::integer) as refused
  ) >= (call ->> 'maxRefused')::integer then
    return json_build_object('applied', true, 'holder', null);
  end if;

  insert into seen (event_id, account_id, conversation_id, message_id, sender_id, received_at, recorded_at, outcome, reason,
                    sender_name, sender_handle, is_press)
  values (call ->> 'eventId', call ->> 'accountId', call ->> 'conversationId', call ->> 'messageId', call ->> 'senderId',
          (call ->> 'receivedAt')::timestamptz, clock_timestamp(), call ->> 'outcome', call ->> 'reason',
          call -> 'names' ->> 'name', call -> 'names' ->> 'handle',
          coalesce((call ->> 'isPress')::boolean, false))
  on conflict do nothing;
  if not found then return null; end if;
  if call ? 'given' then perform keep_given(call); end if;

  if call -> 'effect' ->> 'kind' = 'home' then
    applied := set_home(call ->> 'accountId', call -> 'effect');
  elsif call -> 'effect' ->> 'kind' = 'revoke' then
    applied := revoke_grant(call -> 'effect');
  elsif call -> 'effect' ->> 'kind' = 'lift' then
    applied := lift_limit(call -> 'effect');
    if applied and call -> 'effect' ? 'takeUp' then
      taken_up := take_up_refused(call -> 'effect' ->> 'key', call -> 'effect' -> 'takeUp');
    end if;
  elsif call -> 'effect' ->> 'kind' = 'person' then
    decided := decide_people(call -> 'effect');
    applied := decided is not null;
  elsif call -> 'effect' ->> 'kind' = 'add_person' then
    decided := add_person(call -> 'effect');
    applied := decided is not null;
  elsif call -> 'effect' ->> 'kind' = 'group' then
    applied := decide_group(call -> 'effect');
  elsif call -> 'effect' ->> 'kind' = 'forget_facts' then
    applied := forget_facts(call -> 'effect');
  elsif call -> 'effect' ->> 'kind' = 'correct_fact' then
    applied := correct_fact(call -> 'effect');
  elsif call -> 'effect' ->> 'kind' = 'forget_skill' then
    applied := forget_skill(call -> 'effect');
  elsif call -> 'effect' ->> 'kind' = 'skill_failed' then
    applied := skill_failed(call -> 'effect');
  elsif call ? 'effect' then
    if call -> 'effect' ? 'begins' then perform begin_session(call -> 'effect'); end if;
    select * into target from session where session_key = call -> 'effect' ->> 'sessionKey' for update;
    if call -> 'effect' ->> 'kind' = 'stop' and target.session_key is not null then
      answer := withhold_answers(target, call ->> 'senderId');
    end if;
    if call ? 'onlyFor' and not coalesce(is_answered(target, call -> 'onlyFor' ->> 'userId'), false) then
      own := call -> 'effect' ->> 'kind' = 'stop' and cancel_own_calls(target, call -> 'onlyFor' ->> 'userId');
      if not own and answer is distinct from 'withheld' then return refuse_event(call); end if;
      if notice is not null then
        perform add_outbox(jsonb_build_array(notice || jsonb_build_object('markdown', concat_ws(' ',
          case when own then call -> 'onlyFor' ->> 'ownMarkdown' end,
          case when answer = 'withheld' then call -> 'onlyFor' ->> 'withheldMarkdown' end))));
      end if;
      return json_build_object('applied', true, 'holder', case when is_alive(target.owner) then target.owner end);
    end if;
    if answer is not null and call ? 'answers' then
      notice := jsonb_set(notice, '{markdown}', call -> 'answers' -> answer);
    end if;
    -- Whoever gives a command reads its answer before the messages change that it has to do with: each takes its time.
    if notice is not null then perform add_outbox(jsonb_build_array(notice)); end if;
    applied := target.session_key is not null and case call -> 'effect' ->> 'kind'
      when 'stop' then stop_session(target)
      when 'reset' then reset_session(target, coalesce((call -> 'effect' ->> 'pass')::boolean, false))
      when 'end_background' then end_background(target.session_key, ids_of(call -> 'effect'), call -> 'effect' ->> 'why')
      when 'retry' then retry_session(target, call -> 'effect' -> 'roles', call -> 'effect' ->> 'turnId')
      when 'decide' then settle_calls(target, call -> 'effect')
      when 'undo' then undo_turns(target, call -> 'effect')
      when 'branch' then branch_memory(target, call -> 'effect')
      when 'resume' then resume_memory(target, call -> 'effect')
      when 'title' then title_memory(target, call -> 'effect')
      when 'compact' then compact_memory(target)
      when 'trust_files' then trust_files(target)
      when 'choose' then choose_for(target, call -> 'effect')
    end or answer is not distinct from 'withheld';
    if call -> 'effect' ? 'why' and call -> 'effect' ->> 'kind' in ('stop', 'reset') then
      applied := end_background_of(target.session_key, call -> 'effect' ->> 'why') or applied;
    end if;
  end if;

  if not applied and call ->> 'idleMarkdown' = '' then notice := null; end if;
  if notice is not null then
    if not applied and call ? 'idleMarkdown' then
      notice := jsonb_set(notice - 'replaces' - 'saidByEdit', '{markdown}',
        case when answer = 'sent' and call ? 'answers' then call -> 'answers' -> 'idle' else call -> 'idleMarkdown' end);
      update outbox set body = notice where delivery_key = notice ->> 'deliveryKey' and state = 'pending' and parts is null;
    end if;
    perform add_outbox(jsonb_build_array(notice));
  end if;
  if applied and call ? 'texts' then
    perform add_outbox(call -> 'texts');
    perform tell_asked_since(call -> 'texts');
  end if;
  if call ? 'overheard' then perform overhear(call); end if;
  if call ? 'unanswered' then perform tell_unanswered(call -> 'unanswered', unanswered); end if;
  if call ? 'forgetPlace' then delete from overheard where place = call ->> 'forgetPlace'; end if;
  return json_build_object('applied', applied, 'wakes', decided ->> 'sessionKey', 'takenUp', taken_up,
    'holder', case when is_alive(target.owner) then target.owner end, 'ended', (
    select json_agg(json_build_object('sessionKey', session_key, 'holder', holder))
      from to_be_ended() where call -> 'effect' ->> 'kind' in ('stop', 'reset', 'revoke', 'end_background', 'person', 'add_person')));
end $$;

create function ids_of(effect jsonb) returns bigint[] language sql immutable as $$
  select array(select value::bigint from jsonb_array_elements_text(effect -> 'ids'))
$$;

-- Not while something runs: its worker goes on by the marks that it has read.
create function trust_files(target session) returns boolean language plpgsql as $$
begin
  if is_busy(target) then return false; end if;
  delete from file_taint where session_key = target.session_key;
  return found;
end $$;

-- Whether the running turn of a session answers this person, also what it was asked before a call of theirs was settled.
create function is_answered(target session, user_id text) returns boolean language sql stable as $$
  select exists (
    select from inbox join turn on turn.turn_id = target.open_turn
     where inbox.session_key = target.session_key and inbox.turn_id = target.open_turn
       and inbox.seq between turn.first_seq and turn.last_seq
       and (inbox.body -> 'sender' ->> 'userId' = is_answered.user_id
            or exists (select from askers_of(inbox) as one where one.user_id = is_answered.user_id)))
$$;

-- Refuses an event that is settled already, since its sender may not have its effect.
create function refuse_event(call jsonb) returns json language plpgsql as $$
begin
  update seen
     set outcome = 'refused', reason = call -> 'onlyFor' ->> 'reason'
   where event_id = call ->> 'eventId' and account_id = call ->> 'accountId';
  perform add_outbox(jsonb_build_array(
    call -> 'notice' || jsonb_build_object(
      'markdown', call -> 'onlyFor' -> 'markdown', 'operational',
      jsonb_build_object('topic', 'refused', 'to', call -> 'onlyFor' ->> 'userId'))));
  return json_build_object('refused', true);
end $$;

-- The notice of the same place that still waits for the rest of its burst.
create function waiting_unanswered(call jsonb) returns outbox language plpgsql as $$
declare
  conversation jsonb := call -> 'text' -> 'conversation';
  longest interval := greatest((call ->> 'waitMs')::bigint, (call ->> 'longestMs')::bigint) * interval '1 millisecond';
  waiting outbox;
begin
  select * into waiting
    from outbox
   where account_id = conversation ->> 'accountId' and conversation_id = conversation ->> 'conversationId'
     and created_at > clock_timestamp() - longest
     and state = 'pending' and parts is null and next_at > clock_timestamp()
     and body ? 'unanswered'
     and body -> 'conversation' ->> 'threadId' is not distinct from conversation ->> 'threadId'
   order by id desc
   limit 1
     for update;
  return waiting;
end $$;

-- One notice for a burst of unanswered messages: each further one rewrites it. It is sent after `waitMs` without another
-- message, or `longestMs` after the first.
create function tell_unanswered(call jsonb, waiting outbox) returns void language plpgsql as $$
declare
  new_text jsonb := call -> 'text';
  told jsonb := jsonb_build_object('unanswered', call -> 'count', 'markdown', new_text -> 'markdown');
  leaves timestamptz := clock_timestamp() + (call ->> 'waitMs')::bigint * interval '1 millisecond';
begin
  if waiting.id is null then
    perform add_outbox(jsonb_build_array(new_text || told));
    update outbox set next_at = leaves where delivery_key = new_text ->> 'deliveryKey' and state = 'pending';
    return;
  end if;
  update outbox
     set body = body || told,
         next_at = least(leaves, greatest(
           next_at, created_at + (call ->> 'longestMs')::bigint * interval '1 millisecond'))
   where id = waiting.id;
end $$;

-- What is chosen before the first words counts for them. A session that was pruned and comes back goes on behind everything that it counted.
create function begin_session(effect jsonb) returns void language sql as $$
  insert into session (session_key, conversation, last_seq)
  values (effect ->> 'sessionKey', effect -> 'begins',
          coalesce((select value from total where name = 'forgotten_seq'), 0))
  on conflict do nothing
$$;

-- Counts from the next turn on. `chosen`: {name, role}; without it, nothing is chosen.
create function choose_for(target session, effect jsonb) returns boolean language sql as $$
  update session
     set chosen = case when effect ? 'chosen' then jsonb_set(chosen, array[effect ->> 'what'], effect -> 'chosen')
                       else chosen - (effect ->> 'what') end
   where session_key = target.session_key
  returning true
$$;
