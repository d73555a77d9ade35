-- What a search finds is read line by line from those of `chat_line`, the newest first, and what was read is noted there: whoever dies
-- meanwhile leaves nothing behind but lines that are not read yet. Any number of processes may do so at once.

-- {most}: the next lines, with what there is to read of them: {isOurs, lineId, accountId, markdown}. What the gateway itself says isn't read.
create function lines_to_read(call jsonb) returns json language sql stable as $$
  select json_agg(json_build_object('isOurs', is_ours, 'lineId', line_id, 'accountId', account_id, 'markdown', case
           when is_ours then (
             select left(body ->> 'markdown', 20000) from outbox
              where delivery_key = line_id and (kind = 'reply' or body ? 'isSaid'))
           else (
             select left(body #>> '{message,markdown}', 20000) from inbox
              where event_id = line_id and inbox.account_id = unread.account_id limit 1) end))
    from (select is_ours, line_id, account_id from chat_line where terms is null
           order by at desc limit (call ->> 'most')::integer) as unread
$$;

-- {lines: [{isOurs, lineId, accountId, words, signs, language}]}: `signs` are found besides the words and their stems.
create function note_read(call jsonb) returns json language plpgsql as $$
begin
  with given as materialized (
    select * from jsonb_to_recordset(call -> 'lines')
      as line ("isOurs" boolean, "lineId" text, "accountId" text, words text[], signs text[], language text)
  ), mine as materialized (
    select line.ctid as place, line.account_id, line.conversation_id, line.is_ours, line.line_id, given.words, given.signs, coalesce(given.language, '') as language
      from given join chat_line as line
             on line.line_id = given."lineId" and line.account_id = given."accountId" and line.is_ours = given."isOurs"
     where line.terms is null
     order by line.line_id
       for update of line skip locked
  ), said as materialized (
    select distinct place, language, word from mine cross join lateral unnest(words[1:2000]) as word
  ), stemmed as materialized (
    select language, word, stems_of(word, language) as stems from (select distinct language, word from said) as different
  ), found_by as (
    select place, array_agg(stem) as stems
      from said join stemmed using (language, word) cross join lateral unnest(stems) as stem
     group by place
  ), noted as (
    update chat_line
       set terms = array[place_term(mine.account_id, mine.conversation_id)] || mine.words || mine.signs || coalesce(found_by.stems, '{}'),
           length = cardinality(mine.words)
      from mine left join found_by using (place)
     where chat_line.ctid = mine.place
  ), counted as (
    select account_id, conversation_id, count(*) as lines, sum(cardinality(words)) as words
      from mine
     group by account_id, conversation_id
     order by account_id, conversation_id
  ), spoken as (
    select mine.account_id, mine.conversation_id, min(body -> 'sender' ->> 'userId' collate "C") as first_id,
           max(body -> 'sender' ->> 'userId' collate "C") as last_id
      from mine join inbox on inbox.event_id = mine.line_id and inbox.account_id = mine.account_id
     where not mine.is_ours and body -> 'conversation' ->> 'kind' = 'direct' and body -> 'sender' ->> 'role' = 'person'
     group by mine.account_id, mine.conversation_id
  )
  update chat
     set read_lines = read_lines + counted.lines,
         read_words = read_words + counted.words,
         person_id = case
           when first_id is null then person_id
           when first_id = last_id and coalesce(person_id, first_id) = first_id then first_id
           else '' end
    from counted left join spoken using (account_id, conversation_id)
   where chat.account_id = counted.account_id and chat.conversation_id = counted.conversation_id;
  return '{}';
end $$;

-- No word begins like that.
create function place_term(account text, conversation text) returns text language sql immutable as $$
  select '@' || md5(account || ' ' || conversation)
$$;

-- Those that differ from the word. Where the language is not known, those of every language that its script writes: the longer a text is,
-- the rarer that is.
create function stems_of(word text, language text) returns text[] language sql immutable as $$
  select array_remove(coalesce(case
           when language = 'english' then ts_lexize('english_stem', word)
           when language = 'german' then ts_lexize('german_stem', word)
           when language = 'spanish' then ts_lexize('spanish_stem', word)
           when language = 'french' then ts_lexize('french_stem', word)
           when language = 'italian' then ts_lexize('italian_stem', word)
           when language = 'portuguese' then ts_lexize('portuguese_stem', word)
           when language = 'dutch' then ts_lexize('dutch_stem', word)
           when language = 'russian' then ts_lexize('russian_stem', word)
           when word collate "C" between 'Ѐ' and 'ӿ' then ts_lexize('russian_stem', word)
           when word collate "C" between 'a' and 'ɏ' then array(
             select distinct stem
               from unnest(ts_lexize('english_stem', word) || ts_lexize('german_stem', word) || ts_lexize('spanish_stem', word)
                           || ts_lexize('french_stem', word) || ts_lexize('italian_stem', word)
                           || ts_lexize('portuguese_stem', word) || ts_lexize('dutch_stem', word)) as stem)
           end, '{}'), word)
$$;
