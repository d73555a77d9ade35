-- Takes the session and reads nothing of it: a long history must not be read while the row is locked. Null when a living
-- worker has the session or nothing waits. A holder that finds nothing gives the session back. It sees events only up to
-- the first that isn't ready. Need not survive a crash of the server: whatever follows from a claim is written with its
-- fence, and to disk after it. `setAside`: the session has just been given up.
create function claim_session(call jsonb) returns json language plpgsql as $$
declare
  claimer text := call ->> 'holder';
  held session;
  set_aside boolean := false;
begin
  if not is_alive(claimer) then return json_build_object('conflict', true); end if;
  select * into held from session where session_key = call ->> 'sessionKey' for update;
  if not found or (held.owner <> claimer and is_alive(held.owner)) then return null; end if;
  -- Whoever hands a session over leaves no owner behind: this one has died.
  if held.owner <> claimer then held := note_failure(held, call -> 'giveUp'); end if;
  if has_failed_too_often(held, call -> 'giveUp') and has_work(held) then
    held := give_up(held, call -> 'giveUp');
    set_aside := true;
  else
    perform set_config('synchronous_commit', 'off', true);
  end if;
  if held.open_turn is null and not has_waiting(held.session_key) then
    if held.owner is not null then update session set owner = null where session_key = held.session_key; end if;
    return case when set_aside then json_build_object('setAside', true) end;
  end if;

  update session
     set owner = claimer,
         fence = fence + case when owner = claimer then 0 else 1 end,
         claimed_seq = coalesce((
           select min(seq) - 1
             from inbox
            where session_key = held.session_key and turn_id is null and reason is null
              and not is_ready(held_until, media_until)), last_seq)
   where session_key = held.session_key
  returning * into held;
  update turn
     set fence = held.fence,
         resumed_at = array(
           select at from unnest(resumed_at) as at
            where at > clock_timestamp() - (call -> 'giveUp' ->> 'withinMs')::bigint * interval '1 millisecond'
           ) || clock_timestamp()
   where turn_id = held.open_turn;
  return json_build_object('fence', held.fence, 'setAside', set_aside);
end $$;
