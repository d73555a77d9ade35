-- Ends the running turns of somebody's direct conversations and drops what waits there, whatever their words have begun as a
-- member, and what they have agreed to as one.
create function stop_person(of_account text, of_user text) returns void language plpgsql as $$
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
  delete from call_grant
   where account_id = of_account and given_by ->> 'userId' = of_user and by_role = 'member';
end $$;

create function is_direct_from(event inbox, of_account text, of_user text) returns boolean language sql immutable as $$
  select event.account_id = of_account and event.body -> 'conversation' ->> 'kind' = 'direct'
     and event.body -> 'sender' ->> 'userId' = of_user
$$;
