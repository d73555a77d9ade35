-- What a search finds, in three steps: lines with their counts, those beside the best, and what may be shown of them.

-- {places: [{accountId, conversationId}], words: [{word, isStemmed}], language, all: [text], at most `most` lines; since, until, isOurs,
-- userId, name}: {messages, meanLength, words: [{terms, found}], lines: [{isOurs, lineId, accountId, conversationId, at, times, length}]}.
-- `times` counts the terms of all words in their order. Words are taken from the rarest on, as long as those that have one are at most `most`.
create function find_lines(call jsonb) returns json language plpgsql stable
set enable_seqscan = off set plan_cache_mode = force_custom_plan set jit = off as $$
declare
  most integer := (call ->> 'most')::integer;
  places text[] := array(
    select place_term(place ->> 'accountId', place ->> 'conversationId') from jsonb_array_elements(call -> 'places') as place);
  required text[] := array(select jsonb_array_elements_text(call -> 'all'));
  since timestamptz := coalesce((call ->> 'since')::timestamptz, '-infinity');
  until timestamptz := coalesce((call ->> 'until')::timestamptz, 'infinity');
  word record;
  counts jsonb := '[]';
  every_term text[] := '{}';
  sought text[] := '{}';
  total bigint;
  taken bigint := 0;
  sampled bigint;
  mean float8;
  had bigint;
  found_lines bigint;
begin
  select sum(read_lines), sum(read_words)::float8 / nullif(sum(read_lines), 0) into total, mean
    from jsonb_array_elements(call -> 'places') as place
         join chat on account_id = place ->> 'accountId' and conversation_id = place ->> 'conversationId';
  for word in
    select given.n, array[given.item ->> 'word'] || case when (given.item ->> 'isStemmed')::boolean
             then stems_of(array[given.item ->> 'word'], call ->> 'language') else '{}' end as terms
      from jsonb_array_elements(call -> 'words') with ordinality as given (item, n)
     order by given.n
  loop
    select count(*) into found_lines
      from (select from chat_line where terms && word.terms and terms && places limit most + 1) as having_it;
    if found_lines > most then
      select count(*), count(*) filter (where terms && word.terms) into sampled, had
        from (select terms from chat_line where terms && places limit 1000) as sample;
      found_lines := greatest(found_lines, total * had / sampled);
    end if;
    counts := counts || jsonb_build_array(jsonb_build_object('terms', word.terms, 'found', found_lines));
    every_term := every_term || word.terms;
  end loop;

  for word in
    select array(select jsonb_array_elements_text(item -> 'terms')) as terms, (item ->> 'found')::bigint as found
      from jsonb_array_elements(counts) as given (item)
     where (item ->> 'found')::bigint > 0
     order by found
  loop
    exit when taken > 0 and taken + word.found > most;
    taken := taken + word.found;
    sought := sought || word.terms;
  end loop;

  return json_build_object('messages', coalesce(total, 0), 'meanLength', coalesce(mean, 0), 'words', counts, 'lines', (
    select json_agg(json_build_object('isOurs', is_ours, 'lineId', line_id, 'accountId', account_id, 'conversationId', conversation_id,
                                      'at', extract(epoch from at)::float8 * 1000, 'length', length, 'times', array(
             select coalesce(cardinality(array_positions(terms, term)), 0) from unnest(every_term) with ordinality as one (term, n) order by n)))
      from (select *
              from (select * from chat_line where terms && sought and terms && places and terms @> required offset 0) as line
             where at >= since and at < until and (call -> 'isOurs' is null or is_ours = (call ->> 'isOurs')::boolean)
               and (not call ?| array['userId', 'name'] or (
                     select (not call ? 'userId' or body -> 'sender' ->> 'userId' = call ->> 'userId')
                            and (not call ? 'name'
                                 or position(lower(call ->> 'name') in lower(body -> 'sender' ->> 'displayName')) > 0)
                       from inbox where event_id = line_id and inbox.account_id = line.account_id limit 1))
             order by at desc
             limit most) as line));
end $$;

-- {lines: [{isOurs, lineId, accountId}]}: for each of them those beside it: {before, after}, the nearest first, two of each.
create function lines_beside(call jsonb) returns json language sql stable as $$
  select json_agg(json_build_object(
           'before', (
             select json_agg(json_build_object('isOurs', is_ours, 'lineId', line_id, 'accountId', account_id, 'at', extract(epoch from at)::float8 * 1000))
               from (select other.* from chat_line as other
                      where other.account_id = line.account_id and other.conversation_id = line.conversation_id
                        and other.at <= line.at and (other.at, other.line_id) < (line.at, line.line_id)
                      order by other.at desc, other.line_id desc limit 2) as near),
           'after', (
             select json_agg(json_build_object('isOurs', is_ours, 'lineId', line_id, 'accountId', account_id, 'at', extract(epoch from at)::float8 * 1000))
               from (select other.* from chat_line as other
                      where other.account_id = line.account_id and other.conversation_id = line.conversation_id
                        and other.at >= line.at and (other.at, other.line_id) > (line.at, line.line_id)
                      order by other.at, other.line_id limit 2) as near)) order by given.n)
    from jsonb_array_elements(call -> 'lines') with ordinality as given (item, n)
         join chat_line as line on line.line_id = item ->> 'lineId' and line.account_id = item ->> 'accountId'
                                and line.is_ours = (item ->> 'isOurs')::boolean
$$;

-- {lines, chars, and who asks: kind, places, userId, threadId}: what may be shown of these lines, in their order:
-- {isOurs, lineId, accountId, conversationId, at, markdown, displayName, userId, messageId}. What was deleted, taken back, or said to others is not among it.
create function show_lines(call jsonb) returns json language sql stable as $$
  select json_agg(json_build_object(
           'isOurs', line.is_ours, 'lineId', line.line_id, 'accountId', line.account_id, 'conversationId', line.conversation_id,
           'at', extract(epoch from line.at)::float8 * 1000, 'markdown', said.markdown, 'displayName', said.display_name,
           'userId', said.user_id) order by given.n)
    from jsonb_array_elements(call -> 'lines') with ordinality as given (item, n)
         join chat_line as line on line.line_id = item ->> 'lineId' and line.account_id = item ->> 'accountId'
                                and line.is_ours = (item ->> 'isOurs')::boolean
         join chat using (account_id, conversation_id)
         cross join lateral (
           select left(reads.markdown, (call ->> 'chars')::integer) as markdown, body -> 'sender' ->> 'displayName' as display_name,
                  body -> 'sender' ->> 'userId' as user_id
             from inbox cross join lateral newest_words(inbox) as reads (markdown)
            where not line.is_ours and event_id = line.line_id and inbox.account_id = line.account_id and not again
              and (reason is not null or is_held(inbox.turn_id)) and reads.markdown <> ''
              and (body -> 'conversation' ->> 'kind' = 'direct') = (call ->> 'kind' = 'direct')
              and case when call ->> 'kind' = 'direct' then body -> 'sender' ->> 'userId' = call ->> 'userId'
                       else not coalesce(body -> 'message' ? 'unseen', false) and is_read_there(body -> 'conversation', call) end
           union all
           select left(body ->> 'markdown', (call ->> 'chars')::integer), null, null
             from outbox
            where line.is_ours and delivery_key = line.line_id and state not in ('failed', 'withdrawn')
              and (kind = 'reply' or body ? 'isSaid') and (turn_id is null or is_held(turn_id))
              and (body -> 'conversation' ->> 'kind' = 'direct') = (call ->> 'kind' = 'direct')
              and (call ->> 'kind' = 'direct' or not body ? 'privateTo' and is_read_there(body -> 'conversation', call))
            limit 1) as said
   where line.at > chat.deleted_at
     and exists (select from jsonb_array_elements(call -> 'places') as place
                  where place ->> 'accountId' = line.account_id and place ->> 'conversationId' = line.conversation_id)
     and (call ->> 'kind' <> 'direct' or chat.person_id = call ->> 'userId')
$$;

-- `threadId`: others that read along there may not read the other threads.
create function is_read_there(conversation jsonb, call jsonb) returns boolean language sql immutable as $$
  select not call ? 'threadId' or not conversation ? 'threadId' or conversation ->> 'threadId' = call ->> 'threadId'
$$;

-- The words of a message as they read now: null when it was deleted.
create function newest_words(of_event inbox) returns text language sql stable as $$
  select case when newest.body ->> 'type' = 'message.deleted' then null else newest.body #>> '{message,markdown}' end
    from (select other.body
            from seen join inbox as other using (event_id, account_id)
           where seen.message_id = of_event.body #>> '{message,messageId}' and seen.account_id = of_event.account_id
             and seen.conversation_id = of_event.conversation_id
             and other.body ->> 'type' in ('message.created', 'message.edited', 'message.deleted')
           order by other.recorded_at desc
           limit 1) as newest
$$;

-- The turn has ended, and one of its session's memories that people can go back to holds it. Looks at the newest 50 of those.
create function is_held(of_turn text) returns boolean language sql stable as $$
  select coalesce((
    select ended.state <> 'running' and not ended.retracted and (
             own.continued_by is null or exists (
               select from (select memory.generation from memory
                             where memory.session_key = ended.session_key and continued_by is null
                             order by memory.generation desc limit 50) as known
                    cross join lateral memory_parts(ended.session_key, known.generation) as part
               where part.generation = ended.generation and part.until >= (
                       select max(entry.id) from entry
                        where entry.session_key = ended.session_key and entry.generation = ended.generation
                          and entry.turn_id = ended.turn_id)))
      from turn as ended
           join memory as own on own.session_key = ended.session_key and own.generation = ended.generation
     where ended.turn_id = of_turn), false)
$$;

-- {accountId, userId, most}: the direct conversations of one person, the last used first.
create function places_of_person(call jsonb) returns json language sql stable as $$
  select json_agg(json_build_object('accountId', account_id, 'conversationId', conversation_id))
    from (select account_id, conversation_id from chat
           where account_id = call ->> 'accountId' and person_id = call ->> 'userId' and person_id > ''
           order by last_at desc
           limit (call ->> 'most')::integer) as own
$$;
