-- What a search finds, in three steps: lines with their counts, those beside the best, and what may be shown of them.

-- {places: [{accountId, conversationId}], words: [{word, isStemmed}], language, all: [text], at most `most` lines; since, until, isOurs,
-- userId, name}: {messages, meanLength, words: [{forms, found}], lines: [[n of its place, isOurs, lineId, at, length, times]]}. `forms`: how
-- many of a word are sought; `times` counts those of all words in their order.
--
-- However many lines there are, some thousands are read. Words are taken from the rarest on, as long as the lines that have one are at most
-- `most`, or twice as many that have the rarest; where there are more lines, how many have a word is guessed from some of all times. Is
-- even the rarest in too many, the lines that have it and the next rarest are taken, and then the newest that have any.
create function find_lines(call jsonb) returns json language sql stable
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off as $$
  with asked as materialized (
    select (call ->> 'most')::integer as most, coalesce((call ->> 'since')::timestamptz, '-infinity') as since,
           coalesce((call ->> 'until')::timestamptz, 'infinity') as until
  ), form as materialized (
    select word, form, row_number() over (order by word, form)::integer as n
      from (select word, item ->> 'word' as form from jsonb_array_elements(call -> 'words') with ordinality as given (item, word)
            union
            select word, unnest(stems_of(item ->> 'word', coalesce(call ->> 'language', '')))
              from jsonb_array_elements(call -> 'words') with ordinality as given (item, word)
             where (item ->> 'isStemmed')::boolean) as sought
  ), word as materialized (
    select word as n, array_agg(form order by n) as forms from form group by word
  ), place as materialized (
    select given.n, account_id, conversation_id, place_term(account_id, conversation_id) as term, read_lines, read_words
      from jsonb_array_elements(call -> 'places') with ordinality as given (item, n)
           join chat on account_id = item ->> 'accountId' and conversation_id = item ->> 'conversationId'
  ), known as materialized (
    select coalesce(sum(read_lines), 0)::float8 as lines, sum(read_words)::float8 / nullif(sum(read_lines), 0) as mean_length from place
  ), sample as materialized (
    select near.terms
      from asked, known, place
           cross join lateral (select ceil(60 * read_lines / known.lines) as steps) as share
           cross join lateral (
             select min(at) as first, max(at) as last from chat_line
              where account_id = place.account_id and conversation_id = place.conversation_id) as span
           cross join lateral generate_series(0, steps::integer - 1) as step
           cross join lateral (
             select terms from chat_line
              where account_id = place.account_id and conversation_id = place.conversation_id and at <= last - (last - first) * (step / steps)
              order by at desc limit 5) as near
     where known.lines > most
  ), guessed as materialized (
    select word.n, count(*) filter (where terms && forms) * known.lines / greatest(count(terms), 1) as found
      from known cross join word left join sample on true
     group by word.n, known.lines
  ), rarest as materialized (
    select word.*, found, row_number() over rarest_first as rank, sum(found) over rarest_first as so_far
      from guessed join word using (n)
    window rarest_first as (order by found, n)
  ), taken as materialized (
    select rarest.* from asked, rarest where so_far <= case when rank = 1 then 2 * most else most end
  ), pair as materialized (
    select one.forms, other.forms as other_forms
      from asked, known, rarest as one join rarest as other on other.rank = 2
     where one.rank = 1 and one.found > 2 * most and one.found <= 20 * most and one.found * other.found / lines <= most
  ), found as materialized (
    select chat_line.*, false as is_newest from chat_line
     where terms && array(select unnest(forms) from taken) and terms && array(select term from place)
    union all
    select chat_line.*, false from chat_line
     where terms && array(select unnest(forms) from pair) and terms && array(select unnest(other_forms) from pair)
       and terms && array(select term from place)
    union all
    select newest.*, true
      from asked, known, place
           cross join lateral (
             select chat_line.* from chat_line
              where account_id = place.account_id and conversation_id = place.conversation_id and at >= since and at < until
              order by at desc limit ceil(most * read_lines / lines)::integer) as newest
     where not exists (select from taken) and terms && array(select form from form)
       and not exists (select from pair where terms && forms and terms && other_forms)
  ), wanted as materialized (
    select *
      from found
     where at >= (select since from asked) and at < (select until from asked)
       and (call -> 'isOurs' is null or is_ours = (call ->> 'isOurs')::boolean)
       and terms @> array(select jsonb_array_elements_text(call -> 'all'))
       and (not call ?| array['userId', 'name'] or (
             select (not call ? 'userId' or body -> 'sender' ->> 'userId' = call ->> 'userId')
                    and (not call ? 'name' or position(lower(call ->> 'name') in lower(body -> 'sender' ->> 'displayName')) > 0)
               from inbox where event_id = line_id and inbox.account_id = found.account_id limit 1))
     order by is_newest, at desc
     limit (call ->> 'most')::integer
  )
  select json_build_object(
           'messages', lines, 'meanLength', coalesce(mean_length, 0),
           'words', (
             select json_agg(json_build_object('forms', cardinality(forms), 'found', case
                      when rank > (select count(*) from taken) then found
                      when (select count(*) from taken) = 1 then (select count(*) from found)
                      else (select count(*) from found where terms && forms) end) order by n)
               from rarest),
           'lines', (
             select json_agg(json_build_array(
                      place.n - 1, is_ours, line_id, extract(epoch from at)::float8 * 1000, length,
                      array(select coalesce(cardinality(array_positions(terms, form)), 0) from unnest(every_form) as form)))
               from wanted join place using (account_id, conversation_id)
                    cross join (select array_agg(form order by n) as every_form from form) as sought))
    from known
$$;

-- {lines: [{isOurs, lineId, accountId}]}: for each of them those beside it: {before, after}, the nearest first, two of each.
create function lines_beside(call jsonb) returns json language sql stable set plan_cache_mode = force_generic_plan as $$
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
create function show_lines(call jsonb) returns json language sql stable set plan_cache_mode = force_generic_plan as $$
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
