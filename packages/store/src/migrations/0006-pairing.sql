-- Answers `code` when the new code counts, else `waiting` or `full`. Requests of one account wait for each other. An event
-- that asked before and was never settled asks again: its code died with the process that was to show it.
create function request_pairing(
  new_id text, of_account text, of_user text, called text, by_event text, new_hash bytea, minutes integer,
  max_waiting integer
) returns text language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('talaria pairing ' || of_account, 0));
  delete from pairing where account_id = of_account and state = 'waiting' and expires_at <= clock_timestamp();
  delete from pairing
   where account_id = of_account and user_id = of_user and state = 'waiting' and asked_by = by_event
     and not exists (select from seen where event_id = by_event and account_id = of_account);
  if exists (select from pairing where account_id = of_account and user_id = of_user) then return 'waiting'; end if;
  if (select count(*) from pairing where account_id = of_account and state = 'waiting') >= max_waiting then
    return 'full';
  end if;
  insert into pairing (id, account_id, user_id, display_name, state, asked_by, code_hash, expires_at)
  values (new_id, of_account, of_user, called, 'waiting', by_event, new_hash,
          clock_timestamp() + minutes * interval '1 minute');
  return 'code';
end $$;
