-- Refuses calls whose fence is not the newest. Of several updates of one row in a batch the last one counts. Accounts are
-- locked in their order and before any row, so that two processes can't deadlock. Simple statements, one after the other:
-- one statement for the whole batch took twice as long for the one or two calls that a batch usually has.
create function update_outbox(calls jsonb) returns table (n integer, answer json) language plpgsql as $$
#variable_conflict use_column
declare
  call jsonb;
  locked text;
  newest bigint;
begin
  if jsonb_array_length(calls) > 1 then
    perform from account
      where account_id in (select one ->> 'accountId' from jsonb_array_elements(calls) as one)
      order by account_id
      for share;
  end if;
  for n, call in
    select given.n, given.call
      from jsonb_array_elements(calls) with ordinality as given (call, n)
     order by given.call ->> 'accountId' collate "C", (given.call ->> 'id')::bigint, given.n
  loop
    if locked is distinct from call ->> 'accountId' then
      locked := call ->> 'accountId';
      newest := (select fence from account where account_id = locked and holder is not null for share);
    end if;
    if newest = (call ->> 'fence')::bigint then
      answer := json_build_object('withdrawn',
        not update_outbox_row(call, call -> 'parts')
        or call ->> 'state' = 'pending' and withdraw_question((call ->> 'id')::bigint, locked));
    else
      answer := json_build_object('conflict', true);
    end if;
    return next;
  end loop;
end $$;

-- Changes one row under the lock of its account, and remembers the messages that its parts have become. False: nobody begins to send it any
-- more, since a person has stopped it first, or has deleted its conversation.
create function update_outbox_row(call jsonb, new_parts jsonb) returns boolean language plpgsql as $$
declare
  row_id bigint := call ->> 'id';
  wait_ms bigint := call ->> 'retryInMs';
  doubtful bigint := 0;
  changed outbox;
begin
  if new_parts @? '$[*] ? (@.unknown > 0)' then
    select doubtful_parts(new_parts) - coalesce(doubtful_parts(parts), 0) into doubtful from outbox where id = row_id;
  end if;

  update outbox
     set state = call ->> 'state',
         parts = new_parts,
         error = call ->> 'error',
         next_at = case when wait_ms is null then next_at
                        else clock_timestamp() + wait_ms * interval '1 millisecond' end,
         settled_at = case when call ->> 'state' = 'pending' then null else clock_timestamp() end
   where id = row_id and account_id = call ->> 'accountId' and state <> 'withdrawn'
     and not (call ->> 'state' = 'pending' and body ->> 'stopped' is not distinct from 'withheld')
  returning * into changed;
  if not found then return not exists (select from outbox where id = row_id and account_id = call ->> 'accountId'); end if;

  if new_parts @? '$[*].messageId' then
    insert into sent_message (message_id, conversation_id, account_id, outbox_id, turn_id)
    select part ->> 'messageId', changed.conversation_id, changed.account_id, changed.id, changed.turn_id
      from jsonb_array_elements(new_parts) as part
     where part ? 'messageId'
     order by 1
    on conflict do nothing;
  end if;

  if doubtful > 0 then
    insert into total values ('possible_duplicates', doubtful)
    on conflict (name) do update set value = total.value + excluded.value;
  end if;
  return true;
end $$;

-- How many messages may stand there once too often: of parts sent, or given up, after calls that may have succeeded as well.
create function doubtful_parts(parts jsonb) returns bigint language sql immutable as $$
  select coalesce(sum((part ->> 'unknown')::integer), 0)
    from jsonb_array_elements(parts) as part
   where (part ->> 'unknown')::integer > 0
     and (part ->> 'state' = 'sent' or part ->> 'state' = 'failed' and (part ->> 'attempts')::integer > 1)
$$;

-- A question that waits goes out no more once every call that it asks about was cancelled, or its turn was ended before the call was
-- stored.
create function withdraw_question(row_id bigint, account text) returns boolean language plpgsql as $$
begin
  update outbox
     set state = 'withdrawn', settled_at = clock_timestamp()
   where id = row_id and account_id = account and state = 'pending' and starts_with(delivery_key, 'ask:')
     and (select bool_and(asked.settlement is not distinct from 'cancelled'
                          or asked.settled_at is null and session.open_turn is not distinct from asked.turn_id
                             and cancellation(session, session.open_first_seq) is not null)
            from asked_calls(delivery_key, body) join open_call as asked using (id) join session using (session_key));
  return found;
end $$;
