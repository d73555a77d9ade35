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

-- {id, accountId, conversationId, platform, title?, isAdded, perHour, texts}: owners are asked whether a group is let in, once. `isAdded`: an owner
-- has brought us there, which asks again what was decided otherwise, and within the limit of an hour in any case. False: nobody is asked now.
create function ask_about_group(call jsonb) returns boolean language plpgsql as $$
declare
  group_row met_group;
begin
  insert into met_group (account_id, conversation_id, platform, title, messages)
  values (call ->> 'accountId', call ->> 'conversationId', call ->> 'platform', left(call ->> 'title', 200), 0)
  on conflict do nothing;
  select * into group_row
    from met_group
   where account_id = call ->> 'accountId' and conversation_id = call ->> 'conversationId' and allowed_at is null
     for update;
  if not found then return false; end if;
  if (call ->> 'isAdded')::boolean then
    if group_row.asked_at is not null and group_row.decision is null then return false; end if;
  elsif group_row.asked_at is not null or group_row.decision is not null or (
      select count(*) from met_group
       where account_id = call ->> 'accountId' and asked_at > clock_timestamp() - interval '1 hour'
    ) >= (call ->> 'perHour')::integer then
    return false;
  end if;
  update met_group
     set id = call ->> 'id', asked_at = clock_timestamp(), decision = null, decided_by = null,
         title = coalesce(left(call ->> 'title', 200), title)
   where account_id = group_row.account_id and conversation_id = group_row.conversation_id;
  perform add_outbox(call -> 'texts');
  return true;
end $$;

-- {id, to, by}: an owner decides about a group that they were asked about. `to` is `allowed`, `ignored` or `left`. False: somebody has decided.
create function decide_group(call jsonb) returns boolean language plpgsql as $$
declare
  group_row met_group;
begin
  update met_group
     set decision = call ->> 'to', decided_by = call -> 'by',
         allowed_at = case when call ->> 'to' = 'allowed' then clock_timestamp() end
   where id = call ->> 'id' and decision is null and allowed_at is null
  returning * into group_row;
  if not found then return false; end if;
  perform close_questions_of('group:' || group_row.id || ':');
  if group_row.decision = 'left' then
    perform add_outbox(jsonb_build_array(jsonb_build_object(
      'deliveryKey', 'leaving:' || group_row.id, 'kind', 'closing', 'markdown', '', 'attachments', '[]'::jsonb, 'leaves', true,
      'conversation', jsonb_build_object(
        'accountId', group_row.account_id, 'platform', group_row.platform, 'conversationId', group_row.conversation_id,
        'kind', 'group'))));
  end if;
  return true;
end $$;

-- {accountId, conversationId, platform}: an operator lets a group in by command. One that was let in before stays so.
create function allow_group(call jsonb) returns void language plpgsql as $$
declare
  of_id text;
begin
  insert into met_group (account_id, conversation_id, platform, allowed_at)
  values (call ->> 'accountId', call ->> 'conversationId', call ->> 'platform', clock_timestamp())
  on conflict (account_id, conversation_id) do update
    set allowed_at = coalesce(met_group.allowed_at, excluded.allowed_at), decision = 'allowed'
  returning id into of_id;
  if of_id is not null then perform close_questions_of('group:' || of_id || ':'); end if;
end $$;

-- How it stands with the group about which a text asks: [{id, settlement, by, group}].
create function group_outcomes(key text) returns json language sql stable as $$
  select json_build_array(json_strip_nulls(json_build_object(
           'id', left(asked.id, 8),
           'settlement', case when met.id is null then 'expired' when met.allowed_at is not null then 'approved'
                              when met.decision is not null then 'denied' end,
           'by', met.decided_by ->> 'displayName',
           'group', case when met.allowed_at is not null then 'allowed' else met.decision end)))
    from (select split_part(key, ':', 2)) as asked (id) left join met_group as met using (id)
$$;

-- {accountId, conversationId}: nobody is answered there any more, and what runs or waits there ends. False: it was not let in.
create function remove_group(call jsonb) returns boolean language plpgsql as $$
declare
  target session;
begin
  -- The row stays, so that owners are not asked about what was just decided.
  update met_group
     set allowed_at = null, decision = 'ignored', decided_by = null, messages = 0
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
