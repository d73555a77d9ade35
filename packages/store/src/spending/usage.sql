-- What answers have used. `uses` is an array of {model, provider, servedBy, inputTokens, cachedTokens, cacheWriteTokens,
-- outputTokens, reasoningTokens, cost}. Written in the transaction of the entries that account for it, by whoever holds the
-- session: never twice, and never without them.
create function add_usage(held session, of_turn text, uses jsonb) returns void language plpgsql as $$
begin
  insert into usage (session_key, turn_id, account_id, conversation_id, people, model, provider, served_by, input_tokens,
                     cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost)
  select held.session_key, of_turn, coalesce(held.conversation ->> 'accountId', ''),
         coalesce(held.conversation ->> 'conversationId', ''), people_of(of_turn), model, provider, "servedBy",
         "inputTokens", "cachedTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens", cost
    from jsonb_to_recordset(uses) as one (
           model text, provider text, "servedBy" text, "inputTokens" bigint, "cachedTokens" bigint,
           "cacheWriteTokens" bigint, "outputTokens" bigint, "reasoningTokens" bigint, cost bigint);
end $$;

-- Everyone whose words have entered a turn so far, each once, named as in the keys of counters. Those whose id nobody has
-- checked are one.
create function people_of(of_turn text) returns text[] language sql stable as $$
  select coalesce(array_agg(distinct account_id || '/' || case when sender ->> 'assurance' = 'claimed' then '(unverified)'
                                                               else sender ->> 'userId' end), '{}')
    from turn
         join inbox on inbox.session_key = turn.session_key and inbox.seq between turn.first_seq and turn.last_seq
                   and inbox.turn_id = turn.turn_id
         cross join lateral jsonb_array_elements(
           case when body ->> 'type' = 'call.settled' then jsonb_path_query_array(body, '$.call.askers[*].sender')
                else jsonb_build_array(body -> 'sender') end) as said (sender)
   where turn.turn_id = of_turn and sender ->> 'role' <> 'system' and sender ? 'userId'
$$;
