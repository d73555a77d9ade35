-- What people have agreed to beyond one call. An agreement is only as wide as what was offered with the question.

-- `decision` has {by, grant: {scope, byRole}} when more than the call was approved.
create function add_grant(asked open_call, decision jsonb) returns void language plpgsql as $$
begin
  if decision ->> 'settlement' <> 'approved' or not decision ? 'grant' then return; end if;
  insert into call_grant (id, scope, session_key, account_id, covers, terms, given_by, by_role)
  select asked.id, decision -> 'grant' ->> 'scope', asked.session_key, asked.route ->> 'accountId',
         asked.offer ->> 'covers', asked.offer -> 'terms', decision -> 'by', decision -> 'grant' ->> 'byRole'
   where asked.offer -> 'scopes' ? (decision -> 'grant' ->> 'scope')
  on conflict (id) do nothing;
end $$;

-- The newest 100 that count in a session, newest first.
create function grants_of(key text, account text) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('id', id, 'scope', scope, 'covers', covers, 'terms', terms, 'byRole', by_role)
                           order by given_at desc), '[]')
    from (select * from (
            (select * from call_grant where session_key = key and scope = 'session' order by given_at desc limit 100)
            union all
            (select * from call_grant where account_id = account and scope = 'always' order by given_at desc limit 100)
          ) as found order by given_at desc limit 100) as newest
$$;

-- {sessionKey, accountId}: the grants that count there now, {grants}. The session itself need not be there.
create function read_grants(call jsonb) returns json language sql stable as $$
  select json_build_object('grants', grants_of(call ->> 'sessionKey', call ->> 'accountId'))
$$;

-- What was started under it ends, too. False: there is none.
create function revoke_grant(effect jsonb) returns boolean language plpgsql as $$
declare
  agreed call_grant;
begin
  delete from call_grant where id = effect ->> 'id' and session_key = effect ->> 'sessionKey' returning * into agreed;
  if agreed.id is null then return false; end if;
  perform end_agreed(array[agreed]);
  return true;
end $$;
