-- Brings `chat` and `chat_line` up to what the inbox and the outbox hold. Both are read in the order in which their rows came; since rows are
-- committed in another order, the newest minute is read again each time. What was there before there were lists has marks of its own, so
-- that nothing new waits behind it. One process at a time.

-- {most, old, at, place}: reads the next `most` events after that place, or after what is done; of the old ones or of those since. Returns
-- {at, place} to go on after, or null.
create function catch_up_inbox(call jsonb) returns json language plpgsql as $$
declare
  settled timestamptz := clock_timestamp() - interval '1 minute';
  most integer := (call ->> 'most')::integer;
  mark text := case when call ? 'old' then 'chats_inbox_old' else 'chats_inbox' end;
  since timestamptz := (call ->> 'at')::timestamptz;
  until timestamptz := case when call ? 'old' then done_until('chats_inbox_since') else 'infinity' end;
  after_place tid := coalesce(call ->> 'place', '(0,0)')::tid;
  looked integer;
  last record;
begin
  perform pg_advisory_xact_lock(7420003);
  if since is null then since := least(settled, coalesce(done_until(mark), '-infinity'::timestamptz)); end if;
  with page as materialized (
    select ctid as place, recorded_at as at, account_id, conversation_id, event_id, body, again
      from inbox
     where recorded_at >= since and recorded_at < until and (recorded_at > since or ctid > after_place)
     order by recorded_at, ctid
     limit most
  ), said as materialized (
    select account_id, conversation_id, at, event_id as line_id, body -> 'conversation' as place,
           body #>> '{message,markdown}' as markdown, name_in(body) as name
      from page
     where not again and body ->> 'type' in ('message.created', 'action.invoked')
  ), listed as (
    insert into chat as known (account_id, conversation_id, platform, kind, known_as, words, last_at)
    select distinct on (account_id, conversation_id) account_id, conversation_id, place ->> 'platform', place ->> 'kind', name,
           line_words(name, account_id), at
      from said
     where place ?& array['platform', 'kind']
     order by account_id, conversation_id, at desc
    on conflict (account_id, conversation_id) do update
      set last_at = excluded.last_at,
          known_as = coalesce(excluded.known_as, known.known_as),
          words = line_words(coalesce(known.title, excluded.known_as, known.known_as), known.account_id)
    where excluded.last_at > known.last_at
  ), spoken as (
    insert into chat_line (is_ours, line_id, account_id, conversation_id, at, words)
    select false, line_id, account_id, conversation_id, at, line_words(markdown, account_id)
      from said
     where markdown <> '' and not exists (
             select from chat_line as known
              where known.line_id = said.line_id and known.account_id = said.account_id and not is_ours)
    on conflict do nothing
  )
  select count(*) over () as rows, at, place into last from page order by page.at desc, page.place desc limit 1;
  looked := coalesce(last.rows, 0);
  perform note_done(mark, least(settled, until, case when looked = most then last.at end));
  return case when looked = most then json_build_object('at', last.at, 'place', last.place) end;
end $$;

-- {most, old, id}: the same for texts of ours, after that id. Returns {id} or null.
create function catch_up_outbox(call jsonb) returns json language plpgsql as $$
declare
  settled timestamptz := clock_timestamp() - interval '1 minute';
  most integer := (call ->> 'most')::integer;
  mark text := case when call ? 'old' then 'chats_outbox_old' else 'chats_outbox' end;
  after_id bigint := coalesce((call ->> 'id')::bigint, (select value from total where name = mark), 0);
  until bigint := case when call ? 'old' then (select value from total where name = 'chats_outbox_since') else 9223372036854775807 end;
  reached record;
begin
  perform pg_advisory_xact_lock(7420003);
  with page as materialized (
    select id, created_at as at, account_id, conversation_id, delivery_key as line_id, body -> 'conversation' as place,
           body ->> 'markdown' as markdown, kind
      from outbox
     where id > after_id and id <= until
     order by id
     limit most
  ), listed as (
    insert into chat as known (account_id, conversation_id, platform, kind, known_as, words, last_at)
    select distinct on (account_id, conversation_id) account_id, conversation_id, place ->> 'platform', place ->> 'kind',
           place ->> 'title', line_words(place ->> 'title', account_id), at
      from page
     where kind <> 'closing' and place ?& array['platform', 'kind']
     order by account_id, conversation_id, at desc
    on conflict (account_id, conversation_id) do update
      set last_at = excluded.last_at
    where excluded.last_at > known.last_at
  ), spoken as (
    insert into chat_line (is_ours, line_id, account_id, conversation_id, at, words)
    select true, line_id, account_id, conversation_id, at, line_words(markdown, account_id)
      from page
     where kind <> 'closing' and markdown <> '' and not exists (
             select from chat_line as known
              where known.line_id = page.line_id and known.account_id = page.account_id and is_ours)
    on conflict do nothing
  )
  select count(*)::integer as looked, max(id) as last, min(id) filter (where at > settled) - 1 as done into reached from page;
  if reached.last is not null then
    insert into total values (mark, least(reached.done, reached.last))
    on conflict (name) do update set value = excluded.value;
  end if;
  return case when reached.looked = most then json_build_object('id', reached.last) end;
end $$;

-- Whether all of the old lines can be found, but for those of the last minute before.
create function has_read_old() returns boolean language sql stable as $$
  select coalesce(done_until('chats_inbox_old'), '-infinity') >= done_until('chats_inbox_since') - interval '1 minute'
     and not exists (
           select from outbox
            where id > coalesce((select value from total where name = 'chats_outbox_old'), 0)
              and id <= (select value from total where name = 'chats_outbox_since')
              and created_at < done_until('chats_inbox_since') - interval '1 minute')
$$;

-- What people call the place of an event: a group by its title, a direct conversation by who writes there, the console's own not at all.
create function name_in(body jsonb) returns text language sql immutable as $$
  select left(case when body -> 'conversation' ->> 'platform' = 'web' then null
                   when body -> 'conversation' ->> 'kind' = 'direct' and body -> 'sender' ->> 'role' = 'person'
                   then body -> 'sender' ->> 'displayName'
                   else body -> 'conversation' ->> 'title' end, 300)
$$;

create function done_until(of_source text) returns timestamptz language sql stable as $$
  select to_timestamp(value / 1000000.0) from total where name = of_source
$$;

create function note_done(of_source text, until timestamptz) returns void language sql as $$
  insert into total values (of_source, floor(extract(epoch from until) * 1000000))
  on conflict (name) do update set value = excluded.value
$$;
