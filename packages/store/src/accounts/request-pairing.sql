-- A stranger has written. Answers {outcome}: `code`, when the new one counts, with whether owners are asked about this one, about all who
-- wait, or not; else how the person stands, or `full`. {tells}: they are told that, once. Requests of one account wait for each other. An
-- event that asked before and was never settled asks again: its code died with the process that was to show it.
create function request_pairing(call jsonb) returns json language plpgsql as $$
declare
  of_account text := call ->> 'accountId';
  of_user text := call ->> 'userId';
  by_event text := call ->> 'eventId';
  former interval := (call ->> 'noticeMs')::bigint * interval '1 millisecond';
  known pairing;
  asks text;
begin
  perform pg_advisory_xact_lock(hashtextextended('talaria pairing ' || of_account, 0));
  perform forget_pairing(id) from pairing
   where account_id = of_account and (
     state = 'waiting' and created_at <= clock_timestamp() - former
     or state = 'ignored' and decided_at <= clock_timestamp() - former);
  perform forget_pairing(id) from pairing
   where account_id = of_account and user_id = of_user and state = 'waiting' and asked_by = by_event
     and not is_settled(of_account, by_event);
  select * into known from pairing where account_id = of_account and user_id = of_user;
  if known.id is not null then
    if call ? 'language' then perform note_language(call); end if;
    perform keep_words(known, call);
    return known_person(known, by_event);
  end if;
  if (select count(*) from pairing
       where account_id = of_account and state = 'waiting' and expires_at > clock_timestamp())
     >= (call ->> 'maxWaiting')::integer then
    return left_out(of_account, call);
  end if;
  asks := case
    when not (call ->> 'canAsk')::boolean then 'nobody'
    when (select count(*) from pairing where account_id = of_account and state = 'waiting' and asked = 'each')
         < (call ->> 'maxAsked')::integer then 'each'
    when exists (
      select from pairing
       where account_id = of_account and asked = 'together'
         and created_at > clock_timestamp() - (call ->> 'togetherMs')::bigint * interval '1 millisecond') then 'later'
    else 'together' end;
  insert into pairing (id, account_id, user_id, display_name, state, asked_by, code_hash, expires_at, conversation, asked, said, unkept,
                       language)
  values (call ->> 'id', of_account, of_user, call ->> 'displayName', 'waiting', by_event,
          decode(call ->> 'codeHash', 'hex'),
          clock_timestamp() + (call ->> 'validMs')::bigint * interval '1 millisecond',
          call -> 'conversation', asks, call -> 'said', call ->> 'unkept', call ->> 'language');
  return json_build_object('outcome', 'code', 'asks', asks, 'waiting', (
    select count(*) from pairing where account_id = of_account and state = 'waiting'));
end $$;

-- Nobody has a place for this message. It is counted at the last who waits; owners are told once in `togetherMs`.
create function left_out(of_account text, call jsonb) returns json language plpgsql as $$
declare
  tells boolean := (call ->> 'canAsk')::boolean and not exists (
    select from pairing
     where account_id = of_account
       and left_out_told_at > clock_timestamp() - (call ->> 'togetherMs')::bigint * interval '1 millisecond');
  waiting integer;
  left_out_now integer;
begin
  update pairing
     set left_out = left_out + 1, left_out_told_at = case when tells then clock_timestamp() else left_out_told_at end
   where id = (select id from pairing where account_id = of_account and state = 'waiting' order by created_at desc, id limit 1);
  if not tells then return json_build_object('outcome', 'full'); end if;
  select count(*), sum(left_out) into waiting, left_out_now from pairing where account_id = of_account and state = 'waiting';
  return json_build_object('outcome', 'full', 'waiting', waiting, 'leftOut', left_out_now);
end $$;

-- Of who waits the first `maxSaid` messages are kept, each once, and that others were not.
create function keep_words(known pairing, call jsonb) returns void language plpgsql as $$
declare
  kept jsonb := coalesce(known.said_later, '[]');
  lost text := call ->> 'unkept';
begin
  if known.state <> 'waiting' or is_settled(known.account_id, call ->> 'eventId') then return; end if;
  if call ? 'said' and not (jsonb_build_array(known.said) || kept)
       @> jsonb_build_array(jsonb_build_object('eventId', call -> 'said' -> 'eventId')) then
    if known.said is null then
      update pairing set said = call -> 'said' where id = known.id;
    elsif jsonb_array_length(kept) + 1 < (call ->> 'maxSaid')::integer then
      update pairing set said_later = kept || jsonb_build_array(call -> 'said') where id = known.id;
    else
      lost := 'words';
    end if;
  end if;
  update pairing set unkept = lost where id = known.id and lost is not null and unkept is distinct from 'words';
end $$;

-- Whoever waits is told that once more, and whoever was removed as well; everybody else hears nothing.
create function known_person(known pairing, by_event text) returns json language plpgsql as $$
begin
  if known.state not in ('waiting', 'removed') or is_settled(known.account_id, by_event)
     or known.told_by is not null and known.told_by <> by_event then
    return json_build_object('outcome', case known.state when 'approved' then 'waiting' else known.state end);
  end if;
  update pairing set told_by = by_event where id = known.id;
  return json_build_object('outcome', known.state, 'tells', true);
end $$;

create function is_settled(of_account text, of_event text) returns boolean language sql stable as $$
  select exists (select from seen where event_id = of_event and account_id = of_account)
$$;
