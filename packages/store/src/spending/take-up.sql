-- What a limit has refused that an owner has just lifted. An event is moved behind everything of its session and waits there as if it
-- had come now, so it is answered once, whoever dies when. Sessions are locked in their order, after the counter.
--
-- `given` is {askers, withinMs, mostEach, mostSessions, deliveryKey, subject, taken, both, left, alone, except}: who may still ask, each as {accountId,
-- conversationId, userId, role}; what is told in each place of which events were moved, had to be left, or both, in a direct
-- conversation in the words of `alone`, {taken, both, left}, where they are given; and the conversation
-- that is told by other words where nothing was left. Returns {sessions, accounts}: which have something to read, and which something to send.
create function take_up_refused(counter_key text, given jsonb) returns jsonb language plpgsql as $$
declare
  counter spending;
  target session;
  place jsonb;
  place_key text;
  told jsonb := '{}';
  sessions jsonb := '[]';
  texts jsonb;
begin
  select * into counter from spending where key = counter_key;
  for target in
    select *
      from session
     where session_key in (
       select session_key from inbox
        where refused_by = counter.key
        group by session_key order by max(recorded_at) desc limit (given ->> 'mostSessions')::integer)
     order by session_key collate "C"
       for update
  loop
    for place in select * from take_up_in(target, counter, given) loop
      place_key := jsonb_build_array(
        place -> 'conversation' -> 'accountId', place -> 'conversation' -> 'conversationId', place -> 'conversation' -> 'threadId')::text;
      told := jsonb_set(told, array[place_key], place || coalesce(told -> place_key, '{}'));
      if place ? 'taken' and not sessions ? target.session_key then sessions := sessions || to_jsonb(target.session_key); end if;
    end loop;
  end loop;
  select coalesce(jsonb_agg(jsonb_build_object(
           'deliveryKey', (given ->> 'deliveryKey') || ':' || md5(key), 'kind', 'notice', 'conversation', value -> 'conversation',
           'markdown', case when value -> 'conversation' ->> 'kind' = 'direct' then given || coalesce(given -> 'alone', '{}') else given end -> case when not value ? 'taken' then 'left' when value ? 'left' then 'both' else 'taken' end,
           'attachments', '[]'::jsonb)
           || case when value ? 'left' then '{}' else jsonb_build_object('replaces', given -> 'subject') end order by key collate "C"), '[]')
    into texts
    from jsonb_each(told)
   where value ? 'left' or (value -> 'conversation' ->> 'accountId', value -> 'conversation' ->> 'conversationId')
         is distinct from (given -> 'except' ->> 'accountId', given -> 'except' ->> 'conversationId');
  perform add_outbox(texts);
  return jsonb_build_object('sessions', sessions, 'accounts', (
    select coalesce(jsonb_agg(distinct text -> 'conversation' -> 'accountId'), '[]') from jsonb_array_elements(texts) as added (text)));
end $$;

-- Moves what may be taken up in one session, and forgets the rest. One row for each place, as {conversation, taken, left}: what of it
-- happened there. Left is also what came before `/stop` or `/new`, and before words of the same person that were not refused: the talk has gone on.
create function take_up_in(target session, counter spending, given jsonb) returns setof jsonb language plpgsql as $$
begin
  return query
  with asker as materialized (
    select one ->> 'accountId' as account_id, one ->> 'conversationId' as conversation_id, one ->> 'userId' as user_id, one ->> 'role' as role
      from jsonb_array_elements(given -> 'askers') as one
  ), gone_on as materialized (
    select distinct on (body -> 'sender' ->> 'userId') body -> 'sender' ->> 'userId' as user_id, recorded_at, seq
      from inbox
     where session_key = target.session_key and recorded_at >= counter.started_at and reason is distinct from 'spending_limit'
       and body ->> 'type' not in ('message.deleted', 'call.settled')
     order by body -> 'sender' ->> 'userId', recorded_at desc, seq desc
  ), deleted as materialized (
    select distinct body ->> 'messageId' as message_id
      from inbox
     where session_key = target.session_key and recorded_at >= counter.started_at and body ->> 'type' = 'message.deleted'
  ), refused as materialized (
    select inbox.seq, inbox.recorded_at, asker.role as now_role, coalesce(inbox.route, inbox.body -> 'conversation') as place,
           inbox.seq > greatest(target.cancel_seq, target.reset_seq)
           and inbox.dropped_at > clock_timestamp() - (given ->> 'withinMs')::bigint * interval '1 millisecond'
           and (gone_on.seq is null or (gone_on.recorded_at, gone_on.seq) < (inbox.recorded_at, inbox.seq)) as is_fresh
      from inbox
           join asker on asker.account_id = inbox.account_id and asker.conversation_id = inbox.conversation_id
                         and asker.user_id = inbox.body -> 'sender' ->> 'userId'
           left join gone_on on gone_on.user_id = asker.user_id
     where inbox.session_key = target.session_key and inbox.refused_by = counter.key
       and inbox.turn_id is null and inbox.reason = 'spending_limit'
       and inbox.dropped_at >= counter.started_at
       and inbox.body -> 'sender' ->> 'role' = 'person'
       and inbox.body ->> 'type' in ('message.created', 'message.edited', 'action.invoked')
       and coalesce(inbox.body -> 'message' ->> 'messageId', '') not in (select message_id from deleted where message_id is not null)
  ), chosen as materialized (
    select seq, row_number() over (order by recorded_at, seq) as n, now_role
      from (select * from refused where is_fresh order by recorded_at desc, seq desc limit (given ->> 'mostEach')::integer) as newest
  ), forgotten as (
    update inbox set refused_by = null
     where inbox.session_key = target.session_key and inbox.refused_by = counter.key and inbox.seq not in (select seq from chosen)
  ), moved as (
    update inbox
       set seq = target.last_seq + chosen.n, mode = 'queue', reason = null, dropped_at = null, refused_by = null,
           role = (array['unverified', 'guest', 'member', 'owner'])[least(rank_of(coalesce(role, 'guest')), rank_of(now_role))]
      from chosen
     where inbox.session_key = target.session_key and inbox.seq = chosen.seq
  ), counted as (
    update session set last_seq = last_seq + (select count(*) from chosen)
     where session_key = target.session_key and exists (select from chosen)
  ), freed as (
    -- Somebody's words wait: what waited for that is read with them.
    update inbox set deferred_until = null
     where inbox.session_key = target.session_key and turn_id is null and reason is null and deferred_until = 'infinity'
       and exists (select from chosen)
  )
  select jsonb_strip_nulls(jsonb_build_object(
           'conversation', place, 'taken', case when bool_or(chosen.seq is not null) then true end,
           'left', case when bool_or(chosen.seq is null) then true end))
    from refused left join chosen using (seq)
   group by place;
end $$;
