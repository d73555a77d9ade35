-- Looks at the next sessions in the order of their keys, and forgets what nobody reads any more and is old: entries and
-- prompts of former generations, entries before the history's beginning, and whole sessions in which nothing has happened for
-- so long that neither a turn nor an event is left of them. Answers {removed, next}; `next` is missing after the last
-- session. It deletes so many entries at most: then the same sessions are to be looked at again.
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
           where entry.session_key = memory.session_key and entry.generation = memory.generation limit 1) is null;
  get diagnostics gone = row_count;
  removed := removed + gone + delete_idle_sessions(idle);
  return json_build_object(
    'removed', removed,
    'next', case when cardinality(keys) = (call ->> 'sessions')::integer then keys[cardinality(keys)] end);
end $$;

create function prune_unread_entries(keys text[], oldest timestamptz, most integer) returns integer language plpgsql as $$
declare
  gone integer;
begin
  delete from entry
   where ctid = any (array(
     select unread.ctid
       from session
            left join memory on memory.session_key = session.session_key and memory.generation = session.generation
            cross join lateral (
              (select ctid from entry
                where entry.session_key = session.session_key and entry.generation < session.generation
                  and entry.turn_id is distinct from session.open_turn and created_at < oldest
                limit most)
              union all
              (select ctid from entry
                where entry.session_key = session.session_key and entry.generation = session.generation
                  and entry.id < memory.history_from
                  and entry.turn_id is distinct from session.open_turn and created_at < oldest
                limit most)) as unread
      where session.session_key = any (keys) and (session.generation > 1 or memory.history_from > 0)
      limit most));
  get diagnostics gone = row_count;
  return gone;
end $$;

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

-- A message that comes meanwhile waits for the row's lock, so what is asked under the lock stays true.
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
     and not exists (select from turn where turn.session_key = known.session_key);
end $$;

-- Ids of turns are made of a session's key and a number, and platforms remember them. Should the session come back, it must
-- not count from one again: see `insert_events`. Only what is known to be respected by everybody is used: the mark that an
-- earlier prune has left.
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
  return gone;
end $$;
