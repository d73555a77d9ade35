-- `over`: the statuses that this one replaces, since receipts may arrive in any order.
create function record_receipt(call jsonb) returns json language plpgsql as $$
begin
  insert into receipt (message_id, conversation_id, account_id, status, reason)
  values (call ->> 'messageId', call ->> 'conversationId', call ->> 'accountId', call ->> 'status', call ->> 'reason')
  on conflict (message_id, conversation_id, account_id) do update
    set status = excluded.status, reason = excluded.reason, told_at = clock_timestamp()
  where call -> 'over' ? receipt.status;
  return json_build_object('changed', found, 'known', exists (
    select from sent_message
     where message_id = call ->> 'messageId' and conversation_id = call ->> 'conversationId'
       and account_id = call ->> 'accountId'));
end $$;
