-- A conversation has changed its kind, and its key with it (`sessionKeyOf`): what its sessions of the other kind have begun ends, and
-- what waits there is not read. `notice` is told in the conversation, once, when something has ended. Returns those sessions.
create function end_former_kind(base text, is_group boolean, notice jsonb)
returns table (session_key text, holder text) language plpgsql as $$
#variable_conflict use_column
declare
  target session;
  told text;
begin
  for target in
    select *
      from session
     -- Whatever begins with the base and a slash: a zero follows the slash.
     where (session_key = base or (session_key > base || '/' and session_key < base || '0'))
           and (session_key = base || '/g' or starts_with(session_key, base || '/g/')) <> is_group
           and has_begun(session)
     order by session_key collate "C"
       for update
  loop
    if not has_begun(target) then continue; end if;
    perform stop_session(target);
    perform end_background_of(target.session_key, 'the conversation is of another kind now');
    update inbox set reason = 'stopped'
     where inbox.session_key = target.session_key and reason = 'set_aside' and turn_id is null;
    told := coalesce(told, 'kind:' || target.session_key || ':' || target.last_seq);
    session_key := target.session_key;
    holder := case when is_alive(target.owner) then target.owner end;
    return next;
  end loop;
  -- What a limit has refused in private is not answered in a group, and the other way round.
  update inbox set refused_by = null
   where refused_by is not null and (inbox.session_key = base or (inbox.session_key > base || '/' and inbox.session_key < base || '0'))
     and (inbox.session_key = base || '/g' or starts_with(inbox.session_key, base || '/g/')) <> is_group;
  if told is not null then
    return query select one.* from to_be_ended() as one where one.session_key = base or starts_with(one.session_key, base || '/');
    perform add_outbox(jsonb_build_array(notice || jsonb_build_object('deliveryKey', told)));
  end if;
  if is_group then
    delete from owner_place
     where account_id = notice -> 'conversation' ->> 'accountId'
           and conversation ->> 'conversationId' = notice -> 'conversation' ->> 'conversationId'
           and conversation ->> 'kind' = 'direct';
    delete from home_conversation
     where account_id = notice -> 'conversation' ->> 'accountId'
           and conversation ->> 'conversationId' = notice -> 'conversation' ->> 'conversationId'
           and conversation ->> 'kind' = 'direct';
  end if;
end $$;

-- Something runs that nobody has stopped, or waits for a turn, for somebody, or for an operator to let it try again.
create function has_begun(target session) returns boolean language sql stable as $$
  select (target.open_turn is not null and target.open_first_seq > target.cancel_seq)
      or exists (select from inbox
                  where session_key = target.session_key and turn_id is null
                        and (reason is null or (reason = 'set_aside' and target.set_aside_at is not null)))
      or exists (select from open_call where session_key = target.session_key and settled_at is null)
      or exists (select from background_process as one where one.session_key = target.session_key and goes_on(one))
$$;
