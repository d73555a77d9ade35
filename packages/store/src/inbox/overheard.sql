-- Keeps a message that was not said to us, or the new text of one that is still kept.
create function overhear(call jsonb) returns void language plpgsql as $$
declare
  heard jsonb := call -> 'overheard';
  message jsonb := heard -> 'body';
  of_place text := heard ->> 'place';
  content jsonb;
begin
  if (heard ->> 'edited')::boolean then
    content := edited_content(message);
    if content is null then
      delete from overheard where place = of_place and message_id = message ->> 'messageId';
    else
      update overheard
         set body = (body - '{attachments,moreFiles}'::text[]) || content
       where place = of_place and message_id = message ->> 'messageId';
    end if;
    perform correct_overheard(call, message ->> 'messageId', content, (heard ->> 'withinMs')::bigint);
    return;
  end if;
  insert into overheard (place, account_id, conversation_id, message_id, body)
  values (of_place, call ->> 'accountId', call ->> 'conversationId', message ->> 'messageId', message)
  on conflict (place, message_id) do nothing;
  delete from overheard
   where place = of_place
     and (heard_at < clock_timestamp() - (heard ->> 'maxAgeMs')::bigint * interval '1 millisecond'
          or id not in (select id from newest_overheard(of_place, (heard ->> 'messages')::integer) as id));
end $$;

-- The words and files that a message has after its edit; null when nothing is left of it.
create function edited_content(message jsonb) returns jsonb language sql immutable as $$
  select case when btrim(message ->> 'markdown') <> '' or message ? 'attachments' or message ? 'quote'
              then (select jsonb_object_agg(key, value)
                      from jsonb_each(message)
                     where key in ('markdown', 'attachments', 'moreFiles')) end
$$;

-- The newest messages with words, and as many of those that are only files: an album pushes out nothing that was said.
create function newest_overheard(of_place text, most integer) returns setof bigint language sql stable as $$
  select id
    from (select id, row_number() over (partition by body ->> 'markdown' = '' order by id desc) as nth
            from overheard
           where place = of_place) as kept
   where nth <= most
$$;

-- Moves what was said before the event into it. A message that was kept, and that an edit now addresses to us, is no longer
-- overheard.
create function take_overheard(new_seq bigint, call jsonb) returns void language plpgsql as $$
declare
  limits jsonb := call -> 'overheard';
begin
  with taken as (
    delete from overheard where place = limits ->> 'place'
    returning id, message_id, body,
              heard_at > clock_timestamp() - (limits ->> 'maxAgeMs')::bigint * interval '1 millisecond' as is_fresh
  ), kept as (
    select id, body
      from (select id, body, row_number() over (partition by body ->> 'markdown' = '' order by id desc) as nth
              from taken
             where is_fresh and message_id is distinct from call ->> 'messageId') as fresh
     where nth <= (limits ->> 'messages')::integer
  )
  update inbox
     set overheard = (select jsonb_agg(body order by id) from kept)
   where session_key = call ->> 'sessionKey' and seq = new_seq;
end $$;

-- The event deletes a message: it is forgotten, even where it waits with another event.
create function forget_overheard(call jsonb) returns void language plpgsql as $$
declare
  forget jsonb := call -> 'forget';
begin
  delete from overheard where place = forget ->> 'place' and message_id = call ->> 'messageId';
  perform correct_overheard(call, call ->> 'messageId', null, (forget ->> 'withinMs')::bigint);
end $$;

-- Corrects a message that waits with an event of the call's conversation. Without new content, removes it.
create function correct_overheard(call jsonb, of_message text, content jsonb, within_ms bigint) returns void
language sql as $$
  update inbox
     set overheard = (
           select jsonb_agg(case when heard ->> 'messageId' = of_message
                                 then (heard - '{attachments,moreFiles}'::text[]) || content else heard end order by n)
             from jsonb_array_elements(overheard) with ordinality as given (heard, n)
            where content is not null or heard ->> 'messageId' <> of_message)
   where account_id = call ->> 'accountId' and conversation_id = call ->> 'conversationId'
     and turn_id is null and reason is null
     and recorded_at > clock_timestamp() - within_ms * interval '1 millisecond'
     and overheard @> jsonb_build_array(jsonb_build_object('messageId', of_message))
$$;
