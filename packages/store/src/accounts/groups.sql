-- A message in a group that is not let in. The count is exact up to a thousand; from then on a group costs one write a second. An account
-- remembers 200 groups that are not let in, the newest.
create function meet_group(call jsonb) returns void language plpgsql as $$
declare
  of_account text := call ->> 'accountId';
begin
  insert into met_group as met (account_id, conversation_id, platform, title, messages)
  values (of_account, call ->> 'conversationId', call -> 'group' ->> 'platform', left(call -> 'group' ->> 'title', 200), 1)
  on conflict (account_id, conversation_id) do update
    set title = coalesce(excluded.title, met.title), messages = least(met.messages::bigint + 1, 2000000000), last_at = excluded.last_at
    where met.messages < 1000 or met.last_at < excluded.last_at - interval '1 second';
  if (select count(*) from met_group where account_id = of_account and allowed_at is null) > 200 then
    delete from met_group
     where account_id = of_account and allowed_at is null and conversation_id <> call ->> 'conversationId'
       and last_at <= (select last_at from met_group where account_id = of_account and allowed_at is null
                        order by last_at desc offset 200 limit 1);
  end if;
end $$;

-- {accountId, conversationId}: nobody is answered there any more, and what runs or waits there ends. False: it was not let in.
create function remove_group(call jsonb) returns boolean language plpgsql as $$
declare
  target session;
begin
  delete from met_group
   where account_id = call ->> 'accountId' and conversation_id = call ->> 'conversationId' and allowed_at is not null;
  if not found then return false; end if;
  for target in
    select session.*
      from session
     where session_key in (
             select session_key from turn where state = 'running'
             union
             select session_key from inbox where turn_id is null and reason is null)
       and conversation ->> 'accountId' = call ->> 'accountId' and conversation ->> 'conversationId' = call ->> 'conversationId'
     order by session_key collate "C"
       for update
  loop
    perform stop_session(target);
  end loop;
  update background_process as one
     set end_at = clock_timestamp(), end_reason = 'its group is not let in any more'
   where route ->> 'accountId' = call ->> 'accountId' and route ->> 'conversationId' = call ->> 'conversationId' and goes_on(one);
  return true;
end $$;
