-- {accountId, userId, language}: what the platform tells of a person. Kept beside their name, and where an owner is told; of whoever is in
-- neither table, nowhere.
create function note_language(call jsonb) returns void language sql as $$
  update pairing
     set language = call ->> 'language'
   where account_id = call ->> 'accountId' and user_id = call ->> 'userId' and language is distinct from call ->> 'language';
  update owner_place
     set language = call ->> 'language'
   where account_id = call ->> 'accountId' and user_id = call ->> 'userId' and language is distinct from call ->> 'language';
$$;
