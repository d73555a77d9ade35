-- Ends what somebody's words have begun with one of the given roles, and lets what waits be read with the role of now: their running
-- turns, whoever else asks in them, and calls that wait for anybody or anything. Roles are those that they have no longer.
create function weaken_person(of_account text, of_user text, now_role text, lost text[]) returns integer language plpgsql as $$
declare
  target session;
  stopped integer := 0;
begin
  for target in
    select *
      from session
     where session_key in (
       select turn.session_key
         from turn join inbox as asked on asked.session_key = turn.session_key and asked.turn_id = turn.turn_id
                                      and asked.seq between turn.first_seq and turn.last_seq
        where turn.state = 'running' and asked.account_id = of_account
              and exists (select from askers_of(asked) as one where one.user_id = of_user and one.role = any (lost))
       union
       select waiting.session_key
         from inbox as waiting
        where waiting.turn_id is null and waiting.reason is null and waiting.account_id = of_account
              and waiting.body ->> 'type' = 'call.settled'
              and exists (select from askers_of(waiting) as one where one.user_id = of_user and one.role = any (lost))
       union
       select open_call.session_key
         from open_call
        where settled_at is null and open_call.route ->> 'accountId' = of_account
              and exists (select from read_askers(askers) as one where one.user_id = of_user and one.role = any (lost)))
     order by session_key collate "C"
       for update
  loop
    perform stop_session(target);
    stopped := stopped + 1;
  end loop;
  update inbox
     set role = now_role
   where turn_id is null and reason is null and account_id = of_account and role = any (lost)
         and body -> 'sender' ->> 'userId' = of_user;
  return stopped;
end $$;

-- Whoever has more than a guest's rights in what runs or waits, once for each account and role.
create function people_at_work(most integer)
returns table (account_id text, sender jsonb, role text) language sql stable as $$
  select distinct work.account_id, work.sender, work.role
    from (select asked.account_id, one.sender, one.role
            from turn
                 join inbox as asked on asked.session_key = turn.session_key and asked.turn_id = turn.turn_id
                                        and asked.seq between turn.first_seq and turn.last_seq
                 cross join lateral askers_of(asked) as one
           where turn.state = 'running'
          union all
          select waiting.account_id, one.sender, one.role
            from inbox as waiting cross join lateral askers_of(waiting) as one
           where waiting.turn_id is null and waiting.reason is null
          union all
          select open_call.route ->> 'accountId', one.sender, one.role
            from open_call cross join lateral read_askers(askers) as one
           where settled_at is null) as work
   where work.role in ('member', 'owner') and work.account_id is not null
   limit most
$$;

-- Whoever asks for something by an event: its sender, or those for whom a call goes on that was settled.
create function askers_of(event inbox)
returns table (user_id text, sender jsonb, role text) language sql stable as $$
  select event.body -> 'sender' ->> 'userId', event.body -> 'sender', event.role
   where event.role is not null and event.body ->> 'type' <> 'call.settled'
  union all
  select one.* from read_askers(event.body -> 'call' -> 'askers') as one where event.body ->> 'type' = 'call.settled'
$$;

create function read_askers(askers jsonb)
returns table (user_id text, sender jsonb, role text) language sql immutable as $$
  select one -> 'sender' ->> 'userId', one -> 'sender', one ->> 'role'
    from jsonb_array_elements(case when jsonb_typeof(askers) = 'array' then askers else '[]' end) as one
$$;
