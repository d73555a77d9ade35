-- What people do to a conversation of the console.

-- {accountId, conversationId, title}; an empty title takes the name away. Null: there is no such conversation.
create function name_chat(call jsonb) returns json language plpgsql as $$
declare
  given text := nullif(call ->> 'title', '');
begin
  update chat
     set title = given, words = line_words(coalesce(given, known_as), account_id)
   where account_id = call ->> 'accountId' and conversation_id = call ->> 'conversationId' and last_at > deleted_at;
  return case when found then json_build_object('named', given is not null) end;
end $$;

-- {accountId, conversationId, upTo}: what was said in that millisecond or before was read. Neither goes back nor beyond what was said by now.
-- Null: as above.
create function read_chat(call jsonb) returns json language plpgsql as $$
begin
  update chat
     set read_until = greatest(read_until, least((call ->> 'upTo')::timestamptz, (
           select date_trunc('milliseconds', max(created_at)) from outbox
            where outbox.account_id = chat.account_id and outbox.conversation_id = chat.conversation_id)))
   where account_id = call ->> 'accountId' and conversation_id = call ->> 'conversationId' and last_at > deleted_at;
  return case when found then json_build_object('unread', (
    select unread_lines(account_id, conversation_id, read_until, deleted_at) from chat
     where account_id = call ->> 'accountId' and conversation_id = call ->> 'conversationId')) end;
end $$;

-- Lines of the agent since the newest that was read, or that a person has written since; 100 at most. An instant that a page knows has
-- milliseconds.
create function unread_lines(account text, place text, read_until timestamptz, deleted_at timestamptz) returns integer
language sql stable as $$
  select count(*)::integer
    from (select from outbox
           where account_id = account and conversation_id = place
             and created_at > greatest(unread_lines.read_until, unread_lines.deleted_at, (
                   select recorded_at from inbox
                    where account_id = account and conversation_id = place and not again
                      and body ->> 'type' in ('message.created', 'action.invoked')
                    order by recorded_at desc limit 1), (
                   select max(at) from given_command where account_id = account and conversation_id = place))
             and date_trunc('milliseconds', created_at) > unread_lines.read_until
             and state not in ('failed', 'withdrawn') and kind <> 'closing'
           limit 100) as lines
$$;

-- A command or a press, for the history: {did, markdown, displayName, of, actionId}. A press shows what was written on the button; those
-- that a page has by itself, as for stopping, are named by their ids.
create function keep_given(call jsonb) returns void language sql as $$
  insert into given_command (event_id, account_id, conversation_id, did, markdown, display_name, of_message, thread_id)
  select call ->> 'eventId', call ->> 'accountId', call ->> 'conversationId', given ->> 'did',
         coalesce(given ->> 'markdown', choice_label(
           call ->> 'accountId', call ->> 'conversationId', given ->> 'of', given ->> 'actionId'), initcap(split_part(given ->> 'actionId', '-', 1)), ''),
         given ->> 'displayName', given ->> 'of', given ->> 'threadId'
    from (select call -> 'given' as given) as shown
  on conflict do nothing
$$;

-- What is written on a button of a message of ours. A preview that was edited into the reply is known by its turn only. A web page shows a
-- text, and has its buttons pressed, as soon as it is committed: there it is known by its own key.
create function choice_label(account text, place text, message text, choice_id text) returns text language sql stable as $$
  select choice ->> 'label'
    from (select body from outbox where delivery_key = message and conversation_id = place and account_id = account
          union all
          select outbox.body
            from sent_message
                 join outbox on outbox.id = sent_message.outbox_id
                             or outbox.turn_id = sent_message.turn_id and outbox.kind = 'reply'
           where message_id = message and sent_message.conversation_id = place and sent_message.account_id = account
         ) as shown
         cross join lateral jsonb_array_elements(body -> 'choices') as choice
   where choice ->> 'id' = choice_id
   limit 1
$$;
