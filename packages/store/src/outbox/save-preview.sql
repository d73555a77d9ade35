create function save_preview(call jsonb) returns json language plpgsql as $$
begin
  perform from account
    where account_id = call ->> 'accountId' and fence = (call ->> 'fence')::bigint and holder is not null
    for share;
  if not found then return json_build_object('conflict', true); end if;
  insert into preview (turn_id, account_id, state, message_id)
  values (call ->> 'turnId', call ->> 'accountId', call ->> 'state', call ->> 'messageId')
  on conflict (turn_id) do update
    set state = excluded.state, message_id = excluded.message_id, saved_at = clock_timestamp();
  if call ? 'messageId' then
    insert into sent_message (message_id, conversation_id, account_id, turn_id)
    select call ->> 'messageId', route ->> 'conversationId', call ->> 'accountId', turn_id
      from turn where turn_id = call ->> 'turnId'
    on conflict do nothing;
  end if;
  return '{}';
end $$;
