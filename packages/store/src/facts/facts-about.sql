-- {accountId, userId, session, most}: {facts}, all that is kept about a person of an account, or was taught by them there, with the archive:
-- what counts first, then the last archived. Each has the conversation in which it was said, as far as that is still known. `session`: how
-- the keys of the account's sessions begin. Ids of people say nothing on another account.
create function facts_about(call jsonb) returns json language sql stable as $$
  select json_build_object('facts', coalesce(json_agg(json_build_object(
           'fact', fact_json(to_jsonb(kept)),
           'conversationId', (select conversation_id from seen
                               where event_id = kept.event_id and account_id = call ->> 'accountId'),
           'title', (select body -> 'conversation' ->> 'title' from inbox
                      where event_id = kept.event_id and account_id = call ->> 'accountId' limit 1))
           order by kept.archived_at desc nulls first, kept.id), '[]'))
    from (select * from fact
           where id in (
             select id from fact
              where scope = 'person' and key = (call ->> 'accountId') || '/' || (call ->> 'userId')
             union
             select id from fact as taught
              where author = call ->> 'userId' and case scope
                when 'group' then starts_with(key, (call ->> 'accountId') || '/')
                when 'workspace' then starts_with(key, call ->> 'session')
                when 'agent' then exists (
                  select from seen
                   where seen.event_id = taught.event_id and account_id = call ->> 'accountId' and sender_id = author)
                else false end)
           order by archived_at desc nulls first, id
           limit (call ->> 'most')::integer) as kept
$$;
