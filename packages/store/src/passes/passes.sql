-- What a small model goes through for facts, once a conversation has ended or is shortened. Locked after the session, before the subject
-- of facts.

-- Wants a pass over what was said in the current memory, unless people have written fewer than three lines there since the last one.
-- The row of the session is locked.
create function want_pass(target session) returns void language plpgsql as $$
declare
  known memory_pass;
  newest bigint;
begin
  if target.conversation ->> 'platform' = 'webhook' or target.conversation ? 'guest' then return; end if;
  select * into known from memory_pass where session_key = target.session_key for update;
  if (select count(*) from (
        select from entry
         where session_key = target.session_key and generation = target.generation and kind = 'user'
           and id > coalesce(known.since, 0)
         order by id desc limit 3) as lines) < 3 then return; end if;
  select max(id) into newest from entry where session_key = target.session_key and generation = target.generation;
  insert into memory_pass (session_key, until, first_generation, generation)
  values (target.session_key, newest, target.generation, target.generation)
  on conflict (session_key) do update
    set until = newest, generation = target.generation,
        first_generation = case when memory_pass.until is null then target.generation else memory_pass.first_generation end,
        wanted_at = case when memory_pass.until is null then clock_timestamp() else memory_pass.wanted_at end,
        tries = case when memory_pass.until is null then 0 else memory_pass.tries end,
        failures = case when memory_pass.until is null then 0 else memory_pass.failures end;
end $$;

-- What was wanted up to `through` is done, or given up.
create function end_pass(key text, through bigint) returns void language sql as $$
  update memory_pass
     set since = greatest(since, through), until = nullif(until, through), holder = null, tries = 0, failures = 0
   where session_key = key
$$;

-- {holder, perDay, mostTries}: {sessionKey, fence, until}, the one that has waited longest and that nobody else who lives is at. {givenUp}: its
-- holders have died so often that it is wanted no more. Null: there is none.
create function claim_pass(call jsonb) returns json language plpgsql as $$
declare
  held memory_pass;
begin
  if not is_alive(call ->> 'holder') then return json_build_object('conflict', true); end if;
  select * into held
    from memory_pass
   where until is not null and not_before <= clock_timestamp() and (holder is null or holder = call ->> 'holder' or not is_alive(holder))
     and (select count(*) from unnest(asked_at) as at where at > clock_timestamp() - interval '1 day') < (call ->> 'perDay')::integer
   order by wanted_at
   limit 1
     for update skip locked;
  if held.session_key is null then return null; end if;
  if held.tries >= (call ->> 'mostTries')::integer then
    perform end_pass(held.session_key, held.until);
    return json_build_object('givenUp', held.session_key);
  end if;
  update memory_pass set holder = call ->> 'holder', fence = fence + 1, tries = tries + 1
   where session_key = held.session_key
  returning * into held;
  return json_build_object('sessionKey', held.session_key, 'fence', held.fence, 'until', held.until);
end $$;

-- Locks the row of a lease. False: the lease is lost.
create function holds_pass(call jsonb) returns boolean language plpgsql as $$
begin
  perform from memory_pass
    where session_key = call ->> 'sessionKey' and holder = call ->> 'holder' and fence = (call ->> 'fence')::bigint
      for update;
  return found;
end $$;

-- {until, entries, bytes, memories}: {conversation, since, isWhole, prompts, entries}, the newest within these bounds, oldest first, as {id, at, body}: all that
-- was said in the memories that are gone through, of which those after `since` are new. `isWhole`: they begin with nothing else.
create function read_pass(call jsonb) returns json language plpgsql as $$
declare
  held memory_pass;
  oldest bigint;
begin
  if not holds_pass(call) then return json_build_object('conflict', true); end if;
  select * into held from memory_pass where session_key = call ->> 'sessionKey';
  select min(id) into oldest
    from (select id, row_number() over (order by id desc) as n, sum(bytes) over (order by id desc rows unbounded preceding) as sum
            from (select id, bytes
                    from entry
                   where session_key = held.session_key and generation between held.first_generation and held.generation
                     and id <= (call ->> 'until')::bigint
                   order by id desc
                   limit (call ->> 'entries')::integer) as newest) as counted
   where sum <= (call ->> 'bytes')::bigint;
  return json_build_object(
    'conversation', (select conversation from session where session_key = held.session_key),
    'since', held.since,
    'prompts', (select coalesce(json_agg(prompt), '[]')
                  from (select prompt from memory
                         where session_key = held.session_key and generation between held.first_generation and held.generation
                           and prompt is not null
                         order by generation desc limit (call ->> 'memories')::integer) as newest),
    'isWhole', held.generation - held.first_generation < (call ->> 'memories')::integer
               and not exists (select from entry
                            where session_key = held.session_key and generation between held.first_generation and held.generation
                              and id < oldest)
               and not exists (select from memory
                                where session_key = held.session_key and parent_generation is not null
                                  and generation between held.first_generation and held.generation),
    'entries', (select coalesce(json_agg(json_build_object('id', id, 'at', fact_time(created_at::text), 'body', body) order by id), '[]')
                  from entry
                 where session_key = held.session_key and generation between held.first_generation and held.generation
                   and id between oldest and (call ->> 'until')::bigint
                   and turn_id not in (select turn_id from turn where session_key = held.session_key and retracted)));
end $$;

-- {until, subject, writes, uses, spenders, tokens, cost, people, mostArchived}: what it has brought is kept, all of it or nothing, together
-- with the end of the pass and its cost. {stale}: the subject is not at the version of `subject` any more, and nothing was written.
create function finish_pass(call jsonb) returns json language plpgsql as $$
declare
  one jsonb;
begin
  perform lock_spending(jsonb_build_array(call));
  if not holds_pass(call) then return json_build_object('conflict', true); end if;
  if jsonb_array_length(call -> 'writes') > 0 then
    if locked_subject(call -> 'subject') <> (call -> 'subject' ->> 'version')::bigint then return json_build_object('stale', true); end if;
    for one in select jsonb_array_elements(call -> 'writes') loop
      perform write_facts(call -> 'subject' || one || jsonb_build_object('mostArchived', call -> 'mostArchived'));
    end loop;
  end if;
  perform charge_pass(call);
  perform end_pass(call ->> 'sessionKey', (call ->> 'until')::bigint);
  return '{}';
end $$;

-- {until, uses, spenders, tokens, cost, people, mostFailures, againMs}: the model has failed. {givenUp}: so often that it is wanted no more.
create function fail_pass(call jsonb) returns json language plpgsql as $$
declare
  held memory_pass;
begin
  perform lock_spending(jsonb_build_array(call));
  if not holds_pass(call) then return json_build_object('conflict', true); end if;
  perform charge_pass(call);
  select * into held from memory_pass where session_key = call ->> 'sessionKey';
  if held.failures + 1 >= (call ->> 'mostFailures')::integer then
    perform end_pass(held.session_key, (call ->> 'until')::bigint);
    return json_build_object('givenUp', true);
  end if;
  update memory_pass
     set failures = failures + 1, holder = null,
         not_before = clock_timestamp() + (call ->> 'againMs')::bigint * interval '1 millisecond'
   where session_key = held.session_key;
  return json_build_object('givenUp', false);
end $$;

-- {againMs}: nobody was asked.
create function postpone_pass(call jsonb) returns json language plpgsql as $$
begin
  if not holds_pass(call) then return json_build_object('conflict', true); end if;
  update memory_pass
     set tries = tries - 1, holder = null,
         not_before = clock_timestamp() + (call ->> 'againMs')::bigint * interval '1 millisecond'
   where session_key = call ->> 'sessionKey';
  return '{}';
end $$;

-- What the model has used. It counts once for everyone whose lines it has read.
create function charge_pass(call jsonb) returns void language plpgsql as $$
begin
  if not coalesce((call ->> 'wasAsked')::boolean, false) then return; end if;
  update memory_pass
     set asked_at = array(select at from unnest(asked_at) as at where at > clock_timestamp() - interval '1 day') || clock_timestamp()
   where session_key = call ->> 'sessionKey';
  if not call ? 'uses' then return; end if;
  insert into usage (session_key, turn_id, account_id, conversation_id, people, model, provider, served_by, input_tokens,
                     cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, purpose)
  select call ->> 'sessionKey', '', call ->> 'accountId', call ->> 'conversationId', texts_of(call -> 'people'),
         model, provider, "servedBy", "inputTokens", "cachedTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens", cost, 'memory'
    from jsonb_to_recordset(call -> 'uses') as one (
           model text, provider text, "servedBy" text, "inputTokens" bigint, "cachedTokens" bigint,
           "cacheWriteTokens" bigint, "outputTokens" bigint, "reasoningTokens" bigint, cost bigint);
  if (call ->> 'tokens')::bigint > 0 then perform spend(call -> 'spenders', 'tokens', (call ->> 'tokens')::bigint); end if;
  if (call ->> 'cost')::bigint > 0 then perform spend(call -> 'spenders', 'money', (call ->> 'cost')::bigint); end if;
end $$;
