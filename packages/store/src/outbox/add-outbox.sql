-- Adds texts in their order; a known delivery key is ignored.
create function add_outbox(texts jsonb) returns void language plpgsql as $$
begin
  insert into outbox (delivery_key, account_id, conversation_id, kind, session_key, turn_id, body)
  select body ->> 'deliveryKey', body -> 'conversation' ->> 'accountId', body -> 'conversation' ->> 'conversationId',
         body ->> 'kind', body ->> 'sessionKey', body ->> 'turnId', body
    from jsonb_array_elements(texts) with ordinality as given (body, n)
   order by n
  on conflict (delivery_key) do nothing;
end $$;
