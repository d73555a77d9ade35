-- Which memory a session goes on with. Its row is locked.

-- Something runs, or waits to: whoever changes the memory has to stop it first.
create function is_busy(target session) returns boolean language sql stable as $$
  select target.open_turn is not null or exists (
    select from inbox where session_key = target.session_key and turn_id is null and reason is null)
$$;

-- The session goes on with a new memory that begins with another one's entries up to `most`, without a copy. What a worker still
-- does keeps to the memory that it began with. `as_number`: it is that memory, which goes on. Null: it is one of its own.
-- `fewer`: so many of its turns are left out; null: nobody knows.
create function fork_memory(target session, source integer, most bigint, as_number integer, fewer integer) returns void
language plpgsql as $$
declare
  next_generation integer := target.generation + 1;
  known memory;
  last record;
begin
  select * into last from newest_entry(target.session_key, source, most);
  select * into known from memory where session_key = target.session_key and generation = source;
  insert into memory (session_key, generation, number, prompt, facts, tools, history_from, parent_generation, parent_until, title,
                      beginning, turns)
  values (target.session_key, next_generation, as_number, known.prompt, known.facts, known.tools,
          coalesce(known.history_from, 0),
          last.generation, last.id, known.title, known.beginning, known.turns - fewer);
  if as_number is not null then
    update memory set continued_by = next_generation where session_key = target.session_key and generation = source;
  end if;
  update session set generation = next_generation, reset_seq = target.last_seq where session_key = target.session_key;
end $$;

-- These turns leave the memory. Nothing else reads entries of the current generation; those of others stay as they are, since other
-- memories may hold them: then this one goes on under another generation with what it held `before` the turns, `fewer` of them.
create function leave_out(target session, left_out text[], of_generation integer, before bigint, fewer integer) returns void
language plpgsql as $$
begin
  if of_generation = target.generation
     and cardinality(left_out) = (select count(*) from turn where turn_id = any (left_out)) then
    update turn set retracted = true where turn_id = any (left_out);
    update memory
       set turns = turns - cardinality(left_out), context = null
     where session_key = target.session_key and generation = target.generation;
    return;
  end if;
  perform fork_memory(target, target.generation, before, number_of(target.session_key, target.generation), fewer);
end $$;

-- What people call a memory.
create function number_of(key text, of_generation integer) returns integer language sql stable as $$
  select coalesce((select number from memory where session_key = key and generation = of_generation), of_generation)
$$;

-- {turns}: exactly these are the memory's last turns, newest first. What they wait for is cancelled, and what was agreed to in them
-- for the conversation ends.
create function undo_turns(target session, effect jsonb) returns boolean language plpgsql as $$
declare
  wanted text[] := array(select jsonb_array_elements_text(effect -> 'turns'));
  found_turns text[];
  oldest record;
begin
  if is_busy(target) or cardinality(wanted) = 0 then return false; end if;
  for oldest in select * from newest_turns(target.session_key, target.generation, cardinality(wanted)) loop
    found_turns := found_turns || oldest.turn_id;
  end loop;
  if found_turns is distinct from wanted then return false; end if;
  perform cancel_open_calls(target.session_key, turn_id) from unnest(wanted) as turn_id;
  delete from call_grant
   where session_key = target.session_key and scope = 'session'
     and id in (select id from open_call where open_call.turn_id = any (wanted));
  perform leave_out(target, wanted, oldest.generation, oldest.before, cardinality(wanted));
  return true;
end $$;

-- {turnId, title}: a memory of its own that begins with what one of them held up to this turn; without, with all of the current one.
create function branch_memory(target session, effect jsonb) returns boolean language plpgsql as $$
declare
  point record;
begin
  if is_busy(target) then return false; end if;
  if effect ? 'turnId' then
    select * into point from branch_point(target, effect ->> 'turnId');
  else
    select target.generation as source, id as last, 0 as fewer into point
      from newest_entry(target.session_key, target.generation, 9223372036854775807);
  end if;
  if point.source is null then return false; end if;
  perform leave_memory(target);
  perform fork_memory(target, point.source, point.last, null, point.fewer);
  -- A branch of all of it fills the window as that did.
  update memory
     set title = effect ->> 'title',
         context = case when not effect ? 'turnId' then (
           select whole.context from memory as whole
            where whole.session_key = target.session_key and whole.generation = point.source) end
   where session_key = target.session_key and generation = target.generation + 1;
  return true;
end $$;

-- The memory in a list of people that holds this turn: the current one, or else the newest. Looks at the newest 20 that could, and at
-- 500 turns of each.
create function branch_point(target session, of_turn text)
returns table (source integer, last bigint, fewer integer) language sql stable as $$
  select known.generation, held.last, held.n - 1
    from (select memory.generation
            from memory
           where memory.session_key = target.session_key and continued_by is null
             and exists (select from memory_parts(target.session_key, memory.generation) as part
                          where part.generation = (select turn.generation from turn
                                                    where turn.turn_id = of_turn and turn.session_key = target.session_key))
           order by memory.generation desc
           limit 20) as known
         cross join lateral newest_turns(target.session_key, known.generation, 500) as held
   where held.turn_id = of_turn
   order by known.generation desc
   limit 1
$$;

-- {number}: goes on with this memory, which is not the current one.
create function resume_memory(target session, effect jsonb) returns boolean language plpgsql as $$
declare
  chosen memory;
begin
  select * into chosen
    from memory
   where session_key = target.session_key and coalesce(number, generation) = (effect ->> 'number')::integer
     and continued_by is null;
  if chosen.generation is null or chosen.generation = target.generation or is_busy(target)
     or not exists (select from newest_entry(target.session_key, chosen.generation, 9223372036854775807)) then
    return false;
  end if;
  perform leave_memory(target);
  perform fork_memory(target, chosen.generation, 9223372036854775807, coalesce(chosen.number, chosen.generation), 0);
  update memory
     set context = chosen.context, compact_after = chosen.compact_after
   where session_key = target.session_key and generation = target.generation + 1;
  return true;
end $$;

-- What the memory waits for, and what was agreed to for it, must not reach another one.
create function leave_memory(target session) returns void language plpgsql as $$
begin
  perform cancel_open_calls(target.session_key);
  delete from call_grant where session_key = target.session_key and scope = 'session';
end $$;

-- {title}
create function title_memory(target session, effect jsonb) returns boolean language plpgsql as $$
begin
  insert into memory (session_key, generation, title, turns)
  values (target.session_key, target.generation, effect ->> 'title', 0)
  on conflict (session_key, generation) do update set title = excluded.title;
  return true;
end $$;

-- The next turn begins by compressing.
create function compact_memory(target session) returns boolean language plpgsql as $$
begin
  update memory
     set compact_after = coalesce(target.open_turn, '')
   where session_key = target.session_key and generation = target.generation
     and exists (select from newest_entry(target.session_key, target.generation, 9223372036854775807));
  return found;
end $$;
