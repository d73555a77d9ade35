-- {problems: [{key, code?, since?, seenAt?, graceMs, markdown, inLanguages?, notIn?, covers?}], sound: [{key, markdown, inLanguages?}], againMs, forgetMs}: keeps what lasts, and tells
-- owners at home: what has lasted for its grace, each code of it again after `againMs` when it was seen since, and once that it is over. Nobody
-- is told on an account of its own trouble before that is over, nor in conversations `notIn`. What a text `covers`, [{key, seenAt}], is over by itself. What has not been seen for `forgetMs` is forgotten.
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
    told := told || tell_homes(null, concat_ws(':', 'problem', row.key, extract(epoch from row.since), row.told), item, null);
    over := over || row.key;
  end loop;
  delete from problem where seen_at < clock_timestamp() - (call ->> 'forgetMs')::bigint * interval '1 millisecond';
  return json_build_object('begun', begun, 'over', over, 'accounts', array(select distinct unnest(told)));
end $$;

-- {key, codes, most}: sessions whose newest turn has failed with one of the codes since the problem began, which `/retry` would answer, and in whose
-- conversation nobody was answered since. None of what owners were not told of.
create function failed_meanwhile(call jsonb) returns json language sql stable as $$
  with failed as (
    select newest.session_key, newest.ended_at
      from problem
           cross join lateral (
             -- The answer may have failed before anybody looked.
             select distinct on (session_key) session_key, turn_id, state, reason, ended_at
               from turn
              where ended_at > greatest(problem.since - interval '1 minute', clock_timestamp() - interval '7 days')
              order by session_key, first_seq desc) as newest
           join session using (session_key)
     where problem.key = call ->> 'key' and problem.told_at is not null
       and newest.state = 'failed' and call -> 'codes' ? newest.reason
       and newest.turn_id = (select turn_id from turn_to_retry(session))
       and not exists (
         select from session as beside join turn as answered using (session_key)
          where beside.conversation ->> 'accountId' = session.conversation ->> 'accountId'
            and beside.conversation ->> 'conversationId' = session.conversation ->> 'conversationId'
            and answered.state = 'completed' and answered.ended_at > newest.ended_at))
  select json_build_object('count', count(*), 'sessionKeys', coalesce((
           select json_agg(session_key order by ended_at desc)
             from (select * from failed order by ended_at desc limit (call ->> 'most')::integer) as named), '[]'))
    from failed
$$;

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
