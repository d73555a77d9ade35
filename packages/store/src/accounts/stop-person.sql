-- Ends the running turns of somebody's direct conversations and drops what waits there, whatever their words have begun as a
-- member, what they have agreed to as one, and what goes on in the background of either.
create function stop_person(of_account text, of_user text) returns void language plpgsql as $$
declare
  target session;
  agreed call_grant[];
begin
  for target in
    select *
      from session
     where session_key in (
       select asked.session_key
         from turn join inbox as asked on asked.session_key = turn.session_key and asked.turn_id = turn.turn_id
                                      and asked.seq between turn.first_seq and turn.last_seq
        where turn.state = 'running' and is_direct_from(asked, of_account, of_user)
       union
       select waiting.session_key
         from inbox as waiting
        where waiting.turn_id is null and waiting.reason is null and is_direct_from(waiting, of_account, of_user))
     order by session_key collate "C"
       for update
  loop
    perform stop_session(target);
  end loop;
  perform weaken_person(of_account, of_user, 'guest', array['member']);
  update background_process as one
     set end_at = clock_timestamp(), end_reason = 'whoever asked for it may not any more'
   where route ->> 'accountId' = of_account and route ->> 'kind' = 'direct' and goes_on(one)
         and exists (select from read_askers(askers) as asker where asker.user_id = of_user);
  with ended as (
    delete from call_grant
     where account_id = of_account and given_by ->> 'userId' = of_user and by_role = 'member'
    returning call_grant)
  select array_agg(call_grant) into agreed from ended;
  perform end_agreed(agreed);
end $$;

-- Ends what somebody's words have begun on an account as those of a guest, and drops what waits of them, in groups as well. What waits of
-- others there stays.
create function stop_guest(of_account text, of_user text) returns void language plpgsql as $$
declare
  dropped record;
begin
  for dropped in
    with unread as (
      update inbox
         set reason = 'pairing_blocked', dropped_at = clock_timestamp()
       where turn_id is null and reason is null and account_id = of_account and body -> 'sender' ->> 'userId' = of_user
      returning session_key, event_id)
    select session_key, array_agg(event_id) as events from unread group by session_key
  loop
    perform unread_ends(dropped.session_key, dropped.events);
  end loop;
  perform weaken_person(of_account, of_user, 'guest', array['guest', 'unverified', 'member']);
end $$;

create function is_direct_from(event inbox, of_account text, of_user text) returns boolean language sql immutable as $$
  select event.account_id = of_account and event.body -> 'conversation' ->> 'kind' = 'direct'
     and event.body -> 'sender' ->> 'userId' = of_user
$$;
