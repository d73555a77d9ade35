-- Refuses calls whose fence is not the newest. Of several updates of one row in a batch the last one counts.
create function update_outbox(calls jsonb) returns table (n integer, answer json) language plpgsql as $$
#variable_conflict use_column
declare
  doubtful bigint;
begin
  perform from account
    where account_id in (select call ->> 'accountId' from jsonb_array_elements(calls) as call)
    order by account_id
    for share;

  with call as (
    select *
      from rows from (jsonb_to_recordset(calls) as (
             "accountId" text, fence bigint, id bigint, state text, parts jsonb, "retryInMs" bigint, error text
           )) with ordinality as given (account_id, fence, id, state, parts, retry_in_ms, error, n)
  ), latest as (
    select distinct on (call.id) call.*
      from call join account using (account_id)
     where account.fence = call.fence and account.holder is not null
     order by call.id, call.n desc
  ), changed as (
    update outbox as queued
       set state = latest.state,
           parts = latest.parts,
           error = latest.error,
           next_at = case when latest.retry_in_ms is null then queued.next_at
                          else clock_timestamp() + latest.retry_in_ms * interval '1 millisecond' end,
           settled_at = case when latest.state = 'pending' then null else clock_timestamp() end
      from latest join outbox as before on before.id = latest.id
     where queued.id = latest.id and queued.account_id = latest.account_id
    returning queued.id, queued.account_id, queued.conversation_id, queued.turn_id, queued.parts,
              case when latest.parts @? '$[*] ? (@.unknown > 0)'
                   then doubtful_parts(latest.parts) - coalesce(doubtful_parts(before.parts), 0) else 0 end as doubtful
  ), known as (
    insert into sent_message (message_id, conversation_id, account_id, outbox_id, turn_id)
    select part ->> 'messageId', conversation_id, account_id, id, turn_id
      from changed, jsonb_array_elements(changed.parts) as part
     where part ? 'messageId'
     order by 1, 2, 3
    on conflict do nothing
  )
  select sum(changed.doubtful) into doubtful from changed;

  if doubtful > 0 then
    insert into total values ('possible_duplicates', doubtful)
    on conflict (name) do update set value = total.value + excluded.value;
  end if;

  return query
    select given.n::integer,
           case when exists (select from account
                              where account_id = call ->> 'accountId'
                                and fence = (call ->> 'fence')::bigint
                                and holder is not null)
                then json_build_object() else json_build_object('conflict', true) end
      from jsonb_array_elements(calls) with ordinality as given (call, n);
end $$;

-- How many parts may stand there more than once: sent, or given up, after a call that may have gone out too.
create function doubtful_parts(parts jsonb) returns bigint language sql immutable as $$
  select count(*)
    from jsonb_array_elements(parts) as part
   where (part ->> 'unknown')::integer > 0
     and (part ->> 'state' = 'sent' or part ->> 'state' = 'failed' and (part ->> 'attempts')::integer > 1)
$$;
