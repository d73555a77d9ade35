-- Adds texts in their order; a known delivery key is ignored.
create function add_outbox(texts jsonb) returns void language plpgsql as $$
begin
  if texts @? '$[*].operational' then texts := due_texts(texts); end if;
  insert into outbox (delivery_key, account_id, conversation_id, kind, session_key, turn_id, body)
  select body ->> 'deliveryKey', body -> 'conversation' ->> 'accountId', body -> 'conversation' ->> 'conversationId',
         body ->> 'kind', body ->> 'sessionKey', body ->> 'turnId', body
    from jsonb_array_elements(texts) with ordinality as given (body, n)
   order by n
  on conflict (delivery_key) do nothing;
end $$;

-- The texts without the notices that people were told already.
create function due_texts(texts jsonb) returns jsonb language plpgsql as $$
declare
  due jsonb := '[]';
  item jsonb;
  notice jsonb;
begin
  for item in select given.value from jsonb_array_elements(texts) with ordinality as given (value, n) order by given.n loop
    notice := item -> 'operational';
    item := item - 'operational';
    if notice is not null and not item ? 'privateTo' and not exists (select from outbox where delivery_key = item ->> 'deliveryKey')
       and not may_tell(item -> 'conversation', notice ->> 'topic') then
      if coalesce(notice ->> 'otherwise', '') = '' then continue; end if;
      item := jsonb_set(item, '{markdown}', notice -> 'otherwise');
    end if;
    due := due || item;
  end loop;
  return due;
end $$;

-- Whether a conversation may be told about a topic now, and then notes that it was. A group is told once an hour.
create function may_tell(conversation jsonb, of_topic text) returns boolean language plpgsql as $$
begin
  if conversation ->> 'kind' = 'direct' then return true; end if;
  insert into told (account_id, conversation_id, topic, told_at)
  values (conversation ->> 'accountId', conversation ->> 'conversationId', of_topic, clock_timestamp())
  on conflict (account_id, conversation_id, topic) do update set told_at = excluded.told_at
   where told.told_at <= excluded.told_at - interval '1 hour';
  return found;
end $$;
