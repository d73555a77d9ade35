-- {userId, conversation}: where this owner of the account is asked. Without a conversation, nowhere. False: nothing has changed.
create function set_home(account text, effect jsonb) returns boolean language plpgsql as $$
begin
  update owner_place set is_off = not effect ? 'conversation' where account_id = account and user_id = effect ->> 'userId';
  if not effect ? 'conversation' then
    delete from home_conversation where account_id = account and user_id = effect ->> 'userId';
    return found;
  end if;
  insert into home_conversation (account_id, user_id, conversation)
  values (account, effect ->> 'userId', effect -> 'conversation')
  on conflict (account_id, user_id) do update set conversation = excluded.conversation, set_at = clock_timestamp(), is_resting = false;
  return true;
end $$;

-- {accountId, userId, conversation, language?}: an owner writes in a direct conversation.
create function note_owner_place(call jsonb) returns void language sql as $$
  insert into owner_place as place (account_id, user_id, conversation, language)
  values (call ->> 'accountId', call ->> 'userId', call -> 'conversation', call ->> 'language')
  on conflict (account_id, user_id) do update
    set conversation = excluded.conversation, wrote_at = clock_timestamp(),
        language = coalesce(excluded.language, place.language)
$$;

-- Where owners are told: their homes, or, as long as nobody has any, the direct conversation in which one of them wrote last.
create function owners_places() returns table (account_id text, user_id text, conversation jsonb, language text) language sql stable as $$
  (select account_id, user_id, home.conversation, place.language
     from home_conversation as home left join owner_place as place using (account_id, user_id)
    where not is_resting
    order by set_at desc limit 20)
  union all
  (select account_id, user_id, conversation, language from owner_place
    where not is_off and not exists (select from home_conversation where not is_resting)
    order by wrote_at desc limit 1)
$$;
