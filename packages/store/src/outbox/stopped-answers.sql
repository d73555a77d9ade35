-- Answers that a person has stopped before anybody could read them. They stay in the outbox until their account has taken away what it shows of
-- them: `stopped` of the body is "withheld". What is shown already ends with the words that were shown: "cut".

-- Withholds the answers of the newest 20 turns that nobody has begun to send or to show, and that nobody else has asked for. Whoever begins to
-- send one stores that first, under the lock of the same row: of the two, the later one finds it. Returns "withheld" if there was one, "sent" if
-- one that was written still goes out, else null.
create function withhold_answers(target session, of_user text) returns text language plpgsql as $$
declare
  waiting bigint[] := answers_on_their_way(target.session_key);
  stopped text[];
begin
  if waiting is null then return null; end if;
  perform from outbox where id = any (waiting) order by account_id collate "C", id for update;
  with withheld as (
    update outbox
       set body = body || '{"stopped": "withheld"}', next_at = clock_timestamp()
     where id = any (waiting) and not is_begun(outbox)
       and not exists (select from outbox as part where part.turn_id = outbox.turn_id and part.kind = 'reply' and is_begun(part))
       and not exists (select from preview where preview.turn_id = outbox.turn_id)
       and is_asked_by_alone(outbox.turn_id, of_user)
    returning turn_id)
  select array_agg(turn_id) into stopped from withheld;
  if stopped is not null then
    update turn set state = 'aborted', reason = 'stopped' where turn_id = any (stopped);
    return 'withheld';
  end if;
  return case when exists (select from outbox where id = any (waiting) and state = 'pending') then 'sent' end;
end $$;

-- The answers of the newest 20 turns that have not been sent whole. Null for none.
create function answers_on_their_way(key text) returns bigint[] language sql stable as $$
  select array_agg(outbox.id)
    from (select turn.turn_id from turn where turn.session_key = key order by first_seq desc limit 20) as newest
         join outbox using (turn_id)
   where outbox.session_key = key and kind = 'reply' and state = 'pending' and not body ? 'stopped'
$$;

-- Somebody may have read some of it.
create function is_begun(text outbox) returns boolean language sql immutable as $$
  select text.state <> 'pending'
      or coalesce(text.parts @? '$[*] ? (@.state != "pending" || @.unknown > 0 || exists(@.messageId))', false)
$$;

-- Whether nobody but this person has asked for what the turn answers. Whoever talks to the agent alone is one person under all their names.
create function is_asked_by_alone(of_turn text, of_user text) returns boolean language sql stable as $$
  select turn.route ->> 'kind' = 'direct' or not exists (
           select from inbox
            where inbox.session_key = turn.session_key and inbox.turn_id = turn.turn_id
              and inbox.seq between turn.first_seq and turn.last_seq
              and case when inbox.body ->> 'type' = 'call.settled'
                       then exists (select from askers_of(inbox) as one where one.user_id is distinct from of_user)
                       else inbox.body -> 'sender' ->> 'userId' is distinct from of_user end)
    from turn
   where turn.turn_id = of_turn
$$;

-- The texts of a turn that a person had stopped when it ended: its answer is withheld, unless a message shows the beginning of it.
create function stopped_texts(texts jsonb, of_turn turn) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(case
           when body ->> 'kind' <> 'reply' then body
           when of_turn.partial <> '' and exists (select from preview where turn_id = of_turn.turn_id)
             then (body - 'choices' - 'operational') || jsonb_build_object(
               'markdown', of_turn.partial || ' …', 'attachments', '[]'::jsonb, 'stopped', 'cut')
           else (body - 'operational') || '{"stopped": "withheld"}' end order by n), '[]')
    from jsonb_array_elements(texts) with ordinality as given (body, n)
$$;
