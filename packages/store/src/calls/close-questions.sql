-- The messages that show a question are closed once it is decided, however that came about: the intent is stored with the
-- decision. What they then say is read when they are edited, so that the order of two closings does not matter.

-- One for each text that asks, at an owner's home as well. The lane of its conversation keeps it behind the question. `again` tells a
-- second closing, where what was decided has changed, from the first.
create function close_question(asked open_call, again text default '') returns void language sql as $$
  insert into outbox (delivery_key, account_id, conversation_id, kind, session_key, body)
  select 'closing:' || asked.id || ':' || again || shown.delivery_key, shown.account_id, shown.conversation_id, 'closing',
         shown.session_key,
         jsonb_build_object(
           'deliveryKey', 'closing:' || asked.id || ':' || again || shown.delivery_key, 'kind', 'closing',
           'conversation', shown.body -> 'conversation', 'markdown', '', 'attachments', '[]'::jsonb,
           'closes', shown.delivery_key)
    from texts_about(asked) as shown
   where asked.waits_for in ('approval', 'form') and shown.state <> 'failed'
   order by shown.id
  on conflict (delivery_key) do nothing;
$$;

-- An owner is asked now, by these texts, about calls that nobody else was asked about before than where they were made: there the
-- message says so.
create function tell_asked_since(texts jsonb) returns void language sql as $$
  insert into outbox (delivery_key, account_id, conversation_id, kind, session_key, body)
  select distinct on (there.id)
         asked_since_key(there), there.account_id, there.conversation_id, 'closing', there.session_key,
         jsonb_build_object(
           'deliveryKey', asked_since_key(there), 'kind', 'closing', 'conversation', there.body -> 'conversation',
           'markdown', '', 'attachments', '[]'::jsonb, 'closes', there.delivery_key)
    from jsonb_array_elements(texts) as given (body)
         cross join lateral asked_calls(given.body ->> 'deliveryKey', given.body) as asked
         join open_call on open_call.id = asked.id and settled_at is null
         cross join lateral texts_about(open_call) as there
   where there.state <> 'failed' and there.account_id = open_call.route ->> 'accountId'
     and there.conversation_id = open_call.route ->> 'conversationId'
     and not exists (
       select from texts_about(open_call) as other
        where (other.account_id, other.conversation_id) <> (there.account_id, there.conversation_id)
          and not texts @> jsonb_build_array(jsonb_build_object('deliveryKey', other.delivery_key)))
   order by there.id
  on conflict (delivery_key) do nothing;
$$;

create function asked_since_key(shown outbox) returns text language sql immutable as $$
  select 'closing:asked:' || shown.id
$$;

create function texts_about(asked open_call) returns setof outbox language sql stable as $$
  select outbox.*
    from outbox
   where delivery_key >= 'ask:' || asked.turn_id || ':' and delivery_key < 'ask:' || asked.turn_id || ';'
     and exists (select from asked_calls(delivery_key, body) as one where one.id = asked.id)
$$;

-- The calls that a text asks about, in its order: their ids are in those of its choices. A question for words only is known by its key,
-- with or without a home behind it.
create function asked_calls(key text, body jsonb) returns table (id text, n bigint) language sql stable as $$
  select split_part(choice ->> 'id', '-', 2), min(given.n)
    from jsonb_array_elements(body -> 'choices') with ordinality as given (choice, n)
   where choice ->> 'id' ~ '^[a-z]+-[0-9a-f]{8}'
   group by 1
  union all
  select open_call.id, 0
    from open_call
   where not coalesce(body @? '$.choices[0]', false) and starts_with(key, 'ask:') and turn_id = split_part(key, ':', 2)
     and starts_with(key || ':', 'ask:' || turn_id || ':' || call_id || ':')
$$;

-- How they stand: [{id, settlement, by, isByRule, notDone, choice, scope, at, expiresAt, isLate}]. `choice` is one that was offered; words that somebody wrote are not shown
-- again. `notDone` is the beginning of what was asked, where neither time nor a person has denied it.
create function asked_outcomes(key text, body jsonb) returns json language sql stable as $$
  select coalesce(json_agg(json_strip_nulls(json_build_object(
           'id', open_call.id,
           'settlement', open_call.settlement,
           'by', open_call.settled_by ->> 'displayName',
           'isTakenBack', case when (open_call.settled_by ->> 'takesBack')::boolean then true end,
           'isByRule', case when open_call.settled_by ->> 'role' = 'system' then true end,
           'notDone', case when open_call.waits_for = 'approval'
                            and (open_call.settlement = 'cancelled' or open_call.settled_by ->> 'role' = 'system')
                           then left(open_call.shown, 500) end,
           'choice', (select choice ->> 'label' from jsonb_array_elements(body -> 'choices') as choice
                       where choice ->> 'label' = open_call.content and open_call.settlement = 'answered' limit 1),
           'scope', call_grant.scope,
           'at', floor(extract(epoch from open_call.settled_at) * 1000),
           'expiresAt', floor(extract(epoch from open_call.expires_at) * 1000),
           'isLate', case when open_call.settled_at is null and open_call.expires_at <= clock_timestamp() then true end))
           order by asked.n), '[]')
    from asked_calls(key, body) as asked join open_call using (id)
         left join call_grant on call_grant.id = open_call.id and open_call.settlement = 'approved'
$$;
