-- Ends what somebody's words have begun with one of the given roles, and lets what waits be read with the role of now: their running
-- turns, whoever else asks in them, calls that wait for anybody or anything, and processes in the background. Roles are those that they have no longer.
-- With `now_mandate`, words of a route keep of theirs what that allows as well.
-- Returns the sessions of which something has ended, with the living worker that has each.
create function weaken_person(of_account text, of_user text, now_role text, lost text[], now_mandate jsonb default null)
returns table (session_key text, holder text) language plpgsql as $$
#variable_conflict use_column
declare
  target session;
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
    session_key := target.session_key;
    holder := case when is_alive(target.owner) then target.owner end;
    return next;
  end loop;
  return query
    update background_process as one
       set end_at = clock_timestamp(), end_reason = 'whoever asked for it may not any more'
     where one.route ->> 'accountId' = of_account
           and exists (select from read_askers(one.askers) as asker where asker.user_id = of_user and asker.role = any (lost)) and goes_on(one)
    returning one.session_key, one.held_by;
  update inbox
     set role = now_role, body = within_mandate(body, now_mandate)
   where turn_id is null and reason is null and account_id = of_account and role = any (lost)
         and body -> 'sender' ->> 'userId' = of_user;
  update inbox
     set role = now_role, body = within_mandate(inbox.body, now_mandate)
    from set_aside_events() as aside
   where inbox.session_key = aside.session_key and inbox.seq = aside.seq and aside.account_id = of_account
         and aside.role = any (lost) and aside.body -> 'sender' ->> 'userId' = of_user;
end $$;

create function within_mandate(body jsonb, now_mandate jsonb) returns jsonb language sql immutable as $$
  select case when now_mandate is null or not body -> 'sender' ? 'mandate' then body
              else jsonb_set(body, '{sender,mandate}', jsonb_build_object('owner', now_mandate -> 'owner', 'toolsets', (
                select coalesce(jsonb_agg(toolset order by n), '[]')
                  from jsonb_array_elements(body -> 'sender' -> 'mandate' -> 'toolsets') with ordinality as had (toolset, n)
                 where now_mandate -> 'toolsets' @> toolset))) end
$$;

-- Whoever has begun something that runs or waits, also what an operator may let try again, once for each place and role. Those with
-- the most rights first.
create function people_at_work(most integer)
returns table (account_id text, sender jsonb, role text, conversation jsonb) language sql stable as $$
  select account_id, sender, role, conversation
    from (select distinct work.account_id, work.sender, work.role, work.conversation
            from (select asked.account_id, one.sender, one.role, asked.body -> 'conversation' as conversation
                    from turn
                         join inbox as asked on asked.session_key = turn.session_key and asked.turn_id = turn.turn_id
                                                and asked.seq between turn.first_seq and turn.last_seq
                         cross join lateral askers_of(asked) as one
                   where turn.state = 'running'
                  union all
                  select waiting.account_id, one.sender, one.role, waiting.body -> 'conversation'
                    from inbox as waiting cross join lateral askers_of(waiting) as one
                   where waiting.turn_id is null and waiting.reason is null
                  union all
                  select aside.account_id, one.sender, one.role, aside.body -> 'conversation'
                    from set_aside_events() as aside cross join lateral askers_of(aside) as one
                  union all
                  select open_call.route ->> 'accountId', one.sender, one.role, open_call.route
                    from open_call cross join lateral read_askers(askers) as one
                   where settled_at is null
                  union all
                  select one.route ->> 'accountId', asker.sender, asker.role, one.route
                    from background_process as one cross join lateral read_askers(one.askers) as asker
                   where goes_on(one)) as work
           where work.role is not null and work.account_id is not null) as everybody
   order by role in ('member', 'owner') desc
   limit most
$$;

-- What was given up and may be tried again.
create function set_aside_events() returns setof inbox language sql stable as $$
  select inbox.*
    from session join inbox using (session_key)
   where session.set_aside_at is not null and inbox.reason = 'set_aside' and inbox.turn_id is null
$$;

-- Nobody who asks something in this conversation may write there any more: what runs and waits of it ends. Returns as above.
create function shut_conversation(of_account text, of_conversation text)
returns table (session_key text, holder text) language plpgsql as $$
#variable_conflict use_column
declare
  target session;
begin
  for target in
    select *
      from session
     where session_key in (
       select asked.session_key
         from turn join inbox as asked on asked.session_key = turn.session_key and asked.turn_id = turn.turn_id
                                      and asked.seq between turn.first_seq and turn.last_seq
        where turn.state = 'running' and asked.account_id = of_account and asked.conversation_id = of_conversation
       union
       select waiting.session_key
         from inbox as waiting
        where waiting.turn_id is null and waiting.reason is null
              and waiting.account_id = of_account and waiting.conversation_id = of_conversation
       union
       select aside.session_key
         from set_aside_events() as aside
        where aside.account_id = of_account and aside.conversation_id = of_conversation
       union
       select open_call.session_key
         from open_call
        where settled_at is null and open_call.route ->> 'accountId' = of_account
              and open_call.route ->> 'conversationId' = of_conversation)
     order by session_key collate "C"
       for update
  loop
    perform stop_session(target);
    update inbox set reason = 'stopped'
     where session_key = target.session_key and reason = 'set_aside' and turn_id is null;
    session_key := target.session_key;
    holder := case when is_alive(target.owner) then target.owner end;
    return next;
  end loop;
  return query
    update background_process as one
       set end_at = clock_timestamp(), end_reason = 'whoever asked for it may not any more'
     where one.route ->> 'accountId' = of_account and one.route ->> 'conversationId' = of_conversation and goes_on(one)
    returning one.session_key, one.held_by;
end $$;

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
