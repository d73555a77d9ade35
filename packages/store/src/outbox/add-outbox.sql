-- Adds drafts in their order; a known delivery key is ignored.
create function add_outbox(drafts jsonb) returns void language plpgsql as $$
begin
  insert into outbox (delivery_key, account_id, conversation_id, kind, session_key, turn_id, draft)
  select draft ->> 'deliveryKey', draft -> 'conversation' ->> 'accountId', draft -> 'conversation' ->> 'conversationId',
         draft ->> 'kind', draft ->> 'sessionKey', draft ->> 'turnId', draft
    from jsonb_array_elements(drafts) with ordinality as given (draft, n)
   order by n
  on conflict (delivery_key) do nothing;
end $$;
