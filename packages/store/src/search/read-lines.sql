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

-- {words: [[language, word]]}: of each its stems, in their order.
create function stems_of_words(call jsonb) returns json language sql immutable set plan_cache_mode = force_generic_plan as $$
  select json_agg(array(select distinct stem from unnest(stems_of(item ->> 1, item ->> 0)) as stem where stem <> item ->> 1) order by n)
    from jsonb_array_elements(call -> 'words') with ordinality as given (item, n)
$$;

-- {lines: [{isOurs, lineId, accountId, terms, length}]}: what each is found by, besides its place, and how many words it has.
create function note_read(call jsonb) returns json language plpgsql as $$
begin
  with given as materialized (
    select * from jsonb_to_recordset(call -> 'lines')
      as line ("isOurs" boolean, "lineId" text, "accountId" text, terms text[], length integer)
  ), mine as materialized (
    select line.ctid as place, line.account_id, line.conversation_id, line.is_ours, line.line_id, given.terms, given.length
      from given join chat_line as line
             on line.line_id = given."lineId" and line.account_id = given."accountId" and line.is_ours = given."isOurs"
     where line.terms is null
     order by line.line_id
       for update of line skip locked
  ), noted as (
    update chat_line
       set terms = array[place_term(mine.account_id, mine.conversation_id)] || mine.terms, length = mine.length
      from mine
     where chat_line.ctid = mine.place
  ), counted as (
    select mine.account_id, mine.conversation_id, count(*) as lines, sum(length) as words, min(writer) as first_id,
           max(writer) as last_id
      from mine
           left join lateral (
             select body -> 'sender' ->> 'userId' collate "C" as writer from inbox
              where not mine.is_ours and event_id = mine.line_id and inbox.account_id = mine.account_id
                and body -> 'conversation' ->> 'kind' = 'direct' and body -> 'sender' ->> 'role' = 'person'
              limit 1) as direct on true
     group by mine.account_id, mine.conversation_id
     order by mine.account_id, mine.conversation_id
  )
  update chat
     set read_lines = read_lines + counted.lines,
         read_words = read_words + counted.words,
         person_id = case
           when first_id is null then person_id
           when first_id = last_id and coalesce(person_id, first_id) = first_id then first_id
           else '' end
    from counted
   where chat.account_id = counted.account_id and chat.conversation_id = counted.conversation_id;
  return '{}';
end $$;

-- No word begins like that.
create function place_term(account text, conversation text) returns text language sql immutable as $$
  select '@' || md5(account || ' ' || conversation)
$$;

-- With the word itself, and some twice. Where the language is not known, those of every language that its script writes: the longer a text
-- is, the rarer that is.
create function stems_of(word text, language text) returns text[] language sql immutable as $$
  select case
    when language = 'english' then ts_lexize('english_stem', word)
    when language = 'german' then ts_lexize('german_stem', word)
    when language = 'spanish' then ts_lexize('spanish_stem', word)
    when language = 'french' then ts_lexize('french_stem', word)
    when language = 'italian' then ts_lexize('italian_stem', word)
    when language = 'portuguese' then ts_lexize('portuguese_stem', word)
    when language = 'dutch' then ts_lexize('dutch_stem', word)
    when language = 'russian' then ts_lexize('russian_stem', word)
    when word collate "C" >= 'Ѐ' and word collate "C" <= 'ӿ' then ts_lexize('russian_stem', word)
    when word collate "C" >= 'a' and word collate "C" <= 'ɏ'
    then ts_lexize('english_stem', word) || ts_lexize('german_stem', word) || ts_lexize('spanish_stem', word)
         || ts_lexize('french_stem', word) || ts_lexize('italian_stem', word) || ts_lexize('portuguese_stem', word)
         || ts_lexize('dutch_stem', word) end
$$;
