-- Answers `code` when the new code counts, else `waiting` or `full`. Requests of one account wait for each other. Whoever was
-- shown a code hears nothing for `noticeMs`, also when it has expired. An event that asked before and was never settled asks
-- again: its code died with the process that was to show it.
create function request_pairing(call jsonb) returns json language plpgsql as $$
declare
  of_account text := call ->> 'accountId';
  of_user text := call ->> 'userId';
  by_event text := call ->> 'eventId';
begin
  perform pg_advisory_xact_lock(hashtextextended('talaria pairing ' || of_account, 0));
  delete from pairing
   where account_id = of_account and state = 'waiting'
     and created_at <= clock_timestamp() - (call ->> 'noticeMs')::bigint * interval '1 millisecond';
  delete from pairing
   where account_id = of_account and user_id = of_user and state = 'waiting' and asked_by = by_event
     and not exists (select from seen where event_id = by_event and account_id = of_account);
  if exists (select from pairing where account_id = of_account and user_id = of_user) then
    return json_build_object('outcome', 'waiting');
  end if;
  if (select count(*) from pairing
       where account_id = of_account and state = 'waiting' and expires_at > clock_timestamp())
     >= (call ->> 'maxWaiting')::integer then
    return json_build_object('outcome', 'full');
  end if;
  insert into pairing (id, account_id, user_id, display_name, state, asked_by, code_hash, expires_at)
  values (call ->> 'id', of_account, of_user, call ->> 'displayName', 'waiting', by_event,
          decode(call ->> 'codeHash', 'hex'),
          clock_timestamp() + (call ->> 'validMs')::bigint * interval '1 millisecond');
  return json_build_object('outcome', 'code');
end $$;
