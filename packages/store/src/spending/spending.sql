-- Counters of what is spent. `spenders` is an array of {charges: [{key, unit, windowMs, max}], neverRefused}: whose words a
-- turn is made of, and the counters that each is charged to. A window begins with its first use.

create function is_open(counter spending) returns boolean language sql volatile as $$
  select counter.started_at + counter.window_ms * interval '1 millisecond' > clock_timestamp()
$$;

-- Whether an owner has lifted the limit of this counter, which counts on.
create function is_lifted(counter spending) returns boolean language sql volatile as $$
  select coalesce(counter.lifted_until > clock_timestamp(), false)
$$;

-- The counters that a batch of calls writes: those of turns that begin or are joined, with those of the tokens they reserve, those that people are told about, and
-- those of tokens and money of running turns, whose charges stand in their row. Other counters are only read.
create function written_charges(calls jsonb) returns table (key text, window_ms bigint) language sql stable as $$
  select charge ->> 'key', max((charge ->> 'windowMs')::bigint)
    from (select jsonb_path_query(calls, '$[*].spenders[*].charges[*] ? (@.unit == "turns")')
          union all
          select jsonb_path_query(calls, '$[*] ? (@.tokens > 0 || @.reserves > 0).spenders[*].charges[*] ? (@.unit == "tokens")')
          union all
          select jsonb_path_query(calls, '$[*] ? (@.cost > 0).spenders[*].charges[*] ? (@.unit == "money")')
          union all
          select jsonb_path_query(calls, '$[*].notices[*]')
          union all
          select jsonb_path_query(turn.spenders, '$[*].charges[*] ? (@.unit == $unit)', jsonb_build_object('unit', unit))
            from (select 'tokens', jsonb_path_query(calls, '$[*] ? (@.tokens > 0).turnId')
                  union all
                  select 'money', jsonb_path_query(calls, '$[*] ? (@.cost > 0).turnId')) as called (unit, turn_id)
                 join turn on turn.turn_id = called.turn_id #>> '{}') as found (charge)
   group by 1
$$;

-- Locks the counters that a batch of calls writes, in one order and before any session, so that batches of several
-- processes wait for each other instead of deadlocking.
create function lock_spending(calls jsonb) returns void language plpgsql as $$
declare
  keys text[];
begin
  select array_agg(written.key order by written.key collate "C") into keys from written_charges(calls) as written;
  insert into spending (key, window_ms)
  select written.key, written.window_ms from written_charges(calls) as written order by written.key collate "C"
  on conflict (key) do nothing;

  perform from spending
   where key = any (keys)
   order by key collate "C"
     for update;
end $$;

-- What running turns that are charged to this counter are about to use: see `reserve`.
create function reserved_for(counter text) returns bigint language sql volatile as $$
  select coalesce(sum((jsonb_path_query_first(spenders, '$[*].reserves') #>> '{}')::bigint), 0)::bigint
    from turn
   where state = 'running' and spenders @> jsonb_build_array(jsonb_build_object(
           'charges', jsonb_build_array(jsonb_build_object('key', counter))))
$$;

-- The first charge that a spender can't pay: {key, endsInMs}. Null: all can be paid. `reserving`: what others have reserved is
-- not there for it.
create function reached_charge(charges jsonb, reserving boolean) returns jsonb language sql volatile as $$
  select jsonb_build_object(
           'key', charge ->> 'key',
           'endsInMs', case when known.key is null or not is_open(known) then (charge ->> 'windowMs')::bigint
                       else greatest(0, ceil(extract(epoch from
                         known.started_at + known.window_ms * interval '1 millisecond' - clock_timestamp()) * 1000))
                       end::bigint)
    from jsonb_array_elements(charges) with ordinality as given (charge, n)
         left join spending as known on known.key = charge ->> 'key'
   where not (known.key is not null and is_lifted(known))
     and (charge ->> 'max')::bigint <= case when known.key is not null and is_open(known) then known.used else 0 end
                                       + case when reserving and charge ->> 'unit' = 'tokens' and charge ->> 'max' is not null
                                              then reserved_for(charge ->> 'key') else 0 end
   order by n
   limit 1
$$;

-- Those of the spenders that can't pay: [{n, key, endsInMs}], n counted from 0. Null: all can.
create function reached_spenders(spenders jsonb, reserving boolean default false) returns jsonb language sql volatile as $$
  select jsonb_agg(reached || jsonb_build_object('n', n - 1) order by n)
    from jsonb_array_elements(spenders) with ordinality as given (spender, n)
         cross join lateral reached_charge(spender -> 'charges', reserving) as found (reached)
   where reached is not null and not spender ? 'neverRefused'
$$;

-- How spenders stand in the row of the turn that they pay for.
create function payers(spenders jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(distinct spender - 'neverRefused' - 'reserves'), '[]') from jsonb_array_elements(spenders) as given (spender)
$$;

-- The payers of a turn whose next answer is about to take so many tokens. It stands there until the answer is counted or the turn
-- has ended, and so dies with it, whatever becomes of its worker.
create function reserve(payers jsonb, tokens bigint) returns jsonb language sql immutable as $$
  select case when coalesce(tokens, 0) <= 0 then payers
              else (select coalesce(jsonb_agg(payer || jsonb_build_object('reserves', tokens)), '[]')
                      from jsonb_array_elements(payers) as given (payer)) end
$$;

create function read_reached(call jsonb) returns json language sql volatile as $$
  select json_build_object('reached', coalesce(reached_spenders(call -> 'spenders'), '[]'))
$$;

-- Charges an amount to each counter of that unit once, however many spenders share it.
create function spend(spenders jsonb, of_unit text, amount bigint) returns void language plpgsql as $$
begin
  update spending
     set used = amount + case when is_open(spending) then used else 0 end,
         refused = case when is_open(spending) then refused else 0 end,
         told = told and is_open(spending),
         started_at = case when is_open(spending) then started_at else clock_timestamp() end,
         window_ms = given.window_ms,
         max = given.max
    from (select charge ->> 'key' as key, max((charge ->> 'windowMs')::bigint) as window_ms,
                 max((charge ->> 'max')::bigint) as max
            from jsonb_path_query(spenders, '$[*].charges[*]') as found (charge)
           where charge ->> 'unit' = of_unit
           group by 1) as given
   where spending.key = given.key;
end $$;

-- Charges what answers have used, in `call` as {uses, tokens, cost}, to the turn that the holder runs. Answers with the counter
-- that ends it, {key, endsInMs}: none of those whose words it is made of can pay for another answer. Null: it goes on.
create function spend_answers(held session, of_turn text, call jsonb) returns jsonb language plpgsql as $$
declare
  payers jsonb;
  reached jsonb;
begin
  if not call ? 'uses' then return null; end if;
  perform add_usage(held, of_turn, call -> 'uses');
  payers := (select spenders from turn where turn_id = of_turn);
  if jsonb_array_length(payers) = 0 then return null; end if;
  -- What was not counted, or has no known price, begins no window.
  if (call ->> 'tokens')::bigint > 0 then perform spend(payers, 'tokens', (call ->> 'tokens')::bigint); end if;
  if (call ->> 'cost')::bigint > 0 then perform spend(payers, 'money', (call ->> 'cost')::bigint); end if;
  if (call ->> 'tokens')::bigint > 0 and payers @? '$[*].reserves' then
    payers := payers(payers);
    update turn set spenders = payers where turn_id = of_turn;
  end if;
  select reached_spenders(jsonb_agg(jsonb_build_object('charges', jsonb_path_query_array(payer, '$.charges[*] ? (@.unit != "turns")'))))
    into reached
    from jsonb_array_elements(payers) as payer;
  if coalesce(jsonb_array_length(reached), 0) < jsonb_array_length(payers) then return null; end if;
  return reached -> 0;
end $$;

-- Those of the spenders that may not add words to a running turn. Whoever takes part in it already begins no further turn.
create function reached_steerers(of_turn text, steerers jsonb) returns jsonb language sql volatile as $$
  select reached_spenders(jsonb_agg(
           case when turn.spenders @> jsonb_build_array(steerer) and not steerer ? 'neverRefused'
                then jsonb_build_object('charges', jsonb_path_query_array(steerer, '$.charges[*] ? (@.unit != "turns")'))
                else steerer end order by n))
    from turn, jsonb_array_elements(steerers) with ordinality as given (steerer, n)
   where turn_id = of_turn
$$;

-- Adds those who steered a turn to those who pay for it.
create function join_spenders(of_turn text, steerers jsonb) returns void language sql as $$
  update turn
     set spenders = (
           select jsonb_agg(distinct payer)
             from (select jsonb_array_elements(turn.spenders)
                   union all
                   select jsonb_array_elements(payers(steerers))) as everyone (payer))
   where turn_id = of_turn and jsonb_array_length(steerers) > 0
$$;

-- Tells each conversation once in a window that a limit is reached. `notices` is an array of {key, windowMs, events, text, atHomes};
-- without a text the events are only counted. `atHomes`: a text without a conversation, for wherever an owner is asked.
create function tell_refused(notices jsonb) returns void language plpgsql as $$
declare
  notice jsonb;
  counter spending;
begin
  for notice in select jsonb_array_elements(notices) loop
    update spending
       set refused = (notice ->> 'events')::bigint + case when is_open(spending) then refused else 0 end,
           used = case when is_open(spending) then used else 0 end,
           started_at = case when is_open(spending) then started_at else clock_timestamp() end,
           told = true
     where key = notice ->> 'key'
    returning * into counter;
    if notice ? 'text' then perform tell_limit(counter, notice -> 'text'); end if;
    if notice ? 'atHomes' then
      perform tell_limit(counter, notice -> 'atHomes' || jsonb_build_object(
                'conversation', home.conversation,
                'deliveryKey', (notice -> 'atHomes' ->> 'deliveryKey') || ':' || home.account_id || ':' || home.user_id))
         from owners_places() as home;
    end if;
  end loop;
end $$;

-- A group that was told of a limit within the hour is not told now: the next refusal there tries again.
create function tell_limit(counter spending, notice jsonb) returns void language plpgsql as $$
declare
  place jsonb := notice -> 'conversation';
  limit_topic text := 'limit ' || md5(counter.key);
begin
  if exists (select from told
              where account_id = place ->> 'accountId' and conversation_id = place ->> 'conversationId'
                and topic = limit_topic
                and told_at >= greatest(counter.started_at, counter.lifted_until)) then return; end if;
  perform add_outbox(jsonb_build_array(notice));
  insert into told (account_id, conversation_id, topic, told_at)
  select place ->> 'accountId', place ->> 'conversationId', limit_topic, clock_timestamp()
   where exists (select from outbox where delivery_key = notice ->> 'deliveryKey')
  on conflict (account_id, conversation_id, topic) do update set told_at = excluded.told_at;
end $$;

-- Lifts the limit that `effect` names by `key`, for a day. False: it is not reached, or is lifted already.
create function lift_limit(effect jsonb) returns boolean language plpgsql as $$
begin
  update spending
     set lifted_until = clock_timestamp() + interval '1 day', lifted_by = effect ->> 'by'
   where key = effect ->> 'key' and is_open(spending) and not is_lifted(spending) and (used >= max or refused > 0);
  return found;
end $$;
