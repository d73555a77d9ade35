-- Prunes the next page of sessions, in the order of their keys. Removes what is old and no longer read: entries and prompts
-- of memories that nobody has used for as long, entries before the beginning of a history, and whole sessions that have neither a turn, an
-- event nor an open call left. Returns {removed, next}. `next` is null after the last session, and unchanged when the limit of `entries` was
-- reached and the same page must be pruned again.
create function prune_sessions(call jsonb) returns json language plpgsql as $$
declare
  oldest timestamptz := now() - (call ->> 'olderThanDays')::integer * interval '1 day';
  most integer := (call ->> 'entries')::integer;
  keys text[] := array(
    select session_key from session
     where session_key > call ->> 'after'
     order by session_key
     limit (call ->> 'sessions')::integer);
  idle text[];
  removed integer;
  gone integer;
begin
  removed := prune_unread_entries(keys, oldest, most);
  if removed < most then
    idle := lock_idle_sessions(keys, oldest);
    gone := prune_entries_of(idle, most - removed);
    removed := removed + gone;
  end if;
  if removed >= most then
    return json_build_object('removed', removed, 'next', call ->> 'after');
  end if;

  delete from memory
   where session_key = any (keys)
     and (session_key = any (idle) or generation < (
           select session.generation from session where session.session_key = memory.session_key))
     and (select id from entry
           where entry.session_key = memory.session_key and entry.generation = memory.generation limit 1) is null
     and (parent_generation is null or session_key = any (idle) or not is_remembered(memory, oldest));
  get diagnostics gone = row_count;
  removed := removed + gone + delete_idle_sessions(idle);
  return json_build_object(
    'removed', removed,
    'next', case when cardinality(keys) = (call ->> 'sessions')::integer then keys[cardinality(keys)] end);
end $$;

-- Entries with smaller ids are older. So a memory whose first entry is too young costs one lookup, and no memory is read
-- further than a hundred entries beyond the last old one. What another memory begins with is read as long as that one is.
create function prune_unread_entries(keys text[], oldest timestamptz, most integer) returns integer language plpgsql as $$
declare
  unread record;
  gone integer;
  removed integer := 0;
begin
  for unread in
    with candidate as materialized (
      select memory.session_key, memory.generation
        from session join memory using (session_key)
       where session_key = any (keys)
         and (memory.generation < session.generation or memory.history_from > 0)
         and memory.generation is distinct from (select generation from turn where turn_id = open_turn)
         and (select created_at from entry
               where entry.session_key = memory.session_key and entry.generation = memory.generation
               order by id limit 1) < oldest
    ), range as (
      select candidate_key.session_key, found.*
        from (select distinct session_key from candidate) as candidate_key
             cross join lateral read_ranges(candidate_key.session_key, oldest) as found
    )
    select session_key, generation, coalesce(read_from, 9223372036854775807) as read_from, coalesce(read_until, 0) as read_until
      from candidate left join range using (session_key, generation)
  loop
    loop
      with first_entries as materialized (
        (select ctid as place, created_at
           from entry
          where session_key = unread.session_key and generation = unread.generation and id < unread.read_from
          order by id
          limit 100)
        union all
        (select ctid, created_at
           from entry
          where session_key = unread.session_key and generation = unread.generation
            and id > unread.read_until and id >= unread.read_from
          order by id
          limit 100)
      ), deleted as (
        delete from entry
         where ctid = any (array(select place from first_entries where created_at < oldest))
        returning 1
      )
      select count(*) from deleted into gone;
      removed := removed + gone;
      exit when gone < 100 or removed >= most;
    end loop;
    exit when removed >= most;
  end loop;
  return removed;
end $$;

-- The entries of each generation that some memory of the session reads.
create function read_ranges(key text, oldest timestamptz)
returns table (generation integer, read_from bigint, read_until bigint) language sql stable as $$
  select part.generation, min(reader.history_from), max(part.until)
    from (select memory.generation, memory.history_from from memory
           where memory.session_key = key and is_remembered(memory, oldest)
          offset 0) as reader
         cross join lateral memory_parts(key, reader.generation) as part
   group by part.generation
$$;

-- Its session goes on with it, or may: somebody has used it lately.
create function is_remembered(known memory, oldest timestamptz) returns boolean language sql stable as $$
  select known.generation = (select generation from session where session.session_key = known.session_key)
      or known.continued_by is null and coalesce((
           select created_at >= oldest from newest_entry(known.session_key, known.generation, 9223372036854775807)), false)
$$;

create function prune_entries_of(keys text[], most integer) returns integer language plpgsql as $$
declare
  gone integer;
begin
  delete from entry
   where ctid = any (array(
     select forgotten.ctid
       from unnest(keys) as key
            cross join lateral (
              select ctid from entry where entry.session_key = key order by generation, id limit most) as forgotten
      limit most));
  get diagnostics gone = row_count;
  return gone;
end $$;

-- A message that arrives meanwhile waits for the row's lock, so the second check stays true until the end of the
-- transaction.
create function lock_idle_sessions(keys text[], oldest timestamptz) returns text[] language plpgsql as $$
declare
  locked text[];
begin
  locked := array(
    select session_key from session
     where session_key = any (keys) and created_at < oldest and is_idle(session)
       for update skip locked);
  return array(select session_key from session where session_key = any (locked) and is_idle(session));
end $$;

create function is_idle(known session) returns boolean language plpgsql as $$
begin
  return known.owner is null and known.open_turn is null
     and not exists (select from inbox where inbox.session_key = known.session_key)
     and not exists (select from turn where turn.session_key = known.session_key)
     -- Settling it records an event here.
     and not exists (select from open_call where open_call.session_key = known.session_key and settled_at is null);
end $$;

-- Turn ids consist of a session's key and an event number, and platforms remember ids. So a session that comes back must
-- not count from one again: `insert_events` starts it above the mark kept here. A session goes only when an earlier,
-- committed prune has raised the mark above it, so that every recording sees that mark.
create function delete_idle_sessions(keys text[]) returns integer language plpgsql as $$
declare
  mark bigint := coalesce((select value from total where name = 'forgotten_seq'), 0);
  highest bigint := (select max(last_seq) from session where session_key = any (keys));
  gone integer;
begin
  if highest > mark then
    insert into total values ('forgotten_seq', highest)
    on conflict (name) do update set value = greatest(total.value, excluded.value);
  end if;
  delete from session where session_key = any (keys) and last_seq <= mark;
  get diagnostics gone = row_count;
  delete from workspace_copy as copy
   where session_key = any (keys) and not exists (select from session where session.session_key = copy.session_key);
  delete from memory_pass as pass
   where session_key = any (keys) and not exists (select from session where session.session_key = pass.session_key);
  return gone;
end $$;
