-- Need not survive a crash of the server.
create function save_partial(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  perform set_config('synchronous_commit', 'off', true);
  update turn set partial = call ->> 'text' where turn_id = held.open_turn;
  return '{}';
end $$;
