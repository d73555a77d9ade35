-- Each of these functions takes one call, so that calls for many sessions can share a statement. A refused call returns
-- {"conflict": true} and writes nothing.

-- Locks the session of a lease. All columns are null when the lease is lost.
create function held_session(call jsonb) returns session language plpgsql as $$
declare
  held session;
begin
  select * into held
    from session
   where session_key = call ->> 'sessionKey'
     and owner = call ->> 'holder'
     and fence = (call ->> 'fence')::bigint
     for update;
  return held;
end $$;

-- How a person ended the turn that began at this event, or null.
create function cancellation(of_session session, began_at bigint) returns text language plpgsql immutable as $$
begin
  return case
    when began_at <= of_session.cancel_seq then 'stopped'
    when began_at <= of_session.interrupt_seq then 'superseded'
  end;
end $$;

create function drop_events(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.session_key is null then return json_build_object('conflict', true); end if;
  -- First the counters: what is refused belongs to their windows.
  perform tell_refused(call -> 'notices');
  perform drop_waiting(held.session_key, call -> 'drop');
  return '{}';
end $$;

create function release_session(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
  free boolean;
begin
  if held.session_key is null then return json_build_object('conflict', true); end if;
  free := held.open_turn is null and not has_waiting(held.session_key);
  if free then update session set owner = null where session_key = held.session_key; end if;
  return json_build_object('released', free);
end $$;

create function hand_over(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.session_key is null then return json_build_object('conflict', true); end if;
  update session set owner = null where session_key = held.session_key;
  return '{}';
end $$;
