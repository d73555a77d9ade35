-- {tools} or {facts}: what the prompt of the turn's memory is shown from now on.
create function keep_tools(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  update memory
     set tools = coalesce(call ->> 'tools', tools), facts = coalesce(call ->> 'facts', facts)
   where session_key = held.session_key
     and generation = (select generation from turn where turn_id = held.open_turn);
  return '{}';
end $$;
