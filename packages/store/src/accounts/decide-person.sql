-- {id, from: [state], to, by, welcome, answering}: somebody decides about a person who stands there in one of these ways. `to` is `approved`,
-- `ignored`, `blocked`, `removed`, or `forgotten`: then they may ask anew. Everything that follows is written with it: who was let in
-- reads the welcome, or `answering` where their words are answered now, each by what of these could not be kept, who is no longer has their work ended,
-- who is blocked that of groups as well, and the questions about them are closed.
-- Null: nobody stands so. Else {sessionKey} of the words that are to be answered now.
create function decide_person(call jsonb) returns json language plpgsql as $$
declare
  person pairing;
  session_key text;
  goes_on boolean;
begin
  select * into person from pairing where id = call ->> 'id' for update;
  if person.id is null or not call -> 'from' ? person.state then return null; end if;
  if call ->> 'to' = 'forgotten' then
    perform forget_pairing(person.id);
  else
    update pairing
       set state = call ->> 'to', expires_at = null, said = null, said_later = null, unkept = null, told_by = null,
           decided_at = clock_timestamp(), decided_by = call -> 'by'
     where id = person.id;
    perform close_person_questions(person.id);
  end if;
  if person.state = 'approved' then perform stop_person(person.account_id, person.user_id); end if;
  if call ->> 'to' = 'blocked' then perform stop_guest(person.account_id, person.user_id); end if;
  if call ->> 'to' <> 'approved' then return json_build_object('sessionKey', null); end if;
  goes_on := person.said is not null and person.created_at > clock_timestamp() - interval '1 day';
  if person.conversation is not null then
    perform add_outbox(jsonb_build_array(jsonb_build_object(
      'deliveryKey', 'welcome:' || person.id || ':' || extract(epoch from clock_timestamp()), 'kind', 'notice',
      'conversation', person.conversation, 'markdown', call -> case when goes_on then 'answering' else 'welcome' end -> coalesce(person.unkept, 'all'),
      'attachments', '[]'::jsonb)));
  end if;
  if goes_on then
    perform record_events(jsonb_build_array(person.said) || coalesce(person.said_later, '[]'));
    session_key := person.said ->> 'sessionKey';
  end if;
  return json_build_object('sessionKey', session_key);
end $$;

-- The same about several: whoever stands otherwise by now is left alone. Null: everybody does.
create function decide_people(call jsonb) returns json language plpgsql as $$
declare
  decided json := decide_person(call);
  one json;
begin
  for one in select decide_person(call || jsonb_build_object('id', id)) from jsonb_array_elements_text(call -> 'also') as other (id) loop
    decided := coalesce(decided, one);
  end loop;
  return decided;
end $$;

-- {accountId, userId, displayName?, to?, by, welcome, answering}: lets somebody in by their id, or blocks them (`to`), whether or not they
-- have asked. Null: it was decided about them before, or they are blocked.
create function add_person(call jsonb) returns json language plpgsql as $$
declare
  known text;
  target text := coalesce(call ->> 'to', 'approved');
  stood jsonb := case target when 'blocked' then '["waiting", "approved", "ignored", "removed"]'::jsonb else '["waiting"]' end;
begin
  insert into pairing (id, account_id, user_id, display_name, state, asked_by, decided_at, decided_by)
  values (gen_random_uuid()::text, call ->> 'accountId', call ->> 'userId', coalesce(call ->> 'displayName', ''), target, '',
          clock_timestamp(), call -> 'by')
  on conflict (account_id, user_id) do nothing;
  if found then
    if target = 'blocked' then perform stop_guest(call ->> 'accountId', call ->> 'userId'); end if;
    return json_build_object('sessionKey', null);
  end if;
  select id into known from pairing where account_id = call ->> 'accountId' and user_id = call ->> 'userId';
  return decide_person(call || jsonb_build_object('id', known, 'from', stood, 'to', target));
end $$;

create function forget_pairing(of_id text) returns void language plpgsql as $$
begin
  delete from pairing where id = of_id;
  perform close_person_questions(of_id);
end $$;

create function close_person_questions(of_id text) returns void language sql as $$
  select close_questions_of('person:' || of_id || ':')
$$;

-- The messages that ask about a person or a group are closed, however that came about; what they then say is read when they are edited. Once
-- more where it is decided anew. `begin`: how the keys of their texts begin, up to a colon.
create function close_questions_of(begin text) returns void language sql as $$
  insert into outbox (delivery_key, account_id, conversation_id, kind, session_key, body)
  select key, shown.account_id, shown.conversation_id, 'closing', shown.session_key,
         jsonb_build_object(
           'deliveryKey', key, 'kind', 'closing', 'conversation', shown.body -> 'conversation', 'markdown', '',
           'attachments', '[]'::jsonb, 'closes', shown.delivery_key)
    from outbox as shown
         cross join lateral (select 'closing:' || extract(epoch from clock_timestamp()) || ':' || shown.delivery_key) as named (key)
   where shown.delivery_key >= begin and shown.delivery_key < rtrim(begin, ':') || ';'
     and shown.state <> 'failed'
   order by shown.id
  on conflict (delivery_key) do nothing;
$$;

-- How it stands with the person about whom a text asks: [{id, settlement, by, person}].
create function person_outcomes(key text) returns json language sql stable as $$
  select json_build_array(json_strip_nulls(json_build_object(
           'id', left(asked.id, 8),
           'settlement', case person.state when 'waiting' then null when 'approved' then 'approved'
                                           else case when person.id is null then 'expired' else 'denied' end end,
           'by', person.decided_by ->> 'displayName',
           'person', case when person.state <> 'waiting' then person.state end)))
    from (select split_part(key, ':', 2)) as asked (id) left join pairing as person using (id)
$$;

-- How it stands with whatever a text asks.
create function shown_outcomes(key text, body jsonb) returns json language plpgsql stable as $$
begin
  if starts_with(key, 'person:') then return person_outcomes(key); end if;
  if starts_with(key, 'group:') and body ? 'choices' then return group_outcomes(key); end if;
  return asked_outcomes(key, body);
end $$;
