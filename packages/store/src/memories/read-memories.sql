-- What people read of a session's memories. Takes no lock.

-- {sessionKey}: {isBusy, memory}, the current one, which may hold nothing yet. Null: nobody has written there.
create function read_memory(call jsonb) returns json language sql stable as $$
  select json_build_object('isBusy', is_busy(held), 'memory', memory_shown(held, held.generation, known))
    from session as held
         left join memory as known on known.session_key = held.session_key and known.generation = held.generation
   where held.session_key = call ->> 'sessionKey'
$$;

-- {sessionKey, most}: {memories}, those that hold something, the last used first. One that goes on is among them once. Looks at 200.
create function list_memories(call jsonb) returns json language sql stable as $$
  select json_build_object('memories', coalesce(json_agg(shown order by generation desc), '[]'))
    from (select memory_shown(held, known.generation, known) as shown, known.generation
            from (select * from memory
                   where session_key = call ->> 'sessionKey' and continued_by is null
                   order by generation desc
                   limit 200) as known
                 join session as held on held.session_key = call ->> 'sessionKey'
           where exists (select from newest_entry(held.session_key, known.generation, 9223372036854775807))
           order by known.generation desc
           limit (call ->> 'most')::integer) as newest
$$;

create function memory_shown(held session, of_generation integer, known memory) returns json language sql stable as $$
  select json_build_object(
    'number', coalesce(known.number, of_generation),
    'isCurrent', held.generation = of_generation,
    'title', known.title,
    'beginning', known.beginning,
    'turns', known.turns,
    'context', known.context,
    'compact', known.compact_after is not null,
    'lastUsedAt', (select floor(extract(epoch from created_at) * 1000)
                     from newest_entry(held.session_key, of_generation, 9223372036854775807)))
$$;

-- {sessionKey, most}: {turns}, the newest ones that the current memory holds, newest first.
create function read_memory_turns(call jsonb) returns json language sql stable as $$
  select json_build_object('turns', coalesce(json_agg(turn_shown(held.session_key, newest.turn_id) order by newest.n), '[]'))
    from session as held
         cross join lateral newest_turns(held.session_key, held.generation, (call ->> 'most')::integer) as newest
   where held.session_key = call ->> 'sessionKey'
$$;

-- {sessionKey, accountId, conversationId, messageId}: {turn}, the one that has read this message or answered with it, as long as one of
-- the session's memories holds it. Null: none does.
create function read_turn_of(call jsonb) returns json language sql stable as $$
  select json_build_object('turn', (
    select turn_shown(held.session_key, found.turn_id)
      from session as held
           cross join lateral (
             select inbox.turn_id
               from seen join inbox using (event_id, account_id)
              where seen.message_id = call ->> 'messageId' and seen.account_id = call ->> 'accountId'
                and seen.conversation_id = call ->> 'conversationId' and inbox.session_key = held.session_key
             union all
             select turn_id
               from sent_message
              where message_id = call ->> 'messageId' and account_id = call ->> 'accountId'
                and conversation_id = call ->> 'conversationId'
           ) as found
     where held.session_key = call ->> 'sessionKey' and exists (select from branch_point(held, found.turn_id))
     limit 1))
$$;

-- What was asked, in the beginning of it, and by whom. Nothing of a turn that is so old that its events were removed.
create function turn_shown(key text, of_turn text) returns json language sql stable as $$
  select json_build_object('turnId', of_turn, 'asked', coalesce((
    select json_agg(json_build_object('words', left(body -> 'message' ->> 'markdown', 500), 'sender', body -> 'sender')
                    order by seq)
      from (select inbox.seq, inbox.body
              from turn join inbox on inbox.session_key = key and inbox.turn_id = of_turn
                                  and inbox.seq between turn.first_seq and turn.last_seq
             where turn.turn_id = of_turn
             order by inbox.seq
             limit 200) as events), '[]'))
$$;
