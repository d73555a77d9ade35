-- {problems: [{key, code?, since?, seenAt?, graceMs, markdown, inLanguages?, notIn?, covers?}], sound: [{key, markdown, inLanguages?, unanswered?: {codes, markdown, inLanguages?}}], againMs, forgetMs}: keeps what lasts, and tells
-- owners at home: what has lasted for its grace, each code of it again after `againMs` when it was seen since, and once that it is over. Nobody
-- is told on an account of its own trouble before that is over, nor in conversations `notIn`. What a text `covers`, [{key, seenAt}], is over by itself. What has not been seen for `forgetMs` is forgotten.
-- `unanswered` is added where the newest turn of conversations has failed meanwhile with one of its codes: `{n}` stands for how many they are.
create function note_problems(call jsonb) returns json language plpgsql as $$
declare
  item jsonb;
  row problem;
  kind text;
  kind_told_at timestamptz;
  begun text[] := '{}';
  over text[] := '{}';
  told text[] := '{}';
  told_here text[];
begin
  perform pg_advisory_xact_lock(hashtextextended('talaria problems', 0));
  for item in select * from jsonb_array_elements(call -> 'problems') loop
    insert into problem (key, since, seen_at)
    values (item ->> 'key', coalesce((item ->> 'since')::timestamptz, clock_timestamp()),
            coalesce((item ->> 'seenAt')::timestamptz, clock_timestamp()))
    on conflict (key) do update set seen_at = greatest(problem.seen_at, excluded.seen_at)
    returning * into row;
    kind := coalesce(item ->> 'code', '');
    kind_told_at := case when row.told_codes = '{}' then row.told_at else (row.told_codes ->> kind)::timestamptz end;
    if row.since > clock_timestamp() - (item ->> 'graceMs')::bigint * interval '1 millisecond'
       or kind_told_at is not null and (
            coalesce((item ->> 'seenAt')::timestamptz, clock_timestamp()) <= kind_told_at
            or kind_told_at > clock_timestamp() - (call ->> 'againMs')::bigint * interval '1 millisecond') then
      continue;
    end if;
    told_here := tell_homes(row.key, concat_ws(':', 'problem', row.key, extract(epoch from row.since), row.told + 1), item, item -> 'notIn');
    -- Whoever has a home later is told then.
    if told_here = '{}' and not exists (select from owners_places()) then continue; end if;
    told := told || told_here;
    update problem
       set told_at = clock_timestamp(), told = problem.told + 1,
           told_codes = problem.told_codes || jsonb_build_object(kind, clock_timestamp())
     where key = row.key returning * into row;
    insert into problem (key, since, seen_at, told_at, told)
    select value ->> 'key', row.since, (value ->> 'seenAt')::timestamptz, row.told_at, 1
      from jsonb_array_elements(coalesce(item -> 'covers', '[]'))
    on conflict (key) do update set seen_at = greatest(problem.seen_at, excluded.seen_at), told_at = excluded.told_at, told = problem.told + 1;
    begun := begun || row.key;
  end loop;
  for item in select * from jsonb_array_elements(call -> 'sound') loop
    delete from problem where key = item ->> 'key' returning * into row;
    if not found or row.told_at is null then continue; end if;
    row.told := row.told + 1;
    if item ? 'unanswered' then item := with_unanswered(item, row.since); end if;
    told := told || tell_homes(null, concat_ws(':', 'problem', row.key, extract(epoch from row.since), row.told), item, null);
    over := over || row.key;
  end loop;
  delete from problem where seen_at < clock_timestamp() - (call ->> 'forgetMs')::bigint * interval '1 millisecond';
  return json_build_object('begun', begun, 'over', over, 'accounts', array(select distinct unnest(told)));
end $$;

create function with_unanswered(news jsonb, since timestamptz) returns jsonb language plpgsql stable as $$
declare
  added jsonb := news -> 'unanswered';
  n text;
begin
  -- The answer may have failed before anybody looked.
  select nullif(count(*), 0)::text into n
    from (select distinct on (session_key) session_key, state, reason
            from turn
           where ended_at > greatest(since - interval '1 minute', clock_timestamp() - interval '7 days')
           order by session_key, first_seq desc) as newest
         join session using (session_key)
   where newest.state = 'failed' and added -> 'codes' ? newest.reason and session.open_turn is null;
  if n is null then return news; end if;
  return news
    || jsonb_build_object('markdown', (news ->> 'markdown') || E'\n\n' || replace(added ->> 'markdown', '{n}', n))
    || coalesce((
         select jsonb_build_object('inLanguages', jsonb_object_agg(
                  key, value || E'\n\n' || replace(coalesce(added -> 'inLanguages' ->> key, added ->> 'markdown'), '{n}', n)))
           from jsonb_each_text(news -> 'inLanguages')
         having count(*) > 0), '{}');
end $$;

-- The accounts on which owners are told. `trouble`: the key of what lasts; an account that has it itself can't tell. `telling`: the beginning of
-- the delivery keys. `news`: {markdown, inLanguages?}. `shut`, [{accountId, conversationId}]: where nobody is told.
create function tell_homes(trouble text, telling text, news jsonb, shut jsonb) returns text[] language plpgsql as $$
declare
  texts jsonb;
begin
  select jsonb_agg(jsonb_build_object(
           'deliveryKey', concat_ws(':', telling, account_id, user_id),
           'kind', 'notice', 'conversation', conversation, 'markdown', coalesce(said_in(news -> 'inLanguages', conversation, language), news ->> 'markdown'), 'attachments', '[]'::jsonb)
         order by account_id, user_id)
    into texts
    from owners_places()
   where trouble is distinct from 'account:' || account_id
     and not coalesce(shut @> jsonb_build_array(jsonb_build_object(
           'accountId', account_id, 'conversationId', conversation ->> 'conversationId')), false);
  if texts is null then return '{}'; end if;
  perform add_outbox(texts);
  return array(select distinct value -> 'conversation' ->> 'accountId' from jsonb_array_elements(texts));
end $$;

-- What is there in the language of whoever reads it alone, or in the one that it is a kind of: `pt-br`, `pt`.
create function said_in(texts jsonb, conversation jsonb, language text) returns text language sql immutable as $$
  select value
    from jsonb_each_text(texts)
   where conversation ->> 'kind' = 'direct' and starts_with(lower(language) || '-', key || '-')
   order by length(key) desc
   limit 1
$$;
