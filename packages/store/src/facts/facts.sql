-- What is kept beyond sessions. Who sees a fact is decided here: its subject is among those that are asked for, and its audience, if it has
-- one, holds the place.

-- `one`: a row of the table.
create function fact_json(one jsonb) returns json language sql stable as $$
  select json_strip_nulls(json_build_object(
    'id', one ->> 'id', 'scope', one ->> 'scope', 'key', one ->> 'key', 'text', one ->> 'text', 'trust', one ->> 'trust',
    'author', one ->> 'author', 'eventId', one ->> 'event_id', 'about', one ->> 'about', 'derived', one -> 'derived',
    'version', one -> 'version', 'uses', one -> 'uses', 'createdAt', fact_time(one ->> 'created_at'),
    'confirmedAt', fact_time(one ->> 'confirmed_at'), 'archivedAt', fact_time(one ->> 'archived_at'), 'why', one ->> 'why',
    'replacedBy', one ->> 'replaced_by'))
$$;

create function fact_time(at text) returns text language sql stable as $$
  select to_char(at::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create function is_heard_in(audience text[], place text) returns boolean language sql immutable as $$
  select audience is null or audience @> array[place]
$$;

-- {subjects, place, most}: {facts}, oldest first.
create function facts_seen(call jsonb) returns json language sql stable as $$
  select json_build_object('facts', coalesce(json_agg(fact_json(found.one) order by found.id), '[]'))
    from jsonb_to_recordset(call -> 'subjects') as asked (scope text, key text),
         lateral (select id, to_jsonb(fact) as one from fact
                   where fact.scope = asked.scope and fact.key = asked.key and archived_at is null
                     and is_heard_in(audience, call ->> 'place')
                   order by id limit (call ->> 'most')::integer) as found
$$;

-- {subjects, place, words, most}: {facts}, those that are archived and hold all of the words, the last archived first.
create function facts_archived(call jsonb) returns json language sql stable as $$
  select json_build_object('facts', coalesce(json_agg(fact_json(one) order by archived_at desc, id desc), '[]'))
    from (select found.*
            from jsonb_to_recordset(call -> 'subjects') as asked (scope text, key text),
                 lateral (select id, archived_at, to_jsonb(fact) as one from fact
                           where fact.scope = asked.scope and fact.key = asked.key and archived_at is not null
                             and is_heard_in(audience, call ->> 'place')
                             and not exists (select from jsonb_array_elements_text(call -> 'words') as word
                                              where position(lower(word) in lower(fact.text)) = 0)
                           order by archived_at desc limit (call ->> 'most')::integer) as found
           order by archived_at desc, id desc limit (call ->> 'most')::integer) as newest
$$;

-- {scope, key}: {version, settledAt, facts}, all that counts of one subject, whoever may see it, and when a person has forgotten or corrected
-- something of it last.
create function facts_of(call jsonb) returns json language sql stable as $$
  select json_build_object(
    'version', coalesce((select version from fact_subject where scope = call ->> 'scope' and key = call ->> 'key'), 0),
    'settledAt', (select fact_time(settled_at::text) from fact_subject where scope = call ->> 'scope' and key = call ->> 'key'),
    'facts', coalesce((select json_agg(fact_json(to_jsonb(fact)) order by id) from fact
                        where scope = call ->> 'scope' and key = call ->> 'key' and archived_at is null), '[]'))
$$;

-- {turnId, callKey, scope, key, version, author, eventId, add, archive, confirm, isArchived, mostArchived}: {version}, or {done}: this call
-- has changed it before; {stale}: it is not at this version any more, and nothing was written; {ended}: the turn may do nothing any more.
create function change_facts(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
  known bigint;
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  if cancellation(held, held.open_first_seq) is not null then return json_build_object('ended', true); end if;
  known := locked_subject(call);
  if exists (select from fact_call where key = call ->> 'callKey') then return json_build_object('done', true); end if;
  if known <> (call ->> 'version')::bigint then return json_build_object('stale', true); end if;
  delete from fact_call where key = any (array(
    select key from fact_call where at < clock_timestamp() - interval '30 days' limit 100));
  insert into fact_call (key) values (call ->> 'callKey');
  return write_facts(call);
end $$;

-- Its version.
create function locked_subject(subject jsonb) returns bigint language plpgsql as $$
declare
  known bigint;
begin
  insert into fact_subject (scope, key) values (subject ->> 'scope', subject ->> 'key') on conflict do nothing;
  select version into known from fact_subject where scope = subject ->> 'scope' and key = subject ->> 'key' for update;
  return known;
end $$;

-- What has to go from the archive goes: it keeps the newest.
create function write_facts(call jsonb) returns json language plpgsql as $$
declare
  fresh jsonb := call -> 'add';
  stays bigint := (call -> 'confirm' -> 0 ->> 'id')::bigint;
  unkept boolean := coalesce((call ->> 'isArchived')::boolean, false);
begin
  if fresh is not null then
    insert into fact (scope, key, text, trust, author, event_id, about, derived, audience, version, archived_at, why)
    values (call ->> 'scope', call ->> 'key', fresh ->> 'text', fresh ->> 'trust', call ->> 'author', call ->> 'eventId',
            fresh ->> 'about', fresh -> 'derived',
            case when fresh -> 'derived' ? 'audience' then texts_of(fresh -> 'derived' -> 'audience') end,
            (fresh ->> 'version')::integer,
            case when unkept then clock_timestamp() end, case when unkept then 'room' end)
    returning id into stays;
  end if;
  update fact
     set archived_at = clock_timestamp(), why = gone.why, replaced_by = case when gone.why = 'replaced' then stays end
    from jsonb_to_recordset(call -> 'archive') as gone (id bigint, why text)
   where fact.id = gone.id and fact.scope = call ->> 'scope' and fact.key = call ->> 'key' and archived_at is null;
  update fact
     set confirmed_at = clock_timestamp(), trust = known.trust
    from jsonb_to_recordset(call -> 'confirm') as known (id bigint, trust text)
   where fact.id = known.id and fact.scope = call ->> 'scope' and fact.key = call ->> 'key' and archived_at is null;
  delete from fact where id = any (array(
    select id from fact
     where scope = call ->> 'scope' and key = call ->> 'key' and archived_at is not null
     order by archived_at desc offset (call ->> 'mostArchived')::integer limit 1000));
  update fact_subject set version = version + 1 where scope = call ->> 'scope' and key = call ->> 'key';
  return json_build_object('version', (
    select version from fact_subject where scope = call ->> 'scope' and key = call ->> 'key'), 'id', stays::text);
end $$;

-- {ids}: a conversation has begun with them. Those that are being changed are left out: nobody waits for a count.
create function use_facts(call jsonb) returns json language plpgsql as $$
begin
  update fact set uses = uses + 1
   where id = any (array(
     select id from fact
      where id = any (array(select value::bigint from jsonb_array_elements_text(call -> 'ids')))
      order by id for update skip locked));
  return '{}';
end $$;
