-- What the agent says in another conversation than the one that it answers.

-- {turnId, text}: only the holder of the session says something for its turn, and nothing once a person has ended it. A known
-- delivery key is ignored.
create function say_elsewhere(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  if cancellation(held, held.open_first_seq) is not null then return json_build_object('ended', true); end if;
  perform add_outbox(jsonb_build_array((call -> 'text') || '{"isSaid": true}'));
  return '{}';
end $$;

-- What was sent to this conversation from others within a week, among its newest 500 texts, and no turn here was told yet: the
-- newest 20, oldest first. Null for none. A turn that is answered again leaves no memory: it was told nothing. A session of a
-- thread is told only of the message that began the thread, since nothing is sent to threads.
create function said_here(held session) returns json language sql stable as $$
  select json_agg(json_build_object('id', id, 'markdown', body ->> 'markdown',
                                    'at', extract(epoch from created_at)::float8 * 1000) order by id)
    from (select id, body, created_at
            from (select id, body, created_at, parts, state
                    from outbox
                   where account_id = held.conversation ->> 'accountId'
                     and conversation_id = held.conversation ->> 'conversationId'
                     and created_at > clock_timestamp() - interval '7 days'
                   order by created_at desc
                   limit 500) as newest
           where (position('/t/' in held.session_key) = 0
                  or parts @> jsonb_build_array(jsonb_build_object('messageId', held.conversation ->> 'threadId')))
             and body ? 'isSaid' and state = 'sent'
             and (not body ? 'toldIn' or exists (
                   select from turn
                    where turn_id = body ->> 'toldIn' and retracted and reason is distinct from 'crash_loop'))
           order by created_at desc
           limit 20) as said
$$;

-- Answers of this session that were given up or that somebody has stopped, among the newest 50 texts here within a week, and no turn was told yet: the newest
-- 5, oldest first. Null for none. What a platform refuses since nobody may write there, nobody waits for.
create function undelivered_here(held session) returns json language sql stable as $$
  select json_agg(json_build_object('id', id, 'markdown', left(body ->> 'markdown', 200), 'mayHaveArrived', may_have_arrived,
                                    'stopped', stopped) order by id)
    from (select id, body,
                 coalesce(doubtful_parts(parts) > 0 or parts @> '[{"state": "sent"}]', false) as may_have_arrived,
                 body ->> 'stopped' as stopped
            from (select id, body, parts, state, error, kind, session_key, created_at
                    from outbox
                   where account_id = held.conversation ->> 'accountId'
                     and conversation_id = held.conversation ->> 'conversationId'
                     and created_at > clock_timestamp() - interval '7 days'
                   order by created_at desc
                   limit 50) as newest
           where (state = 'failed' and error is distinct from 'not_allowed' or body ? 'stopped') and session_key = held.session_key
             and (kind = 'reply' or body ? 'choices')
             and (not body ? 'toldIn' or exists (
                   select from turn
                    where turn_id = body ->> 'toldIn' and retracted and reason is distinct from 'crash_loop'))
           order by created_at desc
           limit 5) as undelivered
$$;

create function note_said(said jsonb, of_turn text) returns void language sql as $$
  update outbox
     set body = body || jsonb_build_object('toldIn', of_turn)
   where id in (select value::bigint from jsonb_array_elements_text(said))
$$;
