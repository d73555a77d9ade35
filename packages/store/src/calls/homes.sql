-- {userId, conversation}: where this owner of the account is asked. Without a conversation, nowhere. False: nothing has changed.
create function set_home(account text, effect jsonb) returns boolean language plpgsql as $$
begin
  if not effect ? 'conversation' then
    delete from home_conversation where account_id = account and user_id = effect ->> 'userId';
    return found;
  end if;
  insert into home_conversation (account_id, user_id, conversation)
  values (account, effect ->> 'userId', effect -> 'conversation')
  on conflict (account_id, user_id) do update set conversation = excluded.conversation, set_at = clock_timestamp();
  return true;
end $$;
