-- Takes the session but reads nothing of it: a long history must not be read while the row is locked. Returns null when a
-- living worker has the session, or nothing waits and its turn, if any, is suspended; a holder that finds nothing releases the session. The holder sees events
-- only up to the first that isn't ready. A claim need not survive a crash of the server: everything that follows from it is
-- written with its fence, and reaches the disk after it. `givenUp`: the session was given up just now,
-- and this account's outbox has a notice.
create function claim_session(call jsonb) returns json language plpgsql as $$
declare
  claimer text := call ->> 'holder';
  held session;
  given_up json;
begin
  if not is_alive(claimer) then return json_build_object('conflict', true); end if;
  select * into held from session where session_key = call ->> 'sessionKey' for update;
  if not found or (held.owner <> claimer and is_alive(held.owner)) then return null; end if;
  -- A hand-over leaves no owner, so this owner has died.
  if held.owner <> claimer then held := note_failure(held, call -> 'giveUp'); end if;
  if has_failed_too_often(held, call -> 'giveUp') and has_work(held) then
    given_up := json_build_object('accountId', give_up(held, call -> 'giveUp'));
    select * into held from session where session_key = held.session_key;
  else
    perform set_config('synchronous_commit', 'off', true);
  end if;
  if (held.open_turn is null or is_suspended(held)) and not has_waiting(held.session_key) then
    if held.owner is not null then update session set owner = null where session_key = held.session_key; end if;
    return case when given_up is not null then json_build_object('givenUp', given_up) end;
  end if;

  update session
     set owner = claimer,
         fence = fence + case when owner = claimer then 0 else 1 end,
         claimed_generation = generation,
         claimed_seq = coalesce((
           select min(seq) - 1
             from inbox
            where session_key = held.session_key and turn_id is null and reason is null
              and not is_ready(deferred_until, media_until)), last_seq)
   where session_key = held.session_key
  returning * into held;
  update turn
     set fence = held.fence,
         suspended_at = null,
         resumed_at = array(
           select at from unnest(resumed_at) as at
            where at > clock_timestamp() - (call -> 'giveUp' ->> 'withinMs')::bigint * interval '1 millisecond'
           ) || clock_timestamp()
   where turn_id = held.open_turn;
  return json_build_object('fence', held.fence, 'givenUp', given_up);
end $$;
