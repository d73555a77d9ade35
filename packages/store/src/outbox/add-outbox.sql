-- Adds texts in their order; a known delivery key is ignored, and so is what a turn says in a conversation that was deleted since it began.
create function add_outbox(texts jsonb) returns void language plpgsql as $$
begin
  if texts @? '$[*].operational' then texts := due_texts(texts); end if;
  insert into outbox (delivery_key, account_id, conversation_id, kind, session_key, turn_id, body)
  select body ->> 'deliveryKey', body -> 'conversation' ->> 'accountId', body -> 'conversation' ->> 'conversationId',
         body ->> 'kind', body ->> 'sessionKey', body ->> 'turnId', body
    from jsonb_array_elements(texts) with ordinality as given (body, n)
   where not exists (
     select from chat join turn on turn.turn_id = body ->> 'turnId' and turn.started_at <= chat.deleted_at
      where chat.account_id = body -> 'conversation' ->> 'accountId'
        and chat.conversation_id = body -> 'conversation' ->> 'conversationId' and chat.deleted_at > '-infinity')
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
       and not may_tell(item -> 'conversation', concat_ws('/', notice ->> 'topic', notice ->> 'kind'), notice ->> 'to') then
      if coalesce(notice ->> 'otherwise', '') = '' then continue; end if;
      item := jsonb_set(item, '{markdown}', notice -> 'otherwise');
    end if;
    due := due || item;
  end loop;
  return due;
end $$;

-- Whether a conversation may be told about a topic now, and then notes that it was. A group is told once an hour, of each kind of it; of what is for
-- somebody in it, each of them once an hour, and five of them.
create function may_tell(conversation jsonb, of_topic text, person text) returns boolean language plpgsql as $$
declare
  known_as text := of_topic || coalesce(':' || person, '');
begin
  if conversation ->> 'kind' = 'direct' then return true; end if;
  if person is not null and (
    select count(*)
      from told
     where account_id = conversation ->> 'accountId' and conversation_id = conversation ->> 'conversationId'
       and starts_with(topic, of_topic || ':') and topic <> known_as
       and told_at > clock_timestamp() - interval '1 hour') >= 5 then
    return false;
  end if;
  insert into told (account_id, conversation_id, topic, told_at)
  values (conversation ->> 'accountId', conversation ->> 'conversationId', known_as, clock_timestamp())
  on conflict (account_id, conversation_id, topic) do update set told_at = excluded.told_at
   where told.told_at <= excluded.told_at - interval '1 hour';
  return found;
end $$;
