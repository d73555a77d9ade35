-- Whether something that names nobody is meant for us all the same: it was said in a thread in which we take part, or is the rest of a
-- text that was begun to us. An
-- edit only when the message that it edits was for us.
create function joins(call jsonb) returns boolean language plpgsql as $$
declare
  unless jsonb := call -> 'unless';
begin
  if (unless ->> 'isEdit')::boolean and not exists (
    select from seen
     where message_id = call ->> 'messageId' and account_id = call ->> 'accountId'
       and conversation_id = call ->> 'conversationId' and outcome is null
  ) then
    return false;
  end if;
  return (unless ? 'thread' and takes_part(call, unless -> 'thread', unless ->> 'sessionKey'))
      or (unless ? 'paste' and continues(unless -> 'paste', unless ->> 'sessionKey', (call ->> 'occurredAt')::timestamptz));
end $$;

-- The newest part of a text is near and has no end yet. Sought among the last events of the session.
create function continues(paste jsonb, key text, written_at timestamptz) returns boolean language sql stable as $$
  select coalesce((
    select defer_limit is not null
           and written_at - (body ->> 'occurredAt')::timestamptz
               between interval '0' and (paste ->> 'withinMs')::bigint * interval '1 millisecond'
      from inbox
     where session_key = key and starts_with(defer_key, paste ->> 'key')
       and seq > (select last_seq from session where session_key = key) - 20
     order by seq desc
     limit 1), false)
$$;

-- We have answered in the thread lately, are answering there, somebody waits for us to, or the thread hangs on an answer of ours.
create function takes_part(call jsonb, thread jsonb, key text) returns boolean language plpgsql as $$
declare
  of_thread text := thread ->> 'threadId';
begin
  return exists (
      select from outbox
       where account_id = call ->> 'accountId' and conversation_id = call ->> 'conversationId'
         and kind = 'reply' and body -> 'conversation' ->> 'threadId' = of_thread
         and created_at > clock_timestamp() - (thread ->> 'withinMs')::bigint * interval '1 millisecond')
    or exists (
      select from sent_message sent
        join outbox on outbox.id = sent.outbox_id or sent.outbox_id is null and outbox.turn_id = sent.turn_id
       where message_id = of_thread and sent.conversation_id = call ->> 'conversationId'
         and sent.account_id = call ->> 'accountId' and outbox.kind = 'reply'
         and sent_at > clock_timestamp() - (thread ->> 'withinMs')::bigint * interval '1 millisecond')
    or exists (
      select from turn
       where session_key = key and state = 'running' and route ->> 'threadId' = of_thread)
    or exists (
      select from inbox
       where session_key = key and turn_id is null and reason is null
         and coalesce(route, body -> 'conversation') ->> 'threadId' = of_thread);
end $$;
