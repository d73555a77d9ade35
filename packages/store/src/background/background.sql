-- What goes on when its turn is over. Whoever takes away the right to it writes that here, and its worker ends it.

-- {turnId, heldBy, command, hosts, covers, askers, route, isLetGo, isShell, ranMs}: {id}. {ended}: the turn has no right to begin anything any more.
create function begin_background(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
  begun bigint;
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  if cancellation(held, held.open_first_seq) is not null then return json_build_object('ended', true); end if;
  insert into background_process (session_key, held_by, command, hosts, covers, askers, route, turn_id, is_let_go, is_shell,
                                  started_at)
  values (held.session_key, call ->> 'heldBy', call ->> 'command', texts_of(call -> 'hosts'), texts_of(call -> 'covers'),
          call -> 'askers', call -> 'route', held.open_turn, coalesce((call ->> 'isLetGo')::boolean, false),
          coalesce((call ->> 'isShell')::boolean, false),
          clock_timestamp() - make_interval(secs => coalesce((call ->> 'ranMs')::float8, 0) / 1000))
  returning id into begun;
  return json_build_object('id', begun);
end $$;

create function texts_of(list jsonb) returns text[] language sql immutable as $$
  select coalesce(array_agg(one order by n), '{}') from jsonb_array_elements_text(list) with ordinality as given (one, n)
$$;

create function goes_on(one background_process) returns boolean language sql stable as $$
  select one.end_at is null and is_alive(one.held_by)
$$;

-- Those among `ids` of one session that run. True: there was one.
create function end_background(key text, ids bigint[], why text) returns boolean language plpgsql as $$
begin
  update background_process as one
     set end_at = clock_timestamp(), end_reason = why
   where session_key = key and id = any (ids) and goes_on(one);
  return found;
end $$;

-- What was let go in a session, or by one turn of it: nobody would be told how it ends. True: there was something.
create function end_let_go(key text, of_turn text) returns boolean language plpgsql as $$
begin
  update background_process as one
     set end_at = clock_timestamp(), end_reason = 'somebody has stopped what it was for'
   where session_key = key and is_let_go and (of_turn is null or turn_id = of_turn) and goes_on(one);
  return found;
end $$;

-- What was left in it would print among what is told of another conversation's commands.
create function end_shell(key text) returns void language sql as $$
  update background_process as one
     set end_at = clock_timestamp(), end_reason = 'its conversation has ended'
   where session_key = key and is_shell and goes_on(one)
$$;

create function end_background_of(key text, why text) returns boolean language sql as $$
  select end_background(key, array(select id from background_process where session_key = key), why)
$$;

-- What may have been started under agreements that count no more.
create function end_agreed(ended call_grant[]) returns void language sql as $$
  update background_process as one
     set end_at = clock_timestamp(), end_reason = 'what it was started under is agreed to no more'
    from unnest(ended) as agreed
   where case when agreed.scope = 'session' then one.session_key = agreed.session_key
              else one.route ->> 'accountId' = agreed.account_id end
         and one.covers && array(select part ->> 'target' from jsonb_array_elements(agreed.terms -> 'patterns') as part)
         and goes_on(one)
$$;

-- Whoever has to look, since something is to end there.
create function to_be_ended() returns table (session_key text, holder text) language sql stable as $$
  select distinct one.session_key, one.held_by
    from background_process as one
   where one.end_at is not null and is_alive(one.held_by)
$$;
