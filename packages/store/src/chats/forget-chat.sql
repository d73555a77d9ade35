-- A conversation of the console is deleted: hidden at once, and its rows removed by and by.

-- {sessionKey, accountId, conversationId, why}: hides all that was said until now, and ends what is under way. The session goes on with an
-- empty memory. Returns who has to hear of it, as a reset does.
create function forget_chat(call jsonb) returns json language plpgsql as $$
declare
  target session;
begin
  select * into target from session where session_key = call ->> 'sessionKey' for update;
  if target.session_key is not null then
    perform reset_session(target);
    delete from memory_pass where session_key = target.session_key;
    -- What comes later never goes with this, also where there was nothing to reset.
    update session
       set generation = target.generation + 1, reset_seq = last_seq
     where session_key = target.session_key and generation = target.generation;
    perform end_background_of(target.session_key, call ->> 'why');
    -- Nobody resumes or branches what is only kept until its turn has ended.
    update memory set history_from = 9223372036854775807
     where session_key = target.session_key and generation <= target.generation;
  end if;
  update outbox
     set state = 'withdrawn', settled_at = clock_timestamp()
   where account_id = call ->> 'accountId' and conversation_id = call ->> 'conversationId' and state = 'pending';
  -- Nobody may have listed it yet.
  insert into chat (account_id, conversation_id, platform, kind, last_at)
  select call ->> 'accountId', call ->> 'conversationId', target.conversation ->> 'platform', target.conversation ->> 'kind',
         '-infinity'
   where target.conversation ?& array['platform', 'kind']
  on conflict do nothing;
  update chat
     set title = null, words = line_words(known_as, account_id), deleted_at = clock_timestamp(),
         deleted_generation = coalesce(target.generation, deleted_generation)
   where account_id = call ->> 'accountId' and conversation_id = call ->> 'conversationId';
  return json_build_object('holder', case when is_alive(target.owner) then target.owner end, 'ended', (
    select json_agg(json_build_object('sessionKey', session_key, 'holder', holder)) from to_be_ended()));
end $$;

-- {sessionKey, accountId, conversationId, most}: removes what was hidden and nothing uses any more, at most so many rows of each table.
-- Returns {removed}: none, when nothing is left that can go now. What a running turn needs goes after its end.
create function purge_chat(call jsonb) returns json language plpgsql as $$
declare
  key text := call ->> 'sessionKey';
  most integer := (call ->> 'most')::integer;
  known chat;
  held session;
  busy text;
  gone integer;
  removed integer := 0;
begin
  select * into known from chat
   where account_id = call ->> 'accountId' and conversation_id = call ->> 'conversationId' and deleted_at > '-infinity';
  if known.account_id is null then return json_build_object('removed', 0); end if;
  select * into held from session where session_key = key for update;
  busy := coalesce(held.open_turn, '');

  delete from entry where ctid = any (array(
    select ctid from entry
     where session_key = key and generation <= known.deleted_generation and turn_id <> busy limit most));
  get diagnostics gone = row_count; removed := removed + gone;
  delete from memory
   where session_key = key and generation <= known.deleted_generation
     and generation is distinct from (select generation from turn where turn_id = busy);
  get diagnostics gone = row_count; removed := removed + gone;
  delete from open_call where ctid = any (array(
    select open_call.ctid from open_call
     where open_call.turn_id = any (array(select turn_id from turn where session_key = key and started_at <= known.deleted_at limit most))
       and settled_at is not null and open_call.turn_id <> busy limit most));
  get diagnostics gone = row_count; removed := removed + gone;
  delete from outbox where ctid = any (array(
    select ctid from outbox
     where account_id = known.account_id and conversation_id = known.conversation_id and created_at <= known.deleted_at
       and state <> 'pending' and turn_id is distinct from nullif(busy, '')
     limit most));
  get diagnostics gone = row_count; removed := removed + gone;
  with ended as (
    delete from turn where ctid = any (array(
      select turn.ctid from turn
       where turn.session_key = key and started_at <= known.deleted_at and state <> 'running' and turn_id <> busy
         and (select id from outbox where outbox.turn_id = turn.turn_id limit 1) is null
         and (select id from open_call where open_call.turn_id = turn.turn_id limit 1) is null
         and (select id from entry
               where entry.session_key = key and entry.generation = turn.generation and entry.turn_id = turn.turn_id limit 1) is null
       limit most))
    returning turn_id
  )
  delete from preview where turn_id in (select turn_id from ended);
  with heard as (
    delete from inbox where ctid = any (array(
      select inbox.ctid from inbox
       where inbox.session_key = key and recorded_at <= known.deleted_at
         and (reason is not null or turn_id is not null)
         and (select turn.turn_id from turn where turn.turn_id = inbox.turn_id) is null
       limit most))
    returning event_id, account_id
  ), attached as (
    delete from attachment using heard
     where attachment.event_id = heard.event_id and attachment.account_id = heard.account_id
  )
  select count(*) into gone from heard;
  removed := removed + gone;
  delete from chat_line where ctid = any (array(
    select ctid from chat_line
     where account_id = known.account_id and conversation_id = known.conversation_id and at <= known.deleted_at limit most));
  get diagnostics gone = row_count; removed := removed + gone;
  delete from given_command where ctid = any (array(
    select ctid from given_command
     where account_id = known.account_id and conversation_id = known.conversation_id and at <= known.deleted_at limit most));
  get diagnostics gone = row_count; removed := removed + gone;
  -- What was learnt there and is known nowhere else.
  delete from learned_skill
   where place = known.account_id || '/' || known.conversation_id and written_at <= known.deleted_at and not is_accepted(digest);
  get diagnostics gone = row_count; removed := removed + gone;
  return json_build_object('removed', removed);
end $$;
